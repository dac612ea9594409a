// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/registries.h"

#include "engine/layout/devices.h"
#include "engine/layout/stacks.h"

namespace shardlab::layout {

std::vector<RegistryEntry> registryOf(const Field& field, std::span<const ScheduleMethod> schedules) {
    std::vector<RegistryEntry> entries;
    if (field.pointer == "/schedule/kind")
        for (const ScheduleMethod& method : schedules) entries.push_back({method.name, method.title});
    if (field.pointer == "/cluster/pace/device")
        for (const DevicePreset& device : devicePresets()) entries.push_back({device.name, device.title});
    if (field.pointer == "/cluster/pace/stack") {
        entries.push_back({ownStack, "Shardlab's own"});
        for (const SoftwareStack& stack : stackList().stacks) entries.push_back({stack.name, stack.title});
    }
    return entries;
}

}  // namespace shardlab::layout
