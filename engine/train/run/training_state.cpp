// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/training_state.h"

#include "engine/train/model/host_copy.h"
#include "engine/train/optim/coded_moments.h"

#include <algorithm>

namespace shardlab::train {

std::vector<TrainingState::Held> TrainingState::values(RankStage& rankStage) const {
    std::vector<Held> all;
    Device& device = zero_ < 3 ? device_ : rankStage.shards->valuesDevice();
    for (const Parameter& parameter : zero_ < 3 ? rankStage.stage->parameters() : rankStage.owned())
        all.push_back(
            {&parameter, weightKind, parameter.slice, parameter.flatBegin, parameter.value, parameter.owner, &device});
    return all;
}

std::vector<TrainingState::Held> TrainingState::masters(RankStage& rankStage) const {
    std::vector<Held> all;
    if (!rankStage.optimizer) return all;  // the server has it
    const MasterWeights& master = rankStage.optimizer->master();
    if (master.empty()) return all;
    const std::span<Parameter> parameters = rankStage.owned();
    for (std::size_t i = 0; i < parameters.size(); ++i)
        all.push_back({&parameters[i], weightKind, parameters[i].slice, parameters[i].flatBegin, master.of(i),
                       parameters[i].owner, &rankStage.optimizer->device()});
    return all;
}

bool TrainingState::writesWhole(RankStage& rankStage, std::string_view kind) const {
    return divided(rankStage, kind) || all_.replica % (all_.replicas / copy_.replicas) == 0;
}

std::vector<TrainingState::Held> TrainingState::choiceBiases(RankStage& rankStage) const {
    std::vector<Held> all;
    if (rankStage.stage->choiceBiases().empty()) return all;  // as where the server has the optimizer
    const bool writes = writesWhole(rankStage, weightKind);
    for (const Parameter& bias : rankStage.stage->choiceBiases())
        all.push_back({&bias, weightKind, bias.slice, 0, bias.value, bias.owner && writes, &device_});
    return all;
}

std::vector<TrainingState::Held> TrainingState::scales(RankStage& rankStage) const {
    std::vector<Held> all;
    for (const Parameter& scale : rankStage.stage->fp8State())
        all.push_back({&scale, scaleKind, scale.slice, 0, scale.value, scale.owner, &device_});
    return all;
}

std::map<std::string_view, std::vector<TrainingState::Held>> TrainingState::held(RankStage& rankStage) const {
    std::map<std::string_view, std::vector<Held>> all;
    all[weightKind] = masters(rankStage);
    if (all[weightKind].empty()) all[weightKind] = values(rankStage);
    for (Held& bias : choiceBiases(rankStage)) all[weightKind].push_back(std::move(bias));
    if (std::vector<Held> kept = scales(rankStage); !kept.empty()) all[scaleKind] = std::move(kept);
    if (!rankStage.optimizer) return all;
    const std::span<Parameter> parameters = rankStage.owned();
    for (const OptimizerState& state : rankStage.optimizer->state(parameters)) {
        const Parameter& parameter = parameters[state.parameter];
        Held held{&parameter,
                  state.kind,
                  parameter.slice,
                  parameter.flatBegin + state.begin,
                  state.values,
                  parameter.owner,
                  &rankStage.optimizer->device(),
                  state.codes};
        if (state.slice) {
            held.slice = *state.slice;
            held.begin = state.begin;
            // Every member of a group that cuts the parameter along its other axis holds the whole state.
            held.owner = parameter.owner && (held.slice.axis >= 0 || parameter.slice.part == 0);
        }
        all[state.kind].push_back(std::move(held));
    }
    return all;
}

std::vector<TrainingState::Held> TrainingState::remainders(RankStage& rankStage) const {
    std::vector<Held> all;
    if (!rankStage.coded) return all;
    for (const RemainderPiece& piece : rankStage.coded->pieces())
        all.push_back({piece.parameter, piece.kind, piece.parameter->slice, piece.begin, piece.values, true, &device_});
    return all;
}

std::size_t TrainingState::Share::size() const {
    std::size_t sum = 0;
    for (const Held& piece : pieces) sum += piece.values.size();
    return sum;
}

std::vector<TrainingState::Share> TrainingState::sharesApart(RankStage& rankStage) const {
    std::vector<Share> all;
    for (const auto& [kind, pieces] : held(rankStage))
        if (kind != weightKind && kind != scaleKind) all.push_back({centre_->ownKind(kind), pieces, {}});
    std::vector<Held> own = masters(rankStage);
    if (own.empty()) own = values(rankStage);
    if (centre_->replica() == 0) {  // what all have writes the first
        std::vector<Held> common = own;
        for (Held& piece : common) piece.values = centre_->centreOf(piece.values);
        for (Held& bias : choiceBiases(rankStage)) common.push_back(std::move(bias));
        all.push_back({weightKind, std::move(common), {}});
        if (std::vector<Held> kept = scales(rankStage); !kept.empty()) all.push_back({scaleKind, std::move(kept), {}});
    }
    all.push_back({centre_->ownKind(weightKind), std::move(own), {}});
    return all;
}

std::vector<TrainingState::Share> TrainingState::shares(RankStage& rankStage) const {
    if (centre_) return sharesApart(rankStage);
    std::vector<Share> all;
    for (const auto& [kind, pieces] : held(rankStage)) {
        if (!divided(rankStage, kind)) {
            all.push_back({kind, pieces, copy_});
            continue;
        }
        Share dense{kind, {}, all_}, ofExperts{kind, {}, experts_};
        for (const Held& piece : pieces) (piece.parameter->expert ? ofExperts : dense).pieces.push_back(piece);
        all.push_back(std::move(dense));
        if (!ofExperts.pieces.empty()) all.push_back(std::move(ofExperts));
    }
    for (Held& piece : remainders(rankStage)) all.push_back({piece.kind, {std::move(piece)}, {}});
    return all;
}

std::size_t TrainingState::floats() const {
    if (all_.replica >= all_.replicas) return 0;
    std::size_t sum = 0;
    for (auto& [index, rankStage] : stages_)
        for (const Share& share : shares(rankStage)) {
            const auto replicas = static_cast<std::size_t>(share.place.replicas);
            sum += (share.size() + replicas - 1) / replicas;
        }
    return sum;
}

std::vector<StatePiece> TrainingState::copy(std::span<float> staging) const {
    std::vector<StatePiece> copied;
    if (all_.replica >= all_.replicas) return copied;
    for (auto& [index, rankStage] : stages_)
        for (const Share& share : shares(rankStage)) {
            const std::size_t count = share.size();
            const auto replicas = static_cast<std::size_t>(share.place.replicas);
            const std::size_t each = (count + replicas - 1) / replicas;
            // This replica's elements, counted through all these pieces.
            const std::size_t first = std::min(count, static_cast<std::size_t>(share.place.replica) * each);
            const std::size_t last = std::min(count, first + each);
            std::size_t at = 0;
            for (const Held& piece : share.pieces) {
                const std::size_t size = piece.values.size();
                const std::size_t from = std::clamp(first, at, at + size) - at;
                const std::size_t to = std::clamp(last, at, at + size) - at;
                at += size;
                if (from == to || !piece.owner) continue;
                const std::span<float> place = staging.first(to - from);
                staging = staging.subspan(to - from);
                read(piece, from, place);
                copied.push_back({piece.parameter->name, share.kind, piece.slice,
                                  piece.begin + static_cast<std::int64_t>(from), place});
            }
        }
    return copied;
}

void TrainingState::read(const Held& piece, std::size_t from, std::span<float> to) const {
    if (!piece.codes.scales) return download(*piece.device, piece.values.subspan(from, to.size()), to);
    readMoments(*piece.device, {piece.kind, 0, 0, piece.values, {}, piece.codes}, piece.begin, from, to);
}

void TrainingState::write(const Held& piece, std::span<const float> from) const {
    if (!piece.codes.scales) return upload(*piece.device, from, piece.values);
    writeMoments(*piece.device, {piece.kind, 0, 0, piece.values, {}, piece.codes}, piece.begin, from);
}

Status TrainingState::fill(const StateSource& source, const std::vector<Held>& pieces, std::string_view kind) {
    std::vector<float> passing;
    for (const Held& piece : pieces) {
        passing.resize(piece.values.size());
        if (const Status done =
                source.fill(piece.parameter->name, kind.empty() ? piece.kind : kind, piece.slice, piece.begin, passing);
            !done)
            return done;
        write(piece, passing);
    }
    return {};
}

Status TrainingState::loadApart(const StateSource& source) {
    centre_->begin();
    if (!source.has(centre_->ownKind(weightKind))) return {};
    for (auto& [index, rankStage] : stages_)
        for (const std::vector<Held>& pieces : {values(rankStage), masters(rankStage)})
            if (const Status done = fill(source, pieces, centre_->ownKind(weightKind)); !done) return done;
    return {};
}

Status TrainingState::load(const StateSource& source, bool remainders) {
    if (const Status weights = loadWeights(source); !weights) return weights;
    if (centre_)
        if (const Status own = loadApart(source); !own) return own;
    for (auto& [index, rankStage] : stages_)
        for (const auto& [kind, pieces] : held(rankStage)) {
            const bool apart = centre_ && kind != scaleKind && source.has(centre_->ownKind(kind));
            if (kind != weightKind && (kind != scaleKind || source.has(scaleKind)))
                if (const Status done = fill(source, pieces, apart ? centre_->ownKind(kind) : kind); !done) return done;
        }
    for (auto& [index, rankStage] : stages_)
        if (remainders)
            if (const Status done = fill(source, this->remainders(rankStage)); !done) return done;
    return {};
}

Status TrainingState::loadWeights(const StateSource& source) {
    for (auto& [index, rankStage] : stages_)
        for (const std::vector<Held>& pieces : {values(rankStage), masters(rankStage), choiceBiases(rankStage)})
            if (const Status done = fill(source, pieces); !done) return done;
    return {};
}

}  // namespace shardlab::train
