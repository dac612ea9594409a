// SPDX-License-Identifier: Apache-2.0
// The only place that judges layouts.
#pragma once

#include "engine/layout/fault.h"
#include "engine/layout/layout.h"
#include "engine/layout/schedule_method.h"

#include <span>

namespace shardlab::layout {

/// Every fault of the layout at once, in the order of the fields. Empty means it can run.
/// `schedules` is scheduleMethods() of schedule/registry.h.
std::vector<Fault> check(const Layout& layout, std::span<const ScheduleMethod> schedules);

}  // namespace shardlab::layout
