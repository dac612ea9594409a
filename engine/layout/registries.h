// SPDX-License-Identifier: Apache-2.0
// The fields whose text must be a name in a registry: a schedule, a device, a software stack.
#pragma once

#include "engine/layout/fields.h"
#include "engine/layout/schedule_method.h"

#include <span>
#include <string_view>
#include <vector>

namespace shardlab::layout {

struct RegistryEntry {
    std::string_view name;   ///< as layouts have it
    std::string_view title;  ///< for people
};

/// The entries that a field may name; empty: any text is legal.
std::vector<RegistryEntry> registryOf(const Field& field, std::span<const ScheduleMethod> schedules);

}  // namespace shardlab::layout
