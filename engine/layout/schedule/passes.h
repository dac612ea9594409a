// SPDX-License-Identifier: Apache-2.0
// Passes that lower a compute-only schedule to what the executor interprets. Each pass is a pure function.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/schedule/schedule.h"

namespace shardlab::layout {

/// Adds sends and receives. A send and its receive are placed at the same moment of a common simulated clock, so that
/// all ranks have their messages in one order and no deadlock is possible, even where every send and receive blocks
/// (rendezvous).
Schedule addTransfers(Schedule compute);
/// Adds REDUCE_GRAD: the gradients of a stage are averaged over the data axis after its last backward and what that
/// sends.
Schedule addGradientReduce(Schedule schedule);
/// Adds REDUCE_BUCKETS, in place of addGradientReduce(): the buckets of a stage are announced before its last backward,
/// and each is averaged as soon as that backward has made it final.
Schedule addBucketReduce(Schedule schedule);
/// Adds SCATTER_GRAD (ZeRO): gradients are announced, and each replica then sums those of its shard. They are announced
/// before the last backward of a stage (ZeRO 1), or before each one where `everyMicrobatch` (ZeRO 2 and 3).
Schedule addGradientScatter(Schedule schedule, bool everyMicrobatch);
/// Adds REDUCE_PARTS (HSDP): before the last backward of a stage it is announced that copies then sum each rank's part
/// of the gradients, unit by unit, as soon as it is scattered.
Schedule addCopyReduce(Schedule schedule);
/// Adds GATHER_F and GATHER_B (ZeRO 3): weights are gathered layer by layer for each forward, and for each backward
/// that reads them.
Schedule addParameterGather(Schedule schedule);
/// Adds FETCH_F and FETCH_B, for weights that lie on the host: before a forward or backward reads them, or they are
/// gathered for it, they come layer by layer.
Schedule addParameterFetch(Schedule schedule);
/// Adds GATHER_PARAM (ZeRO 1 and 2): the updated shards are gathered after each update.
Schedule addUpdateGather(Schedule schedule);
/// Adds REDUCE_TIED: the first and the last stage sum the gradient of the embedding that they share. Where one rank
/// holds both, it has one such action, the first stage's, and sums the two without a message. The action comes at the
/// end of both lists; earlier, a rank with several stages would wait there while others wait for it.
Schedule addTiedReduce(Schedule schedule);
/// Adds REDUCE_NORM: the ranks of the pipeline sum their squared gradient norms before the optimizer's step, for
/// clipping.
Schedule addNormReduce(Schedule schedule);
/// Adds the updates of a schedule with weight versions. An update comes after the backward that completes its gradient,
/// and after what that sends: gradients are averaged over the data axis (where `dataParallel`; with `buckets` beside
/// that backward, as addBucketReduce() has it), the version that no microbatch needs any more is freed, the current
/// weights are stashed, and the optimizer's step makes the next version. The fill stashes the initial weights, so that
/// every version is there from the start.
Schedule addVersionedUpdates(Schedule schedule, bool dataParallel, bool buckets);
/// Adds STEP: each stage is updated once, at the end.
Schedule addOptimizerStep(Schedule schedule);

/// Adds PUSH_GRAD, in place of addGradientReduce(): gradients go to the server.
Schedule addGradientPush(Schedule schedule);
/// Adds PULL_PARAM at the end, after every update: the weights come from the server, or out of shared memory.
Schedule addWeightPull(Schedule schedule);

/// Adds EXCHANGE, one a rank before the optimizer's steps: the replica whose turn it is and the centre pull each other.
Schedule addElasticExchange(Schedule schedule);

/// Adds OFFLOAD_GRAD, for an optimizer on the host: the gradients of a stage go there as soon as all reductions have
/// made them final. A copy waits for the reductions that run beside compute.
Schedule addGradientOffload(Schedule schedule);
/// Adds RELOAD_PARAM: the weights come back from the host after each update.
Schedule addWeightReload(Schedule schedule);

/// Adds SWAP_OUT, SWAP_FREE and SWAP_IN, where at least two compute actions of the rank lie between a forward and its
/// backward. What the forward left is copied to the host beside the next compute action, its memory on the device is
/// then given back, and the copy returns beside the compute action that precedes the backward.
Schedule addActivationSwap(Schedule schedule);

struct LowerOptions {
    bool dataParallel = false;   ///< several replicas sum gradients
    bool tiedEmbedding = false;  ///< first and last stage share the token embedding (models whose output is tied)
    bool norm = false;           ///< the gradient's norm is wanted: it is clipped, or the loss was scaled
    bool buckets = false;        ///< gradients are reduced while the backward goes on
    int zero = 0;                ///< the level of ZeRO
    bool copies = false;         ///< several copies of what ZeRO divides (mesh/copies.h)
    bool server = false;         ///< gradients go to a server, which updates and sends the weights back
    bool shared = false;   ///< after each update the weights are read out of shared memory; no gradients are reduced
    bool elastic = false;  ///< replicas and a centre pull each other
    bool offload = false;  ///< the optimizer and its state are on the host
    bool fetch = false;    ///< weights are on the host too, and come when they are read
    bool swap = false;     ///< activations that are unused for a while are on the host
};
LowerOptions lowerOptions(const Layout& layout);
/// Applies all passes in their order.
Schedule lower(Schedule compute, const LowerOptions& options);
/// Applies the passes after addTransfers().
Schedule lowerTransfers(Schedule transferred, const LowerOptions& options);

/// A schedule that does not flush, without the forwards of microbatches numbered `end` and above and without their
/// messages. The last steps of a run, which nothing follows, are lowered so.
Schedule withoutMicrobatchesFrom(Schedule schedule, int end);

/// A run of several steps written as one step that flushes at its end: fill, steps and drain, with microbatches and
/// versions numbered through.
struct Unrolled {
    Schedule schedule;
    /// [rank][k]: where step k begins in the rank's list, k = 0 … steps.
    std::vector<std::vector<std::size_t>> borders;
};
Unrolled unrolled(const Schedule& schedule, int steps);
/// The action of a step's list that became `action` in step `step` of an unrolled run.
Action inStep(Action action, const Schedule& schedule, int step);

/// Adds what brings weights that a rank does not hold on its device before they are read: FETCH_F, FETCH_B, GATHER_F
/// and GATHER_B, as the options say.
Schedule addWeightReads(Schedule schedule, const LowerOptions& options);

/// The forwards of `compute`'s stages, microbatch after microbatch and with their transfers, which the executor runs to
/// validate a model. Weights are brought first, as the options say.
Schedule forwardOnly(const Schedule& compute, int microbatches, const LowerOptions& options = {});

}  // namespace shardlab::layout
