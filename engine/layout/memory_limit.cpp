// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/memory_limit.h"

#include "engine/base/units.h"

#include <cmath>
#include <fmt/format.h>

namespace shardlab::layout {

MemoryLimit memoryLimit(const MemorySpec& memory, std::int64_t capacityBytes) {
    // A file may hold any number.
    const double share = memory.reserve > 0 && memory.reserve <= 0.5 ? memory.reserve : 0;
    return {capacityBytes, std::llround(static_cast<double>(capacityBytes) * share)};
}

std::string toText(const MemoryLimit& memory) {
    if (!memory.known()) return "a capacity that is not known";
    if (memory.reserveBytes == 0) return fmt::format("{} usable, with no reserve", formatBytes(memory.usableBytes()));
    return fmt::format("{} usable ({} less a reserve of {})", formatBytes(memory.usableBytes()),
                       formatBytes(memory.capacityBytes), formatBytes(memory.reserveBytes));
}

}  // namespace shardlab::layout
