// SPDX-License-Identifier: Apache-2.0
#include "engine/train/training_state.h"

#include <algorithm>

namespace shardlab {

std::map<std::string_view, std::vector<TrainingState::Held>> TrainingState::held(RankStage& rankStage) const {
    std::map<std::string_view, std::vector<Held>> all;
    const std::span<Parameter> parameters = rankStage.stage->parameters();
    for (const Parameter& parameter : parameters)
        all[weightKind].push_back({&parameter, weightKind, parameter.flatBegin, parameter.value});
    for (const OptimizerState& state : rankStage.optimizer->state(parameters))
        all[state.kind].push_back({&parameters[state.parameter], state.kind, state.begin, state.values});
    return all;
}

std::size_t TrainingState::floats() const {
    std::size_t sum = 0;
    for (auto& [index, rankStage] : stages_)
        for (const auto& [kind, pieces] : held(rankStage)) {
            std::size_t count = 0;
            for (const Held& piece : pieces) count += piece.values.size();
            const auto replicas = static_cast<std::size_t>(replicas_);
            sum += divided(kind) ? (count + replicas - 1) / replicas : count;
        }
    return sum;
}

std::vector<StatePiece> TrainingState::copy(std::span<float> staging) const {
    std::vector<StatePiece> copied;
    for (auto& [index, rankStage] : stages_)
        for (const auto& [kind, pieces] : held(rankStage)) {
            std::size_t count = 0;
            for (const Held& piece : pieces) count += piece.values.size();
            std::size_t first = 0, last = count;  // this replica's elements of all these pieces in a row
            if (divided(kind)) {
                const auto replicas = static_cast<std::size_t>(replicas_), replica = static_cast<std::size_t>(replica_);
                const std::size_t share = (count + replicas - 1) / replicas;
                first = std::min(count, replica * share);
                last = std::min(count, first + share);
            }
            std::size_t at = 0;
            for (const Held& piece : pieces) {
                const std::size_t size = piece.values.size();
                const std::size_t from = std::clamp(first, at, at + size) - at;
                const std::size_t to = std::clamp(last, at, at + size) - at;
                at += size;
                if (from == to || !piece.parameter->owner) continue;
                const std::span<float> place = staging.first(to - from);
                staging = staging.subspan(to - from);
                std::ranges::copy(piece.values.subspan(from, to - from), place.begin());
                copied.push_back({piece.parameter->name, kind, piece.parameter->slice,
                                  piece.begin + static_cast<std::int64_t>(from), place});
            }
        }
    return copied;
}

Status TrainingState::load(const StateSource& source) {
    for (auto& [index, rankStage] : stages_)
        for (const auto& [kind, pieces] : held(rankStage))
            for (const Held& piece : pieces)
                if (const Status done = source.fill(piece.parameter->name, kind, piece.parameter->slice, piece.begin, piece.values);
                    !done)
                    return done;
    return {};
}

Status TrainingState::loadWeights(const StateSource& source) {
    for (auto& [index, rankStage] : stages_) {
        const auto all = held(rankStage);
        for (const Held& piece : all.at(weightKind))
            if (const Status done =
                    source.fill(piece.parameter->name, weightKind, piece.parameter->slice, piece.begin, piece.values);
                !done)
                return done;
    }
    return {};
}

}  // namespace shardlab
