// SPDX-License-Identifier: Apache-2.0
// The event: what happened, or is predicted to happen, on one lane of one rank.
#pragma once

#include "engine/base/memory_category.h"
#include "engine/layout/schedule/action.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace shardlab::trace {

enum class Lane : std::uint8_t { Compute, Comm, Copy, Host };
inline constexpr int laneCount = 4;
std::string_view name(Lane lane);
/// The inverse of name(); none where no lane has the name.
std::optional<Lane> laneNamed(std::string_view text);

/// Values are part of the run file's format: append, never renumber.
enum class EventKind : std::uint8_t {
    None = 0,
    // Spans: those of an action carry its id.
    Forward = 1,
    Backward = 2,
    InputGrad = 3,
    WeightGrad = 4,
    Recompute = 5,
    SendForward = 6,
    RecvForward = 7,  ///< comm lane: from the post to the arrival
    SendBackward = 8,
    RecvBackward = 9,
    ReduceGradients = 10,
    ReduceTied = 11,
    Optimizer = 12,
    Wait = 13,  ///< compute lane idle until the message of `action` (a receive) arrives, or all members reach it (a
                ///< reduction)
    Step = 14,  ///< host lane: one per rank and step; value 1: its program recorded none of its other spans
    Validation = 15,  ///< host lane: one forward-only pass
    Setup = 16,       ///< host lane: from the rank's start to its first step
    ReduceNorm = 17,
    Snapshot = 18,         ///< host lane: the training state is copied for a checkpoint; bytes of this rank's part
    CheckpointWrite = 19,  ///< copy lane: a checkpoint's part goes to disk while training goes on
    // Comm lane, beside compute over the data axis; `value`: which piece of the action, from 0.
    ReduceBuckets = 20,
    ScatterGradients = 21,
    GatherParameters = 22,
    RingHop = 23,  ///< one step of a ring, in place of the collective: a part to the next member, one from the last
    StashWeights = 24,  ///< compute lane: a copy of the current weights is kept as a version; bytes of the copy
    FreeWeights = 25,   ///< compute lane, no time: a kept version is dropped; its bytes
    // All-to-alls of an expert group inside a compute action, comm lane: rows of tokens, or their gradients, to the
    // ranks of their experts, and back. They carry the action's id, the bytes of the whole buffer, and as value the
    // layer.
    DispatchTokens = 26,
    CombineTokens = 27,
    // Collectives of a tensor group inside a compute action or an update, comm lane; they carry the action's id, the
    // bytes of the whole buffer, and as value the layer: its number or one of base/layer_number.h.
    TensorAllReduce = 28,
    TensorReduceScatter = 29,
    TensorAllGather = 30,
    KeyValueHop =
        31,  ///< one step of a context group's ring inside a compute action, behind which the action computes: keys and
             ///< values, or their gradients, to the next member and from the last; bytes of one way, value: the layer
    // Counters: `value`, at `begin`.
    Loss = 32,  ///< mean over the step's tokens, nats; from the last stage of data rank 0
    ValidationLoss = 33,
    GradientNorm = 34,
    LearningRate = 35,
    TokensPerSecond = 36,
    HiddenComm = 37,   ///< value: seconds of a step's data-axis communication, and of copies to the host, behind which
                       ///< the rank computed
    ExposedComm = 38,  ///< value: seconds that the rank waited for it
    WeightVersions = 39,     ///< weight versions that the rank's stages hold, the current ones included
    MemoryUsed = 40,         ///< + MemoryCategory: bytes in use now (bytes field); 40–45
    LossScale = 46,          ///< what the step's loss was multiplied by
    GradientExponents = 47,  ///< one bin of the histogram of a rank's gradients: exponents.h
    MemoryPeak = 48,         ///< bytes: largest sum so far in this step
    PaceOverrun = 49,        ///< value: seconds the real work took longer than the modelled device
    CategoryPeak =
        50,  ///< + MemoryCategory: largest bytes of the step, where they changed since the step before; 50–55
    LargestFree = 56,  ///< bytes: largest block that a rank's arena has free at the step's end, where that changed;
                       ///< value: bytes of all free ones
    HostMemory = 57,   ///< bytes: most that a step held on the host for the rank, of the MemoryCategory that is the
                       ///< value; where it changed
    // A step has these for each expert of each layer on each rank that counts; bytes: the expert, as expertNumber()
    // says.
    ExpertLoad = 58,     ///< value: tokens that chose the expert, including those without a place
    ExpertDropped = 59,  ///< value: tokens without a place; only where there are any
    Staleness = 60,  ///< a server or shared memory is updated; value: updates between the read of the weights and the
                     ///< use of their gradient; bytes: the worker's replica
    ElasticDistance =
        61,  ///< ‖W − W̄‖ of the replica that exchanged in the step, before it did; from its rank, its part of the model
    OverwrittenUpdates = 62,  ///< a Hogwild worker updates; value: elements in which it overwrote another's
                              ///< update; bytes: elements that it wrote
    PackedActivations = 63,   ///< bytes: what the forwards of a step on a rank kept of maps in codes or fewer bits;
                              ///< value: bytes of the same maps as they were
    // Instants.
    Command = 64,  ///< value: the Command; bytes: the replicas that Resize asks for, or the fault that InjectFault asks
                   ///< for, which then befalls the event's rank
    Fault = 65,
    Overflow = 67,  ///< the first gradient of the step that is not finite: the action's, value: the layer, or one of
                    ///< base/layer_number.h
    Dropped = 66,   ///< value: number of events lost before this one
    Restart =
        68,  ///< rank -1, the launcher: on from a checkpoint (restarts.h); step: the first done again, value: which
             ///< restart, from 1, 0: none failed, another size was asked for; bytes: ranks from then on, 0: all
    InjectedFault = 69,  ///< on purpose: bytes: the InjectedFaultKind, value: by how much computing is slowed down from
                         ///< here on, or 1
    // Spans of an exchange with a server, or with shared memory, comm lane; `value` where one message is meant: the
    // worker's replica.
    PushGradients = 72,
    PullWeights = 73,
    ExchangeElastic = 74,
    // Spans of the copy lane, between a device and its host; bytes of the copy. Where the optimizer lies there
    // (memory.offload):
    OffloadGradients = 75,
    ReloadWeights = 76,
    // Where activations lie there between forward and backward (memory.swap):
    SwapOut = 77,
    SwapIn = 78,
    /// Weights that lie there come layer by layer, before they are used or gathered (memory.offload): `value` is the
    /// piece's, as GatherParameters'.
    FetchWeights = 79,
    /// Comm lane, beside compute: copies sum a rank's part of a piece; bytes of the part, `value` as ScatterGradients'.
    ReduceParts = 80,
    /// Like KeyValueHop, an all-to-all of a context group for which the action waits: all heads of some tokens
    /// for all tokens of some heads, or back; bytes of the whole buffer, value: the layer.
    ExchangeHeads = 81,
    /// Like ExchangeHeads, an all-gather: what the members of a context group have to know of each other's tokens
    /// before experts with a limit of places get theirs.
    GatherChoices = 82,
    // What other programs recorded; `action` is then the number of a name (namedId).
    Kernel = 96,  ///< compute lane: work of a device, or the outermost operation of a thread where there is no device
    Collective = 97,   ///< comm lane
    MemoryCopy = 98,   ///< copy lane: copies and fills; bytes
    Operation = 99,    ///< host lane: a call, or what happens within one; they nest
    Annotation = 100,  ///< host lane: a stretch that the program gave a name
    NamedCounter = 112,
    // Counters of products in 8 bits; bytes: which factor of which linear layer, as fp8Number() says.
    Fp8Scale = 113,      ///< value: the smallest scale that rounded it in the step; once for each factor and step
    Fp8Saturated = 114,  ///< value: numbers larger than the format's largest, rounded by the action, a forward (inputs
                         ///< and weights) or a backward (gradients)
    Fp8Flushed = 115,    ///< value: numbers that became 0 as the action rounded them
    PredictionLoss = 116,  ///< mean of the losses of the modules that predict further tokens, each a mean over the
                           ///< step's tokens, nats; beside Loss, of which it is no part
    // Where experts choose their tokens, for each layer with experts; bytes: the layer, as expertNumber() says of its
    // expert 0.
    UntakenTokens = 117,     ///< value: tokens of the step that no expert took
    ExpertsOfToken = 118,    ///< value: the most experts that took one token
    AssignmentRounds = 119,  ///< value: the most rounds that the assignment of a sample's tokens took
    Mark = 120,              ///< an instant
    Epochs = 121,            ///< value: how often the training part of the data has been gone through as the step ends
    Samples = 122,  ///< value: samples that the run has trained on as the step ends, those done twice counted once
    ReplicasThatDiffer = 123,  ///< value: replicas whose weights of this rank's stages differ in any bit from those of
                               ///< the first one, which tells; before a checkpoint, and when training ends
};

