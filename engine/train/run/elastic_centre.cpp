// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/elastic_centre.h"

#include "engine/trace/checkpoint/manifest.h"
#include "engine/train/optim/learning_rate.h"
#include "engine/train/parallel/elastic.h"

#include <fmt/format.h>

namespace shardlab::train {

ElasticCentre::ElasticCentre(const OptimizerSpec& optimizer, int updates, RankStages& stages, Communicator& data,
                             Arena& arena)
    : optimizer_(optimizer), updates_(updates), stages_(stages), data_(data), arena_(arena) {
    for (auto& [index, rankStage] : stages_) {
        const ConstArraySpan weights = weightsOf(rankStage);
        Held& held = held_[index];
        held.passing = arena_.allocate(MemoryCategory::Buffers, weights.size(), weights.type());
        if (data_.rank() > 0) continue;
        held.centre = arena_.allocate(MemoryCategory::Parameters, weights.size(), weights.type());
    }
    begin();
}

ArraySpan ElasticCentre::weightsOf(RankStage& rankStage) {
    const MasterWeights& master = rankStage.optimizer->master();
    return master.empty() ? rankStage.stage->parameterBlock() : master.block();
}

void ElasticCentre::begin() {
    if (data_.rank() > 0) return;
    for (auto& [index, rankStage] : stages_) {
        const ConstArraySpan weights = weightsOf(rankStage);
        arena_.device().copy(weights.data().data, held_.at(index).centre.data().data, weights.bytes().size());
    }
}

ArraySpan ElasticCentre::centreOf(ConstArraySpan weights) {
    const auto address = [](const auto& span) { return static_cast<const std::byte*>(span.data().data); };
    for (auto& [index, rankStage] : stages_) {
        const ArraySpan all = weightsOf(rankStage), centre = held_.at(index).centre.span();
        const std::ptrdiff_t before = address(weights) - address(all);
        if (centre.empty() || before < 0 || before >= std::ssize(all.bytes())) continue;
        return centre.subspan(static_cast<std::size_t>(before) / sizeOf(all.type()), weights.size());
    }
    return {};
}

std::string_view ElasticCentre::ownKind(std::string_view kind) {
    if (replica() == 0 && kind != weightKind) return kind;
    const auto found = ownKinds_.find(kind);
    if (found != ownKinds_.end()) return found->second;
    return ownKinds_.emplace(kind, fmt::format("{} of replica {}", kind, replica())).first->second;
}

double ElasticCentre::exchange(int step) {
    const auto alpha = static_cast<float>(learningRate(optimizer_, step + 1, updates_) * optimizer_.elasticRho);
    double squares = 0;
    for (auto& [index, rankStage] : stages_) {
        Held& held = held_.at(index);
        squares +=
            turn(step) == 0 ? exchangeHere(rankStage, held, alpha) : exchangeWith(peer(step), rankStage, held, alpha);
        const MasterWeights& master = rankStage.optimizer->master();
        if (!master.empty() && data_.rank() == turn(step)) master.round(rankStage.stage->parameters());
    }
    return squares;
}

double ElasticCentre::exchangeHere(RankStage& rankStage, Held& held, float alpha) {
    Device& device = arena_.device();
    const ArraySpan own = weightsOf(rankStage), difference = held.passing.span();
    device.copy(held.centre.data().data, difference.data().data, difference.bytes().size());
    differ(own, difference, device);
    const double squares = squaredDistance(*rankStage.stage, difference);
    pull(own, difference, alpha, device);
    device.multiply(static_cast<std::int64_t>(difference.size()), -1, difference.data());
    device.add(static_cast<std::int64_t>(difference.size()), difference.data(), held.centre.data());
    return squares;
}

double ElasticCentre::exchangeWith(int peer, RankStage& rankStage, Held& held, float alpha) {
    Device& device = arena_.device();
    const ArraySpan own = data_.rank() == 0 ? held.centre.span() : weightsOf(rankStage);
    const ArraySpan other = held.passing.span();
    device.synchronize();
    swapWeights(own, other, peer, data_);
    differ(own, other, device);
    const double squares = squaredDistance(*rankStage.stage, other);
    pull(own, other, alpha, device);
    return squares;
}

void ElasticCentre::lend() {
    for (auto& [index, rankStage] : stages_) {
        Held& held = held_.at(index);
        Device& device = arena_.device();
        const ArraySpan lent({held.passing.data().data, rankStage.stage->types().weights}, held.passing.size());
        if (data_.rank() == 0) device.convert(static_cast<std::int64_t>(lent.size()), held.centre.data(), lent.data());
        device.synchronize();
        data_.broadcast(lent.bytes(), 0);
        rankStage.stage->computeWith(lent);
    }
}

void ElasticCentre::restore() {
    for (auto& [index, rankStage] : stages_) rankStage.stage->computeWith({});
}

}  // namespace shardlab::train
