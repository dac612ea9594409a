// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/allocation_phase.h"

#include <algorithm>

namespace shardlab::trace {
namespace {

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool isAmong(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

/// Python's frames have files of PyTorch's package, those of C++ none and the function's whole name.
AllocationPhase phaseOf(std::string_view file, std::string_view name) {
    using enum AllocationPhase;
    if (holds(name, "torch::autograd::Engine") || holds(name, "torch::autograd::AccumulateGrad")) return Backward;
    if (holds(name, "c10d::Reducer") || holds(name, "c10d::ProcessGroup")) return Distributed;
    if (!holds(file, "torch/")) return Unknown;
    if (holds(file, "torch/optim/") && !holds(file, "lr_scheduler")) return Optimizer;
    if (file.ends_with("torch/autograd/graph.py") && name == "_engine_run_backward") return Backward;
    if (holds(file, "torch/distributed/")) return Distributed;
    if (file.ends_with("torch/nn/parameter.py")) return Module;
    if (!holds(file, "torch/nn/modules/")) return Unknown;
    if (isAmong(name, {"_call_impl", "_wrapped_call_impl"})) return Forward;
    return isAmong(name, {"__init__", "reset_parameters", "_apply", "convert", "to_empty"}) ? Module : Unknown;
}

}  // namespace

std::optional<MemoryCategory> categoryAfter(AllocationPhase phase) {
    switch (phase) {
    case AllocationPhase::Unknown: return std::nullopt;
    case AllocationPhase::Module: return MemoryCategory::Parameters;
    case AllocationPhase::Forward: return MemoryCategory::Activations;
    case AllocationPhase::Backward: return MemoryCategory::Gradients;
    case AllocationPhase::Optimizer: return MemoryCategory::Optimizer;
    case AllocationPhase::Distributed: return MemoryCategory::Buffers;
    }
    return std::nullopt;
}

AllocationPhase AllocationPhases::of(PlainPickle::Value frames) {
    const auto known = known_.find(frames.number());
    if (known != known_.end()) return known->second;
    AllocationPhase found = AllocationPhase::Unknown;
    for (std::size_t i = 0; i < frames.size() && found == AllocationPhase::Unknown; ++i) {
        const PlainPickle::Value frame = frames[i];
        const auto [place, added] = known_.emplace(frame.number(), AllocationPhase::Unknown);
        if (added) place->second = phaseOf(frame["filename"].text(), frame["name"].text());
        found = place->second;
    }
    known_[frames.number()] = found;
    return found;
}

}  // namespace shardlab::trace
