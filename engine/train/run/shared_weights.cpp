// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/shared_weights.h"

#include "engine/layout/exchange.h"
#include "engine/train/optim/learning_rate.h"

#include <new>
#include <stdexcept>

namespace shardlab::train {
namespace {

constexpr int owner = 0;

}  // namespace

SharedWeights::SharedWeights(const OptimizerSpec& optimizer, int updates, Stage& stage, Communicator& workers,
                             Arena& arena)
    : optimizer_(optimizer), updates_(updates), stage_(stage), group_(workers), arena_(arena) {
    const auto count = static_cast<std::size_t>(group_.size());
    if (group_.rank() == owner) {
        held_ = arena_.allocate(MemoryCategory::Parameters, stage_.parameterBlock().size());
        page_ = arena_.allocate(MemoryCategory::Buffers,
                                (sizeof(HogwildCommands) + count * sizeof(HogwildProgress)) / sizeof(float));
    }
    const std::span<std::byte> weights = group_.reach(held_.span().bytes(), owner),
                               page = group_.reach(page_.span().bytes(), owner);
    if (weights.empty() || page.empty())
        throw std::runtime_error(
            "/parallel/exchange: hogwild: the ranks of this run do not reach each other's memory, and its workers "
            "write the same weights; legal: ranks on one host and in one container, or async-server");
    if (group_.rank() == owner) {
        new (page.data()) HogwildCommands;
        for (std::size_t k = 0; k < count; ++k)
            new (page.data() + sizeof(HogwildCommands) + k * sizeof(HogwildProgress)) HogwildProgress;
    }
    weights_ = {reinterpret_cast<float*>(weights.data()), weights.size() / sizeof(float)};
    commands_ = std::launder(reinterpret_cast<HogwildCommands*>(page.data()));
    workers_ = {std::launder(reinterpret_cast<HogwildProgress*>(page.data() + sizeof(HogwildCommands))), count};
    begin();
}

void SharedWeights::begin() {
    group_.barrier();
    if (group_.rank() == owner) writeWithoutLock(stage_.parameterBlock().floats(), weights_);
    group_.barrier();
    read();
}

void SharedWeights::read() {
    read_ = updatesOfOthers();
    readWithoutLock(weights_, stage_.parameterBlock().floats());
}

HogwildUpdate SharedWeights::update(int number, float gradientScale) {
    SgdUpdate change;
    change.learningRate = static_cast<float>(learningRate(optimizer_, number, updates_));
    change.gradientScale = gradientScale;
    HogwildUpdate done{updateWithoutLock(weights_, stage_.gradientBlock().floats(), change, arena_.device())};
    done.staleness = updatesOfOthers() - read_;
    HogwildProgress& own = workers_[static_cast<std::size_t>(group_.rank())];
    own.updates.store(own.updates.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    return done;
}

void SharedWeights::publishLoss(double loss) {
    HogwildProgress& own = workers_[static_cast<std::size_t>(group_.rank())];
    own.loss.store(loss, std::memory_order_relaxed);
    own.losses.store(own.losses.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

double SharedWeights::meanLoss() const {
    double sum = 0;
    int published = 0;
    for (const HogwildProgress& worker : workers_) {
        if (worker.losses.load(std::memory_order_acquire) == 0) continue;
        sum += worker.loss.load(std::memory_order_relaxed);
        ++published;
    }
    return sum / published;
}

std::int64_t SharedWeights::updatesOfOthers() const {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < workers_.size(); ++k)
        if (static_cast<int>(k) != group_.rank()) sum += workers_[k].updates.load(std::memory_order_acquire);
    return sum;
}

}  // namespace shardlab::train