/// The kind of event that an action of each kind leaves.
inline constexpr ActionTable<EventKind> actionEvents({
    {ActionKind::None, EventKind::None},
    {ActionKind::Forward, EventKind::Forward},
    {ActionKind::Backward, EventKind::Backward},
    {ActionKind::InputGrad, EventKind::InputGrad},
    {ActionKind::WeightGrad, EventKind::WeightGrad},
    {ActionKind::Recompute, EventKind::Recompute},
    {ActionKind::SendForward, EventKind::SendForward},
    {ActionKind::RecvForward, EventKind::RecvForward},
    {ActionKind::SendBackward, EventKind::SendBackward},
    {ActionKind::RecvBackward, EventKind::RecvBackward},
    {ActionKind::ReduceGradients, EventKind::ReduceGradients},
    {ActionKind::ReduceTied, EventKind::ReduceTied},
    {ActionKind::ReduceNorm, EventKind::ReduceNorm},
    {ActionKind::OptimizerStep, EventKind::Optimizer},
    {ActionKind::ReduceBuckets, EventKind::ReduceBuckets},
    {ActionKind::ScatterGradients, EventKind::ScatterGradients},
    {ActionKind::GatherForward, EventKind::GatherParameters},
    {ActionKind::GatherBackward, EventKind::GatherParameters},
    {ActionKind::GatherUpdated, EventKind::GatherParameters},
    {ActionKind::StashWeights, EventKind::StashWeights},
    {ActionKind::FreeWeights, EventKind::FreeWeights},
    {ActionKind::PushGradients, EventKind::PushGradients},
    {ActionKind::PullWeights, EventKind::PullWeights},
    {ActionKind::ExchangeElastic, EventKind::ExchangeElastic},
    {ActionKind::OffloadGradients, EventKind::OffloadGradients},
    {ActionKind::ReloadWeights, EventKind::ReloadWeights},
    {ActionKind::SwapOut, EventKind::SwapOut},
    {ActionKind::SwapIn, EventKind::SwapIn},
    {ActionKind::SwapFree, EventKind::None},  // the wait carries SWAP_OUT
    {ActionKind::ReduceParts, EventKind::ReduceParts},
    {ActionKind::FetchForward, EventKind::FetchWeights},
    {ActionKind::FetchBackward, EventKind::FetchWeights},
});
constexpr EventKind eventKind(ActionKind kind) { return actionEvents[kind]; }

