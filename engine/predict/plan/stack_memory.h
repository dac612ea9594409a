// SPDX-License-Identifier: Apache-2.0
// What a software stack other than Shardlab's own holds beside model state and activations (stacks.h), and what its
// allocator makes of it all.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/stacks.h"
#include "engine/predict/plan/ledger.h"

#include <algorithm>
#include <cstdint>

namespace shardlab::predict {

/// Bytes of one stage on one rank, or of several stages together.
struct StackMemory {
    std::int64_t held = 0;      ///< throughout
    std::int64_t standIns = 0;  ///< throughout, shared by the stages of a rank
    std::int64_t update = 0;    ///< in passing, while weights are updated
    std::int64_t reduced = 0;   ///< gradients that are reduced at the step's end
    std::int64_t bucket = 0;    ///< of those, most that are copied side by side at once
    std::int64_t cached = 0;    ///< kept by its allocator while there is room

    std::int64_t passing() const { return update + std::min(reduced, bucket); }
    StackMemory& operator+=(const StackMemory& other);
};

/// A rank holds `whole` parameters of the stage, or with ZeRO 3 the `shard` of them that it updates in all cases.
/// The stand-ins are the weights of a block, once (keepsStandIns). In passing updateBytes · shard; where several
/// replicas reduce without ZeRO 2, all gradients, of which a bucket has bucketElements. Cached: cachedBytes · whole
/// without ZeRO 3, whose units are made one by one. Where gradients are summed in fp32 and those of a microbatch stay
/// beside the sums (keepsGradients), these are held in the weights' format; the sums lie flat and are updated from
/// where they are; and the weights of which the flat ones were made are cached.
StackMemory stackMemory(const Layout& layout, const SoftwareStack& stack, const StageShape& shape,
                        const TensorShare& share, std::int64_t whole, std::int64_t shard);

/// What the caching allocator of a stack takes from the device. Segments that held activations are too small for what
/// the update takes in passing, so both stay; and of all, the share that fragmentation makes unusable. It is not more
/// than `room`, what the device has for it: then it gives back what it only caches, down to what is needed at once.
std::int64_t reservedBytes(const SoftwareStack& stack, const RankMemory& memory, std::int64_t room);

}  // namespace shardlab::predict
