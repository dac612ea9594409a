// SPDX-License-Identifier: Apache-2.0
// Parts of blocks to compute again, as chance has them.
#pragma once

#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/wings.h"

#include <algorithm>

namespace shardlab::test {

/// Any set of parts that the layout may have computed again, which has to be one that takes some.
inline WordSet<RecomputePart> randomParts(Layout layout, RandomStream& random) {
    layout.memory.recompute = RecomputeKind::Parts;
    for (;;) {
        layout.memory.recomputeParts = {};
        for (std::size_t i = 0; i < std::size(layoutWords<RecomputePart>); ++i)
            layout.memory.recomputeParts.set(static_cast<RecomputePart>(i), random.below(2) == 1);
        const auto faults = check(layout, scheduleMethods());
        if (std::ranges::none_of(faults, [](const Fault& fault) { return fault.pointer == "/memory/recompute_parts"; }))
            return layout.memory.recomputeParts;
    }
}

}  // namespace shardlab::test