inline constexpr std::array<ActionKind, 256> firstActionOfEvent = [] {
    std::array<ActionKind, 256> actions{};
    for (std::size_t i = actionKindCount; i-- > 1;)
        actions[static_cast<std::size_t>(actionEvents[static_cast<ActionKind>(i)])] = static_cast<ActionKind>(i);
    actions[static_cast<std::size_t>(EventKind::None)] = ActionKind::None;
    return actions;
}();
/// The first kind of action that leaves events of this kind; None where no action does.
constexpr ActionKind actionOf(EventKind kind) { return firstActionOfEvent[static_cast<std::size_t>(kind)]; }

constexpr bool isSend(EventKind kind) { return isSend(actionOf(kind)); }
constexpr bool isServerExchange(EventKind kind) { return isServerExchange(actionOf(kind)); }
constexpr bool isHostCopy(EventKind kind) { return isHostCopy(actionOf(kind)); }
constexpr bool isSpan(EventKind kind) {
    return (kind >= EventKind::Forward && kind < EventKind::Loss) || actionOf(kind) != ActionKind::None ||
           kind == EventKind::ExchangeHeads || kind == EventKind::GatherChoices ||
           (kind >= EventKind::Kernel && kind <= EventKind::Annotation);
}
constexpr bool isCounter(EventKind kind) {
    return (kind >= EventKind::Loss && kind < EventKind::Command) ||
           (kind >= EventKind::NamedCounter && kind < EventKind::Mark) ||
           (kind > EventKind::Mark && kind <= EventKind::ReplicasThatDiffer);
}
/// Spans that keep the compute lane busy: F, B, I, W, kernels. A recomputation lies within a B or I and carries its id.
constexpr bool isCompute(EventKind kind) {
    return (kind >= EventKind::Forward && kind < EventKind::Recompute) || kind == EventKind::Kernel;
}
/// Collectives inside an action, which carry its id.
constexpr bool isTensorCollective(EventKind kind) {
    return kind >= EventKind::TensorAllReduce && kind <= EventKind::TensorAllGather;
}
/// The all-to-alls of an expert group inside an action, which carry its id.
constexpr bool isExpertExchange(EventKind kind) {
    return kind == EventKind::DispatchTokens || kind == EventKind::CombineTokens;
}
/// What a context group sends of the heads that a member of a tensor group has, inside an action.
constexpr bool isOfHeads(EventKind kind) { return kind == EventKind::ExchangeHeads || kind == EventKind::KeyValueHop; }
/// Communication inside an action that carries its id, and until whose end the action computes nothing.
constexpr bool holdsUpAction(EventKind kind) {
    return isTensorCollective(kind) || isExpertExchange(kind) || kind == EventKind::ExchangeHeads ||
           kind == EventKind::GatherChoices;
}
/// All communication inside an action that carries its id.
constexpr bool isInsideAction(EventKind kind) { return holdsUpAction(kind) || kind == EventKind::KeyValueHop; }
constexpr EventKind memoryKind(MemoryCategory category) {
    return static_cast<EventKind>(static_cast<int>(EventKind::MemoryUsed) + static_cast<int>(category));
}
constexpr EventKind peakKind(MemoryCategory category) {
    return static_cast<EventKind>(static_cast<int>(EventKind::CategoryPeak) + static_cast<int>(category));
}
/// The inverse of memoryKind and of peakKind; none where `kind` is no such counter.
constexpr std::optional<MemoryCategory> memoryCategory(EventKind kind, EventKind first) {
    const int category = static_cast<int>(kind) - static_cast<int>(first);
    if (category < 0 || category >= memoryCategoryCount) return std::nullopt;
    return static_cast<MemoryCategory>(category);
}
/// The category of a counter of memory, between actions (memoryKind) or within them (peakKind): a run may have the
/// first alone.
constexpr std::optional<MemoryCategory> memoryCategory(EventKind kind) {
    const auto used = memoryCategory(kind, EventKind::MemoryUsed);
    return used ? used : memoryCategory(kind, EventKind::CategoryPeak);
}
/// A counter whose `bytes` are what it counts; all others count in `value`.
constexpr bool countsBytes(EventKind kind) {
    return kind == EventKind::MemoryPeak || kind == EventKind::HostMemory || kind == EventKind::LargestFree ||
           memoryCategory(kind).has_value();
}
/// "forward", "send forward", "loss" …
std::string_view name(EventKind kind);

