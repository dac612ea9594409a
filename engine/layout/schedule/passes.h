// SPDX-License-Identifier: Apache-2.0
// Named passes that lower a compute-only schedule to what the executor interprets. Each is a pure function.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/schedule/schedule.h"

namespace shardlab {

/// Inserts send and receive. The sender places the peer's receive at the same moment of a common simulated clock, so
/// the messages have one order over all ranks: no deadlock even where every send and receive blocks (rendezvous).
Schedule addTransfers(Schedule compute);
/// After the last backward of each stage, and after what it sends: average over the data axis.
Schedule addGradientReduce(Schedule schedule);
/// Instead of addGradientReduce: before the last backward of each stage its buckets are announced, each of which is
/// averaged as soon as that backward has made it final.
Schedule addBucketReduce(Schedule schedule);
/// ZeRO 1: before the last backward of each stage, ZeRO 2 and 3: before each one, its gradients are announced to be
/// summed into the shards of those who own them.
Schedule addGradientScatter(Schedule schedule, bool everyMicrobatch);
/// ZeRO 3: before each forward, and each backward that reads weights, they are gathered layer by layer.
Schedule addParameterGather(Schedule schedule);
/// ZeRO 1 and 2: after each update the shards are gathered.
Schedule addUpdateGather(Schedule schedule);
/// First and last stage sum the gradient of the embedding they share. Where one rank holds both, it has one such
/// action, the first stage's, and sums the two without a message. At the end of both lists: earlier, a rank with
/// several stages would wait there while others wait for it.
Schedule addTiedReduce(Schedule schedule);
/// Before the optimizer step: the ranks of the pipeline sum their squared gradient norms (for clipping).
Schedule addNormReduce(Schedule schedule);
/// Of a schedule with weight versions: each update, in the list of its stage after the backward that completes its
/// gradient and what that sends. Where `dataParallel`, the average over the data axis; then the version that no
/// microbatch needs any more is freed, the current weights are stashed, and the optimizer's step makes the next
/// version. The fill stashes the initial weights, so that every version is there from the start.
Schedule addVersionedUpdates(Schedule schedule, bool dataParallel);
/// Last of all: one optimizer step per stage.
Schedule addOptimizerStep(Schedule schedule);

/// Instead of addGradientReduce: gradients are pushed to the server.
Schedule addGradientPush(Schedule schedule);
/// Last of all, after every update: the weights come back from it, or out of shared memory.
Schedule addWeightPull(Schedule schedule);

/// Before the optimizer's steps, one a rank: the replica whose turn it is and the centre pull each other.
Schedule addElasticExchange(Schedule schedule);

/// With an optimizer on the host: as soon as a stage's gradients are what it is updated with, after all that reduces
/// them, they go there; where what is beside compute reduces them, once that is over.
Schedule addGradientOffload(Schedule schedule);
/// After each update its weights come back.
Schedule addWeightReload(Schedule schedule);

/// With activations on the host: what a forward leaves goes there directly after it, behind the next compute action,
/// after which its place on the device is free; and comes back before the compute action that precedes its backward,
/// where at least two lie between them on their rank.
Schedule addActivationSwap(Schedule schedule);

struct LowerOptions {
    bool dataParallel = false;   ///< data > 1
    bool tiedEmbedding = false;  ///< first and last stage share the token embedding (models whose output is tied)
    bool norm = false;           ///< of the whole gradient is wanted: it is clipped, or its loss was scaled
    bool buckets = false;        ///< gradients are reduced while the backward goes on
    int zero = 0;                ///< what data replicas share out
    bool server = false;         ///< gradients go to a server, which updates and sends the weights back
    bool shared = false;   ///< after each update the weights are read out of shared memory; no gradients are reduced
    bool elastic = false;  ///< replicas and a centre pull each other; no gradients are reduced
    bool offload = false;  ///< the optimizer and its state are on the host
    bool swap = false;     ///< activations that are unused for a while are
};
LowerOptions lowerOptions(const Layout& layout);
/// All passes in their order.
Schedule lower(Schedule compute, const LowerOptions& options);
/// Those after addTransfers().
Schedule lowerTransfers(Schedule transferred, const LowerOptions& options);

/// Forwards, and their messages, of microbatches numbered `end` and above are left out: how the last steps of a run end
/// where nothing follows them. Of a schedule that does not flush.
Schedule withoutMicrobatchesFrom(Schedule schedule, int end);

/// What a run of `steps` steps does, as one step that flushes at its end: fill, steps, drain; microbatches and versions
/// numbered through. `borders[rank][k]` is where step k begins in the rank's list, k = 0 … steps.
struct Unrolled {
    Schedule schedule;
    std::vector<std::vector<std::size_t>> borders;
};
Unrolled unrolled(const Schedule& schedule, int steps);
/// The action of a step's list that became `action` in step `step` of an unrolled run.
Action inStep(Action action, const Schedule& schedule, int step);

/// Forward only, for validation: the forwards of `compute`'s stages, microbatch after microbatch, with
/// their transfers: ready to be executed. `gathers`: ZeRO 3.
Schedule forwardOnly(const Schedule& compute, int microbatches, bool gathers = false);

}  // namespace shardlab
