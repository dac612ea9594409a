// SPDX-License-Identifier: Apache-2.0
// The action: one thing a pipeline rank does in a step. The same list of actions is timed by the simulator,
// interpreted by the executor, drawn by the timeline and edited by hand.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace shardlab {

enum class ActionKind : std::uint8_t {
    None,
    Forward,          ///< 2F0
    Backward,         ///< 2B0       input and weight gradient together
    InputGrad,        ///< 2I0
    WeightGrad,       ///< 2W0
    Recompute,        ///< 2R0
    SendForward,      ///< 2SEND_F0  the output of 2F0 goes to stage 3
    RecvForward,      ///< 3RECV_F0  the input of 3F0 comes from stage 2
    SendBackward,     ///< 3SEND_B0  the input gradient of stage 3 goes to stage 2
    RecvBackward,     ///< 2RECV_B0  the output gradient of stage 2 comes from stage 3
    ReduceGradients,  ///< 2REDUCE_GRAD  average of the stage's gradients over the data axis
    ReduceTied,       ///< 0REDUCE_TIED  sum of the tied embedding's gradient over first and last stage; one a rank
    ReduceNorm,       ///< 0REDUCE_NORM  sum of squared gradient norms over the pipeline axis, for clipping; one a rank
    OptimizerStep,    ///< 2STEP; with weight versions 2STEP@v3, where v3 is what it makes
    // Over the data axis, piece by piece and beside the compute action of the same stage that follows:
    ReduceBuckets,  ///< 2REDUCE_BUCKETS7  gradients, bucket by bucket as 2B7 (or 2W7), the last one, makes them final
    ScatterGradients,  ///< 2SCATTER_GRAD7    each replica gets the sum of its shard of what 2B7 (or 2W7) makes (ZeRO)
    GatherForward,     ///< 2GATHER_F7        parameters, layer by layer before 2F7 uses them (ZeRO 3)
    GatherBackward,    ///< 2GATHER_B7        the same before 2B7 (or 2I7)
    GatherUpdated,     ///< 2GATHER_PARAM     after 2STEP: every replica gets the shards the others updated (ZeRO 1, 2)
    // Weight versions:
    StashWeights,  ///< 2STASH@v2  a copy of the current weights is kept as version 2
    FreeWeights,   ///< 2FREE@v0   the kept version 0 is dropped
    // With a server instead of an all-reduce (layout/exchange.h):
    PushGradients,    ///< 2PUSH_GRAD   the stage's gradients go to the server
    PullWeights,      ///< 2PULL_PARAM  the updated weights come from it, or out of shared memory
    ExchangeElastic,  ///< 2EXCHANGE    the replica whose turn it is and the centre pull each other
    // With an optimizer on the host (memory.offload), beside what the rank computes:
    OffloadGradients,  ///< 2OFFLOAD_GRAD  what the stage's replica updates with goes to the host; 2STEP waits for it
    ReloadWeights,     ///< 2RELOAD_PARAM  what 2STEP has updated there comes back
    // With activations on the host between forward and backward (memory.swap), beside it too:
    SwapOut,   ///< 2SWAP_OUT7  what 2F7 left for its backward goes to the host
    SwapIn,    ///< 2SWAP_IN7   it comes back; 2B7 (or 2I7) waits for it
    SwapFree,  ///< 2SWAP_FREE7 between the two: once it is there, its place on the device is given back
};

/// `stage` is the global stage (chunk c of rank r is stage c·p+r unless the schedule folds back).
struct Action {
    ActionKind kind = ActionKind::None;
    int stage = 0;
    int microbatch = -1;  ///< -1 where the action belongs to no microbatch
    int version = -1;     ///< weight version; -1 = the current one. Written "@v1"; numbered as schedule.h says
    bool operator==(const Action&) const = default;
    auto operator<=>(const Action&) const = default;
};

/// F, B, I, W, R.
constexpr bool isCompute(ActionKind kind) { return kind >= ActionKind::Forward && kind <= ActionKind::Recompute; }
constexpr bool isSend(ActionKind kind) { return kind == ActionKind::SendForward || kind == ActionKind::SendBackward; }
/// B or I: what gives the stage below its gradient.
constexpr bool givesInputGrad(ActionKind kind) { return kind == ActionKind::Backward || kind == ActionKind::InputGrad; }
/// B or W: what ends a microbatch's stay in a stage.
constexpr bool endsMicrobatch(ActionKind kind) {
    return kind == ActionKind::Backward || kind == ActionKind::WeightGrad;
}
constexpr bool isReceive(ActionKind kind) {
    return kind == ActionKind::RecvForward || kind == ActionKind::RecvBackward;
}
constexpr bool isMessage(ActionKind kind) { return isSend(kind) || isReceive(kind); }
/// Runs beside compute, over the data axis.
constexpr bool isBesideCompute(ActionKind kind) {
    return kind >= ActionKind::ReduceBuckets && kind <= ActionKind::GatherUpdated;
}
/// Between a device and its host.
constexpr bool isHostCopy(ActionKind kind) {
    return kind >= ActionKind::OffloadGradients && kind <= ActionKind::SwapIn;
}
/// Of a microbatch's activations that lie on the host for a while.
constexpr bool isSwap(ActionKind kind) { return kind >= ActionKind::SwapOut && kind <= ActionKind::SwapFree; }
/// From the device to its host, not back.
constexpr bool goesToHost(ActionKind kind) {
    return kind == ActionKind::OffloadGradients || kind == ActionKind::SwapOut;
}
/// F, B, I, W, R, sends, receives, swaps, and what runs beside a compute action.
constexpr bool belongsToMicrobatch(ActionKind kind) {
    return (kind >= ActionKind::Forward && kind <= ActionKind::RecvBackward) ||
           (isBesideCompute(kind) && kind != ActionKind::GatherUpdated) || isSwap(kind);
}

/// The reversible text form: "3F7", "0B2@v1", "2SEND_F0", "2REDUCE_GRAD", "2STEP", "2STASH@v2".
std::string toText(const Action& action);
Result<Action> parseAction(std::string_view text);

/// The same action packed into an integer, as events carry it; 0 is no action, and an id of an unknown kind becomes
/// none. From the lowest bit: kind 6 bits, stage 16, microbatch + 1 24, version + 1 16.
using ActionId = std::uint64_t;
ActionId actionId(const Action& action);
Action actionFromId(ActionId id);

/// Whether the kind names a weight version: always (STASH, FREE), or where the schedule keeps several.
constexpr bool mayHaveVersion(ActionKind kind) {
    return isCompute(kind) || kind == ActionKind::ReduceGradients || kind == ActionKind::OptimizerStep ||
           kind == ActionKind::StashWeights || kind == ActionKind::FreeWeights;
}

/// The other end of a send or receive: 2SEND_F0 ↔ 3RECV_F0.
Action otherEnd(const Action& sendOrReceive);

/// A message's two ends have the same pair id: direction, the edge's lower stage, microbatch. Used as the message tag.
int pairTag(const Action& sendOrReceive);

}  // namespace shardlab
