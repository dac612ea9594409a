// SPDX-License-Identifier: Apache-2.0
// How much of its device's memory a rank's tensors may take, and whether a need fits in that. Nothing else in the
// program judges it.
#pragma once

#include "engine/base/sentence.h"
#include "engine/layout/layout.h"

#include <cstdint>

namespace shardlab::layout {

struct MemoryLimit {
    std::int64_t capacityBytes = 0;  ///< memory of the device, or a rank's share of it; 0: not known
    std::int64_t reserveBytes = 0;   ///< the part that memory.reserve keeps free
    std::int64_t programBytes = 0;   ///< what the modelled program takes beside its tensors (memoryLimit())

    bool known() const { return capacityBytes > 0; }
    std::int64_t usableBytes() const { return capacityBytes - reserveBytes - programBytes; }
    /// Bytes that are left beside a need; negative where the need is larger than what may be taken.
    std::int64_t spareBytes(std::int64_t needed) const { return usableBytes() - needed; }
    /// The need fits. Any need fits where the capacity is not known.
    bool holds(std::int64_t needed) const { return !known() || spareBytes(needed) >= 0; }
    bool operator==(const MemoryLimit&) const = default;
};

/// Where a stack other than Shardlab's own is modelled, its program takes contextBytes for driver, libraries and
/// communicators, and its allocator the share `fragmentation` beside each tensor: tensors may take
/// (capacity − reserve − contextBytes) / (1 + fragmentation), and never less than nothing. The layout may be
/// illegal: a reserve that check() refuses counts as none.
MemoryLimit memoryLimit(const Layout& layout, std::int64_t capacityBytes);

/// "71.4 GiB usable (80.0 GiB less a reserve of 4.80 GiB and 3.80 GiB for Megatron-Core)"
Sentence toText(const MemoryLimit& memory);

}  // namespace shardlab::layout
