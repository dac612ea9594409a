// SPDX-License-Identifier: Apache-2.0
// The kinds of actions: one table, a row a kind. Code that treats kinds differently asks the table, or has a table of
// its own (ActionTable) whose rows the compiler counts.
#pragma once

#include "engine/layout/kind_table.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shardlab::layout {

/// Values are part of the run file's format, inside ActionId: append before Count, never reorder.
enum class ActionKind : std::uint8_t {
    None,
    Forward,
    Backward,  ///< input and weight gradient together
    InputGrad,
    WeightGrad,
    Recompute,
    SendForward,       ///< the output of 2F0 goes to stage 3
    RecvForward,       ///< the input of 3F0 comes from stage 2
    SendBackward,      ///< the input gradient of stage 3 goes to stage 2
    RecvBackward,      ///< the output gradient of stage 2 comes from stage 3
    ReduceGradients,   ///< the stage's gradients are averaged over the replicas
    ReduceTied,        ///< the tied embedding's gradient is summed over first and last stage; one action a rank
    ReduceNorm,        ///< squared gradient norms are summed over the replica's ranks, for clipping; one action a rank
    OptimizerStep,     ///< the stage's weights are updated; in 2STEP@v3, v3 is the version that it makes
    ReduceBuckets,     ///< gradients are averaged bucket by bucket, as 2B7 (or 2W7), the last one, makes them final
    ScatterGradients,  ///< each replica gets the sum of its shard of what 2B7 (or 2W7) makes (ZeRO)
    GatherForward,     ///< parameters are gathered layer by layer, before 2F7 uses them (ZeRO 3)
    GatherBackward,    ///< parameters are gathered layer by layer, before 2B7 (or 2I7) uses them (ZeRO 3)
    GatherUpdated,     ///< after 2STEP every replica gets the shards that the others updated (ZeRO 1, 2)
    StashWeights,      ///< a copy of the current weights is kept as version 2
    FreeWeights,       ///< the kept version 0 is dropped
    PushGradients,     ///< the stage's gradients go to the parameter server (layout/exchange.h)
    PullWeights,       ///< the updated weights come from the server, or out of shared memory
    ExchangeElastic,   ///< the replica whose turn it is and the centre pull each other
    OffloadGradients,  ///< the gradients that 2STEP waits for go to the host, where the optimizer is (memory.offload)
    ReloadWeights,     ///< the weights that 2STEP updated on the host come back
    SwapOut,           ///< what 2F7 left for its backward goes to the host (memory.swap)
    SwapIn,            ///< what 2F7 left comes back; 2B7 (or 2I7) waits for it
    SwapFree,          ///< the device memory of what 2F7 left is given back, once the copy is on the host
    ReduceParts,       ///< copies sum what 2SCATTER_GRAD7, the last one, left of each rank's part (HSDP)
    FetchForward,      ///< weights come from the host layer by layer, before 2F7 uses or 2GATHER_F7 gathers them
    FetchBackward,     ///< weights come from the host layer by layer, before 2B7 (or 2I7) uses them
    Count,             ///< the number of kinds; no kind itself
};
inline constexpr std::size_t actionKindCount = kindCount<ActionKind>;

/// How an action is carried out. Simulator, executor and colours go by this, so that a new kind of a known sort needs
/// nothing there.
enum class ActionWork : std::uint8_t {
    None,
    Compute,         ///< the rank computes: F, B, I, W, R
    Send,            ///< a message leaves for the neighbouring stage
    Receive,         ///< a message from the neighbouring stage is asked for
    Reduction,       ///< ranks meet, and none of them computes meanwhile
    ServerExchange,  ///< the rank exchanges with a server, a centre or shared memory, and does not compute meanwhile
    DataPieces,      ///< pieces go over the data axis, or come from the host, beside the stage's next compute action
    Update,          ///< the optimizer updates weights
    WeightVersion,   ///< a version of the weights is kept or dropped
    HostCopy,        ///< a copy between device and host goes beside what the rank computes
    HostRelease,     ///< device memory is given back once its copy is on the host
};

enum class Direction : std::uint8_t { None, Forward, Backward, ToHost, FromHost };

enum class Versioned : std::uint8_t { Never, Possibly, Always };

struct ActionTraits {
    std::string_view text;   ///< in the text form of an action: "SEND_F" in 2SEND_F0
    std::string_view title;  ///< what its events are called
    ActionWork work = ActionWork::None;
    bool ofMicrobatch = false;  ///< an action of this kind names a microbatch
    Versioned versioned = Versioned::Never;
    Direction direction = Direction::None;
};

/// A value for each kind of action.
template <class T>
using ActionTable = KindTable<ActionKind, T>;

