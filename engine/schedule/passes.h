// SPDX-License-Identifier: Apache-2.0
// Named passes that lower a compute-only schedule to what the executor interprets. Each is a pure function.
#pragma once

#include "engine/layout/layout.h"
#include "engine/schedule/schedule.h"

namespace shardlab {

/// Inserts send and receive. The sender places the peer's receive at the same moment of a common simulated clock, so
/// the messages have one order over all ranks: no deadlock even where every send and receive blocks (rendezvous).
Schedule addTransfers(Schedule compute);
/// After the last backward of each stage, and after what it sends: average over the data axis.
Schedule addGradientReduce(Schedule schedule);
/// First and last stage sum the gradient of the embedding they share. Where one rank holds both, it has one such
/// action, the first stage's, and sums the two without a message. At the end of both lists: earlier, a rank with
/// several stages would wait there while others wait for it.
Schedule addTiedReduce(Schedule schedule);
/// Before the optimizer step: the ranks of the pipeline sum their squared gradient norms (for clipping).
Schedule addNormReduce(Schedule schedule);
/// Last of all: one optimizer step per stage.
Schedule addOptimizerStep(Schedule schedule);

struct LowerOptions {
    bool dataParallel = false;    ///< data > 1
    bool tiedEmbedding = false;   ///< first and last stage share the token embedding (models whose output is tied)
    bool clip = false;            ///< optimizer.clip > 0
};
LowerOptions lowerOptions(const Layout& layout);
/// All passes in their order.
Schedule lower(Schedule compute, const LowerOptions& options);

/// Forward only, for validation: the forwards of `compute`'s stages, microbatch after microbatch, with
/// their transfers: ready to be executed.
Schedule forwardOnly(const Schedule& compute, int microbatches);

}  // namespace shardlab
