// SPDX-License-Identifier: Apache-2.0
// What one attention of a context group sends (parallel/context.h). c members, each with N = b·s/c tokens and g columns
// of queries, of keys and of values, in a format of f bytes. A ring (ring attention):
//
//   forward   c − 1 hops of keys and values, 2N·g·f; each comes while the rank works on the block before
//   backward  the same again, and c hops of their gradients, 2N·g·4, each begun once a block is done; the last of them
//             takes the gradients home, and nothing is left to compute meanwhile
//
// so that of one layer and microbatch each member sends 2N·g·((c − 1)·2f + 4c) bytes. All of the c blocks are as much
// work: the first is the half below a diagonal of (s/c)², the others are half of the queries with all keys, or all with
// half, and what no query of a block sees is left out. An exchange of tokens for heads (Ulysses):
//
//   forward   an all-to-all of queries, keys and values, 3N·g·f, and one of the output, N·g·f
//   backward  one of the output's gradient, N·g·f, and one of those of queries, keys and values, 3N·g·f
//
// of which each member sends (c − 1)/c: (c − 1)/c·8N·g·f bytes, while nothing is computed. Where experts have a limit
// of places, each forward of a layer with experts has an all-gather of what decides who gets one (choicesBytes), for
// which the rank waits.
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"
#include "engine/trace/event/event.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardlab::predict {

struct ContextStep {
    std::int64_t bytes = 0;  ///< of a hop, or of the whole buffer of an all-to-all
    double seconds = 0;
    double cover = 0;  ///< for how long the rank computes meanwhile
};

/// What goes over the links, in the order in which it ends.
struct ContextTraffic {
    int members = 1;
    EventKind kind = EventKind::KeyValueHop;
    std::vector<ContextStep> forward, backward;
    std::optional<ContextStep> choices;  ///< of a layer with experts, where these have a limit of places
};

/// What one attention of one microbatch exchanges; without steps where no ranks share the attention.
ContextTraffic contextTraffic(const Layout& layout, const TensorShare& share, const Link& link,
                              const DevicePreset& device);

}  // namespace shardlab::predict
