// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/elastic_centre.h"

#include "engine/train/optim/learning_rate.h"
#include "engine/train/parallel/elastic.h"

namespace shardlab::train {

ElasticCentre::ElasticCentre(const OptimizerSpec& optimizer, int updates, RankStages& stages, Communicator& data,
                             Arena& arena)
    : optimizer_(optimizer), updates_(updates), stages_(stages), data_(data), arena_(arena) {
    for (auto& [index, rankStage] : stages_) {
        const ConstArraySpan weights = rankStage.stage->parameterBlock();
        Held& held = held_[index];
        held.passing = arena_.allocate(MemoryCategory::Buffers, weights.size(), weights.type());
        if (data_.rank() > 0) continue;
        held.centre = arena_.allocate(MemoryCategory::Parameters, weights.size(), weights.type());
    }
    begin();
}

void ElasticCentre::begin() {
    if (data_.rank() > 0) return;
    for (auto& [index, rankStage] : stages_) {
        const ConstArraySpan weights = rankStage.stage->parameterBlock();
        arena_.device().copy(weights.data().data, held_.at(index).centre.data().data, weights.bytes().size());
    }
}

double ElasticCentre::exchange(int step) {
    const auto alpha = static_cast<float>(learningRate(optimizer_, step + 1, updates_) * optimizer_.elasticRho);
    double squares = 0;
    for (auto& [index, rankStage] : stages_)
        squares += turn(step) == 0 ? exchangeHere(*rankStage.stage, held_.at(index), alpha)
                                   : exchangeWith(peer(step), *rankStage.stage, held_.at(index), alpha);
    return squares;
}

double ElasticCentre::exchangeHere(Stage& stage, Held& held, float alpha) {
    Device& device = arena_.device();
    const ArraySpan own = stage.parameterBlock(), difference = held.passing.span();
    device.copy(held.centre.data().data, difference.data().data, difference.bytes().size());
    differ(own, difference, device);
    const double squares = squaredDistance(stage.parameters(), own, difference, device);
    pull(own, difference, alpha, device);
    device.multiply(static_cast<std::int64_t>(difference.size()), -1, difference.data());
    device.add(static_cast<std::int64_t>(difference.size()), difference.data(), held.centre.data());
    return squares;
}

double ElasticCentre::exchangeWith(int peer, Stage& stage, Held& held, float alpha) {
    Device& device = arena_.device();
    const ArraySpan own = data_.rank() == 0 ? held.centre.span() : stage.parameterBlock();
    const ArraySpan other = held.passing.span();
    device.synchronize();
    swapWeights(own, other, peer, data_);
    differ(own, other, device);
    const double squares = squaredDistance(stage.parameters(), stage.parameterBlock(), other, device);
    pull(own, other, alpha, device);
    return squares;
}

void ElasticCentre::lend() {
    for (auto& [index, rankStage] : stages_) {
        Held& held = held_.at(index);
        Device& device = arena_.device();
        if (data_.rank() == 0)
            device.copy(held.centre.data().data, held.passing.data().data, held.passing.span().bytes().size());
        device.synchronize();
        data_.broadcast(held.passing.span().bytes(), 0);
        rankStage.stage->computeWith(held.passing.span());
    }
}

void ElasticCentre::restore() {
    for (auto& [index, rankStage] : stages_) rankStage.stage->computeWith({});
}

}  // namespace shardlab::train