/// In place of an action: the number, from 1, of a name in the run's table of names. No action has such an id.
constexpr ActionId namedId(std::uint32_t name) { return 0x3F | static_cast<ActionId>(name) << 6; }
/// The number of the name; 0 where the id belongs to an action, or to nothing.
constexpr std::uint32_t nameNumber(ActionId id) {
    return (id & 0x3F) == 0x3F ? static_cast<std::uint32_t>(id >> 6) : 0;
}

/// Times are nanoseconds of the run's clock, which starts when the job does.
struct Event {
    std::int64_t begin = 0;
    std::int64_t end = 0;    ///< = begin for counters and instants
    std::int64_t bytes = 0;  ///< moved or held
    double value = 0;
    ActionId action = 0;     ///< joins a measured span to the predicted one; or a name (namedId)
    std::int32_t step = -1;  ///< -1 outside steps
    std::int16_t rank = 0;
    Lane lane = Lane::Compute;
    EventKind kind = EventKind::None;
    bool operator==(const Event&) const = default;
};

/// What a person may ask of a running job; recorded as an event, so replayed too.
enum class Command : std::uint8_t { None, Pause, Resume, StepOnce, Stop, Checkpoint, Resize, InjectFault };
std::string_view name(Command command);

enum class LogLevel : std::uint8_t { Info, Warning, Error };

/// Bytes of a log line's text, or of an event's name, that are sent; the rest of a longer one is cut off.
inline constexpr std::size_t largestLogText = std::size_t{1} << 16;

struct LogLine {
    std::int64_t time = 0;  ///< nanoseconds of the run's clock
    int rank = -1;          ///< -1: the launcher
    LogLevel level = LogLevel::Info;
    std::string text;
};

}  // namespace shardlab::trace
