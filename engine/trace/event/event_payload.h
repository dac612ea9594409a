// SPDX-License-Identifier: Apache-2.0
// What an event's fields `bytes` and `value` hold where they are neither bytes nor a measurement. Each function says
// for which kinds it holds. An event may come from a damaged file: a number that cannot be is answered, never
// undefined.
#pragma once

#include "engine/layout/injected_fault.h"
#include "engine/trace/event/event.h"
#include "engine/trace/event/experts.h"

#include <cstdint>
#include <limits>
#include <optional>

namespace shardlab::trace {

/// The whole part of `value`, at the nearest end of the range where it lies beyond; 0 where it is no number.
constexpr int wholeOf(double value) {
    constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
    if (value >= most) return most;
    if (value <= least) return least;
    return value == value ? static_cast<int>(value) : 0;
}

/// Command: what was asked for; none where the value is no command's number.
constexpr std::optional<Command> commandOf(const Event& event) {
    if (!(event.value >= 0 && event.value < 256)) return std::nullopt;
    return static_cast<Command>(event.value);
}
/// Command Resize: the number of replicas that was asked for.
constexpr std::int64_t replicasAsked(const Event& event) { return event.bytes; }
/// Command InjectFault, where the event's rank is the one it befalls, and InjectedFault; none where it is no fault.
constexpr std::optional<InjectedFaultKind> faultOf(const Event& event) {
    if (event.bytes < 0 || event.bytes > static_cast<int>(InjectedFaultKind::Slow)) return std::nullopt;
    return static_cast<InjectedFaultKind>(event.bytes);
}

/// Exchanges inside an action (isInsideAction) and Overflow: a layer's number, or one of base/layer_number.h.
constexpr int layerOf(const Event& event) { return wholeOf(event.value); }
/// ReduceBuckets, ScatterGradients, ReduceParts, GatherParameters, FetchWeights: which piece of the action, from 0.
constexpr int pieceOf(const Event& event) { return wholeOf(event.value); }
/// PushGradients, PullWeights, ExchangeElastic: the worker's replica, where one message is meant; else 0.
constexpr int workerOf(const Event& event) { return wholeOf(event.value); }

/// Staleness: the replica whose gradient was used.
constexpr std::int64_t staleReplica(const Event& event) { return event.bytes; }
/// Staleness: how many updates happened between the read of the weights and the use of the gradient.
constexpr double updatesLate(const Event& event) { return event.value; }
/// OverwrittenUpdates: the elements that the update wrote.
constexpr std::int64_t elementsWritten(const Event& event) { return event.bytes; }
/// OverwrittenUpdates: the elements of them in which it overwrote another's update.
constexpr double elementsOverwritten(const Event& event) { return event.value; }

/// ExpertLoad, ExpertDropped: the expert whose tokens are counted. UntakenTokens, ExpertsOfToken, AssignmentRounds: the
/// layer.
constexpr ExpertOfLayer expertOf(const Event& event) { return expertOf(event.bytes); }
/// GradientExponents: the histogram's bin (exponents.h), which a damaged file may have beyond them.
constexpr std::int64_t exponentBin(const Event& event) { return event.bytes; }

/// HostMemory: whose bytes lie on the host; none where the value is no category's number.
constexpr std::optional<MemoryCategory> hostCategory(const Event& event) {
    if (!(event.value >= 0 && event.value < memoryCategoryCount)) return std::nullopt;
    return static_cast<MemoryCategory>(event.value);
}
/// LargestFree: the bytes of all free blocks. PackedActivations: the bytes that the activations took before.
constexpr double bytesInAll(const Event& event) { return event.value; }

/// Step: whether its program recorded none of the step's other spans, so that watching would take less of it.
constexpr bool lacksDetails(const Event& event) { return event.value == 1; }

/// Restart: which one it is, from 1; 0 where nothing failed and another size was asked for.
constexpr int restartNumber(const Event& event) { return wholeOf(event.value); }
/// Restart: how many ranks take part from then on; none: all.
constexpr std::optional<std::int64_t> ranksAfter(const Event& event) {
    return event.bytes > 0 ? std::optional(event.bytes) : std::nullopt;
}
/// Dropped: how many events were lost before this one.
constexpr std::int64_t eventsLost(const Event& event) {
    return event.value > 0 && event.value < 1e15 ? static_cast<std::int64_t>(event.value) : 0;
}

}  // namespace shardlab::trace
