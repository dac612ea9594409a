// SPDX-License-Identifier: Apache-2.0
// What one attention of a context group sends round its ring (parallel/context.h). c members, each with N = b·s/c
// tokens and g columns of queries, of keys and of values, in a format of f bytes:
//
//   forward   c − 1 hops of keys and values, 2N·g·f; each comes while the rank works on the block before
//   backward  the same again, and c hops of their gradients, 2N·g·4, each begun once a block is done; the last of them
//             takes the gradients home, and nothing is left to compute meanwhile
//
// so that of one layer and microbatch each member sends 2N·g·((c − 1)·2f + 4c) bytes. All of the c blocks are as much
// work: the first is the half below a diagonal of (s/c)², the others are half of the queries with all keys, or all with
// half, and what no query of a block sees is left out.
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <cstdint>
#include <vector>

namespace shardlab::predict {

struct RingStep {
    std::int64_t bytes = 0;
    double seconds = 0;
    double cover = 0;  ///< for how long the rank computes meanwhile
};

/// The steps of a ring, in the order in which their hops end.
struct ContextRing {
    int members = 1;
    std::vector<RingStep> forward, backward;
};

/// The ring of one attention of one microbatch; a ring without hops where no ranks share the attention.
ContextRing contextRing(const Layout& layout, const TensorShare& share, const Link& link, const DevicePreset& device);

}  // namespace shardlab::predict
