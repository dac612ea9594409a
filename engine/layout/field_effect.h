// SPDX-License-Identifier: Apache-2.0
// Which fields of a layout change nothing, because its other fields leave them nothing to decide.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/schedule_method.h"

#include <span>
#include <string_view>
#include <vector>

namespace shardlab::layout {

/// Where no other legal value of the field would change what is planned or run, the answer is what it would take: "only
/// with adamw". Empty: the field has an effect. The answer means nothing for a field that is itself at fault.
std::string_view withoutEffect(std::string_view pointer, const Layout& layout,
                               std::span<const ScheduleMethod> schedules);

/// Every answer that there is, in no order, some of them twice: for those who translate them.
std::vector<std::string_view> effectAnswers();

}  // namespace shardlab::layout
