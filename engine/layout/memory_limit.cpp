// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/memory_limit.h"

#include "engine/base/units.h"
#include "engine/layout/stacks.h"

#include <algorithm>
#include <cmath>

namespace shardlab::layout {

MemoryLimit memoryLimit(const Layout& layout, std::int64_t capacityBytes) {
    // A file may hold any number.
    const double share = layout.memory.reserve > 0 && layout.memory.reserve <= 0.5 ? layout.memory.reserve : 0;
    MemoryLimit limit{capacityBytes, std::llround(static_cast<double>(capacityBytes) * share), 0};
    if (const SoftwareStack* stack = modelledStack(layout); stack != nullptr && limit.known()) {
        const auto room = static_cast<double>(limit.usableBytes());
        const double tensors = std::max(0.0, room - stack->contextBytes) / (1 + stack->fragmentation);
        limit.programBytes = std::llround(std::ceil(room - tensors));
    }
    return limit;
}

Sentence toText(const MemoryLimit& memory) {
    if (!memory.known()) return say("a capacity that is not known");
    const std::string usable = formatBytes(memory.usableBytes()), capacity = formatBytes(memory.capacityBytes),
                      reserve = formatBytes(memory.reserveBytes), program = formatBytes(memory.programBytes);
    if (memory.reserveBytes == 0 && memory.programBytes == 0) return say("{} usable, with no reserve", usable);
    if (memory.programBytes == 0) return say("{} usable ({} less a reserve of {})", usable, capacity, reserve);
    if (memory.reserveBytes == 0) return say("{} usable ({} less {} for the program)", usable, capacity, program);
    return say("{} usable ({} less a reserve of {} and {} for the program)", usable, capacity, reserve, program);
}

}  // namespace shardlab::layout