inline constexpr ActionTable<ActionTraits> actionTraits({
    {ActionKind::None, {"NONE", "none"}},
    {ActionKind::Forward, {"F", "forward", ActionWork::Compute, true, Versioned::Possibly, Direction::Forward}},
    {ActionKind::Backward, {"B", "backward", ActionWork::Compute, true, Versioned::Possibly, Direction::Backward}},
    {ActionKind::InputGrad,
     {"I", "input gradient", ActionWork::Compute, true, Versioned::Possibly, Direction::Backward}},
    {ActionKind::WeightGrad,
     {"W", "weight gradient", ActionWork::Compute, true, Versioned::Possibly, Direction::Backward}},
    {ActionKind::Recompute, {"R", "recompute", ActionWork::Compute, true, Versioned::Possibly, Direction::Forward}},
    {ActionKind::SendForward, {"SEND_F", "send forward", ActionWork::Send, true, Versioned::Never, Direction::Forward}},
    {ActionKind::RecvForward,
     {"RECV_F", "receive forward", ActionWork::Receive, true, Versioned::Never, Direction::Forward}},
    {ActionKind::SendBackward,
     {"SEND_B", "send backward", ActionWork::Send, true, Versioned::Never, Direction::Backward}},
    {ActionKind::RecvBackward,
     {"RECV_B", "receive backward", ActionWork::Receive, true, Versioned::Never, Direction::Backward}},
    {ActionKind::ReduceGradients,
     {"REDUCE_GRAD", "reduce gradients", ActionWork::Reduction, false, Versioned::Possibly}},
    {ActionKind::ReduceTied, {"REDUCE_TIED", "reduce tied embedding", ActionWork::Reduction}},
    {ActionKind::ReduceNorm, {"REDUCE_NORM", "reduce norm", ActionWork::Reduction}},
    {ActionKind::OptimizerStep, {"STEP", "optimizer", ActionWork::Update, false, Versioned::Possibly}},
    {ActionKind::ReduceBuckets, {"REDUCE_BUCKETS", "reduce bucket", ActionWork::DataPieces, true}},
    {ActionKind::ScatterGradients, {"SCATTER_GRAD", "scatter gradients", ActionWork::DataPieces, true}},
    {ActionKind::GatherForward, {"GATHER_F", "gather parameters", ActionWork::DataPieces, true}},
    {ActionKind::GatherBackward, {"GATHER_B", "gather parameters", ActionWork::DataPieces, true}},
    {ActionKind::GatherUpdated, {"GATHER_PARAM", "gather parameters", ActionWork::DataPieces}},
    {ActionKind::StashWeights, {"STASH", "stash weights", ActionWork::WeightVersion, false, Versioned::Always}},
    {ActionKind::FreeWeights, {"FREE", "free weights", ActionWork::WeightVersion, false, Versioned::Always}},
    {ActionKind::PushGradients, {"PUSH_GRAD", "push gradients", ActionWork::ServerExchange}},
    {ActionKind::PullWeights, {"PULL_PARAM", "pull weights", ActionWork::ServerExchange}},
    {ActionKind::ExchangeElastic, {"EXCHANGE", "elastic exchange", ActionWork::ServerExchange}},
    {ActionKind::OffloadGradients,
     {"OFFLOAD_GRAD", "offload gradients", ActionWork::HostCopy, false, Versioned::Never, Direction::ToHost}},
    {ActionKind::ReloadWeights,
     {"RELOAD_PARAM", "reload weights", ActionWork::HostCopy, false, Versioned::Never, Direction::FromHost}},
    {ActionKind::SwapOut, {"SWAP_OUT", "swap out", ActionWork::HostCopy, true, Versioned::Never, Direction::ToHost}},
    {ActionKind::SwapIn, {"SWAP_IN", "swap in", ActionWork::HostCopy, true, Versioned::Never, Direction::FromHost}},
    {ActionKind::SwapFree, {"SWAP_FREE", "swap free", ActionWork::HostRelease, true}},
    {ActionKind::ReduceParts, {"REDUCE_PARTS", "reduce between copies", ActionWork::DataPieces, true}},
    {ActionKind::FetchForward,
     {"FETCH_F", "fetch weights", ActionWork::DataPieces, true, Versioned::Never, Direction::FromHost}},
    {ActionKind::FetchBackward,
     {"FETCH_B", "fetch weights", ActionWork::DataPieces, true, Versioned::Never, Direction::FromHost}},
});

constexpr ActionWork workOf(ActionKind kind) { return actionTraits[kind].work; }
/// Whether an action of this kind names a microbatch.
constexpr bool belongsToMicrobatch(ActionKind kind) { return actionTraits[kind].ofMicrobatch; }
constexpr bool isCompute(ActionKind kind) { return workOf(kind) == ActionWork::Compute; }
/// B or I, which give the stage below its gradient.
constexpr bool givesInputGrad(ActionKind kind) { return kind == ActionKind::Backward || kind == ActionKind::InputGrad; }
/// B or W, the last that a stage computes of a microbatch.
constexpr bool endsMicrobatch(ActionKind kind) {
    return kind == ActionKind::Backward || kind == ActionKind::WeightGrad;
}
constexpr bool isSend(ActionKind kind) { return workOf(kind) == ActionWork::Send; }
constexpr bool isReceive(ActionKind kind) { return workOf(kind) == ActionWork::Receive; }
constexpr bool isMessage(ActionKind kind) { return isSend(kind) || isReceive(kind); }
constexpr bool isBesideCompute(ActionKind kind) { return workOf(kind) == ActionWork::DataPieces; }
constexpr bool isServerExchange(ActionKind kind) { return workOf(kind) == ActionWork::ServerExchange; }
/// Whether pieces of weights come from the host (memory.offload).
constexpr bool fetchesWeights(ActionKind kind) {
    return isBesideCompute(kind) && actionTraits[kind].direction == Direction::FromHost;
}
/// Whether pieces of weights come from other replicas before a compute action reads them (ZeRO 3).
constexpr bool gathersWeights(ActionKind kind) {
    return kind == ActionKind::GatherForward || kind == ActionKind::GatherBackward;
}
constexpr bool isHostCopy(ActionKind kind) { return workOf(kind) == ActionWork::HostCopy || fetchesWeights(kind); }
constexpr bool goesToHost(ActionKind kind) { return actionTraits[kind].direction == Direction::ToHost; }
/// Whether an action of this kind concerns a microbatch's activations that lie on the host for a while.
constexpr bool isSwap(ActionKind kind) {
    return belongsToMicrobatch(kind) &&
           (workOf(kind) == ActionWork::HostCopy || workOf(kind) == ActionWork::HostRelease);
}

}  // namespace shardlab::layout
