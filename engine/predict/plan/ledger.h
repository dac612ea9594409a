// SPDX-License-Identifier: Apache-2.0
// The memory ledger: bytes of every rank by category, predicted from the layout alone. It counts what the training
// engine's arena will allocate, buffer by buffer (stage_buffers.h; a test compares the two).
#pragma once

#include "engine/base/memory_category.h"
#include "engine/layout/layout.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/schedule/schedule.h"

#include <cstdint>
#include <vector>

namespace shardlab::predict {

class StageKinds;

struct RankMemory {
    int rank = 0;
    MemoryBytes bytes{};    ///< each category at its own peak
    std::int64_t peak = 0;  ///< largest sum over the step
    /// Beside all that, in the host's memory: throughout (hostBytes in model_state.h), and the most of what is swapped.
    MemoryBytes host{};
    int microbatchesInFlight = 0;  ///< largest number of stored activations, over the stages of the rank
    int weightVersions = 1;        ///< most versions of its weights that a stage of the rank holds at once
    std::int64_t computing = 0;    ///< largest sum while microbatches are computed
    std::int64_t update = 0;       ///< what reduction and update take in passing beside what is held throughout
    std::int64_t cached = 0;       ///< what nothing needs, and an allocator keeps while there is room; not in peak
};

/// A kept weight version counts as Parameters, from its stash to its free.
/// A message's buffer is counted with its receiver from the post to the end of its use, and with its sender until the
/// compute action that follows the send is done: it is on its way while that runs.
std::vector<RankMemory> memoryLedger(const Layout& layout, const Schedule& lowered, const Mesh& mesh);

/// What a pipeline rank holds throughout, and what comes beside it at the step's end.
struct HeldThroughout {
    MemoryBytes bytes{};
    std::int64_t update = 0;  ///< as in RankMemory
    std::int64_t cached = 0;  ///< as in RankMemory
};
/// The memory of one replica has two halves, with one entry a pipeline rank, which is its `rank`. All replicas are
/// alike; with ZeRO it is the one with the largest shards, which have up to an element more for each unit.
///
/// The first half is what each pipeline rank holds throughout. Only the placement of stages in `lowered` counts.
std::vector<HeldThroughout> replicaHeld(StageKinds& kinds, const Schedule& lowered);
/// The second half is what a pipeline rank's actions add to what it holds, whatever ZeRO and the data axis are.
std::vector<RankMemory> replicaMoves(StageKinds& kinds, const Schedule& lowered);
std::vector<RankMemory> heldAndMoved(const std::vector<HeldThroughout>& held, std::vector<RankMemory> moves);

/// How one pipeline rank's memory goes up and down over its list.
struct MemoryHistory {
    struct Moment {
        MemoryBytes fullest{};  ///< while the action runs, when the sum is largest; RankMemory::peak is the largest of
                                ///< these sums
        MemoryBytes after{};
    };
    MemoryBytes before{};         ///< what is held at the step's begin and end
    std::vector<Moment> actions;  ///< one for each of the rank's actions
    MemoryBytes updating{};       ///< at the step's end, while gradients are reduced and weights updated
};
/// `tensorPart`: the member of the tensor groups, -1 one of those that hold most. `replica`: -1 the one that holds
/// most.
MemoryHistory memoryHistory(const Layout& layout, const Schedule& lowered, int rank, int tensorPart = -1,
                            int replica = -1);

}  // namespace shardlab::predict
