// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event/event.h"

#include "engine/base/most_ranks.h"

#include <array>
#include <limits>

namespace shardlab {

static_assert(mostRanks == std::numeric_limits<decltype(Event::rank)>::max());

std::string_view name(Lane lane) {
    constexpr std::array<std::string_view, laneCount> names{"compute", "comm", "copy", "host"};
    const auto index = static_cast<std::size_t>(lane);
    return index < names.size() ? names[index] : "unknown lane";
}

std::string_view name(EventKind kind) {
    switch (kind) {
    case EventKind::None: return "none";
    case EventKind::Forward: return "forward";
    case EventKind::Backward: return "backward";
    case EventKind::InputGrad: return "input gradient";
    case EventKind::WeightGrad: return "weight gradient";
    case EventKind::Recompute: return "recompute";
    case EventKind::SendForward: return "send forward";
    case EventKind::RecvForward: return "receive forward";
    case EventKind::SendBackward: return "send backward";
    case EventKind::RecvBackward: return "receive backward";
    case EventKind::ReduceGradients: return "reduce gradients";
    case EventKind::ReduceTied: return "reduce tied embedding";
    case EventKind::Optimizer: return "optimizer";
    case EventKind::Wait: return "wait";
    case EventKind::Step: return "step";
    case EventKind::Validation: return "validation";
    case EventKind::Setup: return "setup";
    case EventKind::ReduceNorm: return "reduce norm";
    case EventKind::Snapshot: return "snapshot";
    case EventKind::CheckpointWrite: return "checkpoint write";
    case EventKind::ReduceBuckets: return "reduce bucket";
    case EventKind::ScatterGradients: return "scatter gradients";
    case EventKind::GatherParameters: return "gather parameters";
    case EventKind::RingHop: return "ring hop";
    case EventKind::TensorAllReduce: return "tensor all-reduce";
    case EventKind::TensorReduceScatter: return "tensor reduce-scatter";
    case EventKind::TensorAllGather: return "tensor all-gather";
    case EventKind::KeyValueHop: return "key and value hop";
    case EventKind::DispatchTokens: return "dispatch tokens";
    case EventKind::CombineTokens: return "combine tokens";
    case EventKind::StashWeights: return "stash weights";
    case EventKind::FreeWeights: return "free weights";
    case EventKind::WeightVersions: return "weight versions";
    case EventKind::LossScale: return "loss scale";
    case EventKind::GradientExponents: return "gradient exponents";
    case EventKind::ExpertLoad: return "expert load";
    case EventKind::PackedActivations: return "activations kept in fewer bits";
    case EventKind::ExpertDropped: return "tokens dropped";
    case EventKind::Overflow: return "overflow";
    case EventKind::PushGradients: return "push gradients";
    case EventKind::PullWeights: return "pull weights";
    case EventKind::ExchangeElastic: return "elastic exchange";
    case EventKind::OffloadGradients: return "offload gradients";
    case EventKind::ReloadWeights: return "reload weights";
    case EventKind::SwapOut: return "swap out";
    case EventKind::SwapIn: return "swap in";
    case EventKind::Staleness: return "staleness";
    case EventKind::ElasticDistance: return "elastic distance";
    case EventKind::OverwrittenUpdates: return "overwritten updates";
    case EventKind::Loss: return "loss";
    case EventKind::ValidationLoss: return "validation loss";
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
    case EventKind::Mark: return "mark";
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

EventKind eventKind(ActionKind kind) {
    switch (kind) {
    case ActionKind::None: return EventKind::None;
    case ActionKind::Forward: return EventKind::Forward;
    case ActionKind::Backward: return EventKind::Backward;
    case ActionKind::InputGrad: return EventKind::InputGrad;
    case ActionKind::WeightGrad: return EventKind::WeightGrad;
    case ActionKind::Recompute: return EventKind::Recompute;
    case ActionKind::SendForward: return EventKind::SendForward;
    case ActionKind::RecvForward: return EventKind::RecvForward;
    case ActionKind::SendBackward: return EventKind::SendBackward;
    case ActionKind::RecvBackward: return EventKind::RecvBackward;
    case ActionKind::ReduceGradients: return EventKind::ReduceGradients;
    case ActionKind::ReduceTied: return EventKind::ReduceTied;
    case ActionKind::ReduceNorm: return EventKind::ReduceNorm;
    case ActionKind::OptimizerStep: return EventKind::Optimizer;
    case ActionKind::ReduceBuckets: return EventKind::ReduceBuckets;
    case ActionKind::ScatterGradients: return EventKind::ScatterGradients;
    case ActionKind::GatherForward:
    case ActionKind::GatherBackward:
    case ActionKind::GatherUpdated: return EventKind::GatherParameters;
    case ActionKind::StashWeights: return EventKind::StashWeights;
    case ActionKind::FreeWeights: return EventKind::FreeWeights;
    case ActionKind::PushGradients: return EventKind::PushGradients;
    case ActionKind::PullWeights: return EventKind::PullWeights;
    case ActionKind::ExchangeElastic: return EventKind::ExchangeElastic;
    case ActionKind::OffloadGradients: return EventKind::OffloadGradients;
    case ActionKind::ReloadWeights: return EventKind::ReloadWeights;
    case ActionKind::SwapOut: return EventKind::SwapOut;
    case ActionKind::SwapIn: return EventKind::SwapIn;
    case ActionKind::SwapFree: break;  // what it waits for is told of SWAP_OUT
    }
    return EventKind::None;
}

std::string_view name(Command command) {
    constexpr std::array<std::string_view, 8> names{"none", "pause",      "resume", "step once",
                                                    "stop", "checkpoint", "resize", "inject fault"};
    const auto index = static_cast<std::size_t>(command);
    return index < names.size() ? names[index] : "unknown command";
}

}  // namespace shardlab
