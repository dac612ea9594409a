// SPDX-License-Identifier: Apache-2.0
#include "engine/train/training_state.h"

#include "engine/model/host_copy.h"

#include <algorithm>

namespace shardlab {

std::vector<TrainingState::Held> TrainingState::values(RankStage& rankStage) const {
    std::vector<Held> all;
    for (const Parameter& parameter : zero_ < 3 ? rankStage.stage->parameters() : rankStage.owned())
        all.push_back({&parameter, weightKind, parameter.flatBegin, parameter.value});
    return all;
}

std::vector<TrainingState::Held> TrainingState::masters(RankStage& rankStage) const {
    std::vector<Held> all;
    const MasterWeights& master = rankStage.optimizer->master();
    if (master.empty()) return all;
    const std::span<Parameter> parameters = rankStage.owned();
    for (std::size_t i = 0; i < parameters.size(); ++i)
        all.push_back({&parameters[i], weightKind, parameters[i].flatBegin, master.of(i)});
    return all;
}

std::map<std::string_view, std::vector<TrainingState::Held>> TrainingState::held(RankStage& rankStage) const {
    std::map<std::string_view, std::vector<Held>> all;
    all[weightKind] = masters(rankStage);
    if (all[weightKind].empty()) all[weightKind] = values(rankStage);
    const std::span<Parameter> parameters = rankStage.owned();
    for (const OptimizerState& state : rankStage.optimizer->state(parameters))
        all[state.kind].push_back({&parameters[state.parameter], state.kind,
                                   parameters[state.parameter].flatBegin + state.begin, state.values});
    return all;
}

std::size_t TrainingState::floats() const {
    std::size_t sum = 0;
    for (auto& [index, rankStage] : stages_)
        for (const auto& [kind, pieces] : held(rankStage)) {
            std::size_t count = 0;
            for (const Held& piece : pieces) count += piece.values.size();
            const auto replicas = static_cast<std::size_t>(replicas_);
            sum += divided(rankStage, kind) ? (count + replicas - 1) / replicas : count;
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
            if (divided(rankStage, kind)) {
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
                download(device_, piece.values.subspan(from, to - from), place);
                copied.push_back({piece.parameter->name, kind, piece.parameter->slice,
                                  piece.begin + static_cast<std::int64_t>(from), place});
            }
        }
    return copied;
}

Status TrainingState::fill(const StateSource& source, const std::vector<Held>& pieces) {
    std::vector<float> passing;
    for (const Held& piece : pieces) {
        passing.resize(piece.values.size());
        if (const Status done =
                source.fill(piece.parameter->name, piece.kind, piece.parameter->slice, piece.begin, passing);
            !done)
            return done;
        upload(device_, passing, piece.values);
    }
    return {};
}

Status TrainingState::load(const StateSource& source) {
    if (const Status weights = loadWeights(source); !weights) return weights;
    for (auto& [index, rankStage] : stages_)
        for (const auto& [kind, pieces] : held(rankStage))
            if (kind != weightKind)
                if (const Status done = fill(source, pieces); !done) return done;
    return {};
}

Status TrainingState::loadWeights(const StateSource& source) {
    for (auto& [index, rankStage] : stages_)
        for (const std::vector<Held>& pieces : {values(rankStage), masters(rankStage)})
            if (const Status done = fill(source, pieces); !done) return done;
    return {};
}

}  // namespace shardlab
