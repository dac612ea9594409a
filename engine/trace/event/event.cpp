// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event/event.h"

#include "engine/base/most_ranks.h"

#include <array>
#include <limits>

namespace shardlab::trace {

static_assert(mostRanks == std::numeric_limits<decltype(Event::rank)>::max());

std::string_view name(Lane lane) {
    constexpr std::array<std::string_view, laneCount> names{"compute", "comm", "copy", "host"};
    const auto index = static_cast<std::size_t>(lane);
    return index < names.size() ? names[index] : "unknown lane";
}

std::optional<Lane> laneNamed(std::string_view text) {
    for (int lane = 0; lane < laneCount; ++lane)
        if (name(static_cast<Lane>(lane)) == text) return static_cast<Lane>(lane);
    return std::nullopt;
}

std::string_view name(EventKind kind) {
    if (const ActionKind action = actionOf(kind); action != ActionKind::None) return actionTraits[action].title;
    switch (kind) {
    case EventKind::None: return "none";
    case EventKind::Wait: return "wait";
    case EventKind::Step: return "step";
    case EventKind::Validation: return "validation";
    case EventKind::Setup: return "setup";
    case EventKind::Snapshot: return "snapshot";
    case EventKind::CheckpointWrite: return "checkpoint write";
    case EventKind::RingHop: return "ring hop";
    case EventKind::TensorAllReduce: return "tensor all-reduce";
    case EventKind::TensorReduceScatter: return "tensor reduce-scatter";
    case EventKind::TensorAllGather: return "tensor all-gather";
    case EventKind::KeyValueHop: return "key and value hop";
    case EventKind::ExchangeHeads: return "tokens for heads";
    case EventKind::GatherChoices: return "gather choices";
    case EventKind::DispatchTokens: return "dispatch tokens";
    case EventKind::CombineTokens: return "combine tokens";
    case EventKind::WeightVersions: return "weight versions";
    case EventKind::LossScale: return "loss scale";
    case EventKind::GradientExponents: return "gradient exponents";
    case EventKind::ExpertLoad: return "expert load";
    case EventKind::PackedActivations: return "activations kept in fewer bits";
    case EventKind::ExpertDropped: return "tokens dropped";
    case EventKind::Overflow: return "overflow";
    case EventKind::Staleness: return "staleness";
    case EventKind::ElasticDistance: return "elastic distance";
    case EventKind::OverwrittenUpdates: return "overwritten updates";
    case EventKind::Loss: return "loss";
    case EventKind::ValidationLoss: return "validation loss";
    case EventKind::PredictionLoss: return "loss of predictions ahead";
    case EventKind::UntakenTokens: return "tokens that no expert took";
    case EventKind::ExpertsOfToken: return "most experts of a token";
    case EventKind::AssignmentRounds: return "rounds of assignment";
    case EventKind::Epochs: return "epochs";
    case EventKind::Samples: return "samples";
    case EventKind::ReplicasThatDiffer: return "replicas that differ";
    case EventKind::GradientNorm: return "gradient norm";
    case EventKind::LearningRate: return "learning rate";
    case EventKind::TokensPerSecond: return "tokens per second";
    case EventKind::HiddenComm: return "hidden communication";
    case EventKind::ExposedComm: return "exposed communication";
    case EventKind::MemoryUsed: return "memory: parameters";
    case EventKind::MemoryPeak: return "memory peak";
    case EventKind::HostMemory: return "host memory";
    case EventKind::LargestFree: return "largest free block";
    case EventKind::PaceOverrun: return "pace overrun";
    case EventKind::CategoryPeak: return "memory peak: parameters";
    case EventKind::Command: return "command";
    case EventKind::Fault: return "fault";
    case EventKind::Dropped: return "dropped";
    case EventKind::Restart: return "restart";
    case EventKind::InjectedFault: return "injected fault";
    case EventKind::Kernel: return "kernel";
    case EventKind::Collective: return "collective";
    case EventKind::MemoryCopy: return "memory copy";
    case EventKind::Operation: return "operation";
    case EventKind::Annotation: return "annotation";
    case EventKind::NamedCounter: return "counter";
    case EventKind::Fp8Scale: return "fp8 scale";
    case EventKind::Fp8Saturated: return "fp8 saturated";
    case EventKind::Fp8Flushed: return "fp8 flushed to zero";
    case EventKind::Mark: return "mark";
    default: break;
    }
    constexpr std::array<std::string_view, memoryCategoryCount> memory{"memory: parameters", "memory: gradients",
                                                                       "memory: optimizer",  "memory: activations",
                                                                       "memory: buffers",    "memory: temporary"};
    constexpr std::array<std::string_view, memoryCategoryCount> peaks{
        "memory peak: parameters",  "memory peak: gradients", "memory peak: optimizer",
        "memory peak: activations", "memory peak: buffers",   "memory peak: temporary"};
    if (const auto used = memoryCategory(kind, EventKind::MemoryUsed)) return memory[static_cast<std::size_t>(*used)];
    if (const auto peak = memoryCategory(kind, EventKind::CategoryPeak)) return peaks[static_cast<std::size_t>(*peak)];
    return "unknown";
}

std::string_view name(Command command) {
    constexpr std::array<std::string_view, 8> names{"none", "pause",      "resume", "step once",
                                                    "stop", "checkpoint", "resize", "inject fault"};
    const auto index = static_cast<std::size_t>(command);
    return index < names.size() ? names[index] : "unknown command";
}

}  // namespace shardlab::trace
