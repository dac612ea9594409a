// SPDX-License-Identifier: Apache-2.0
// SGD with momentum. State: one float a parameter, the velocity, as one block; none where momentum is 0.
#include "engine/train/optim/optimizers.h"

namespace shardlab::train {

namespace {

class Sgd : public Optimizer {
public:
    Sgd(const OptimizerSetup& setup, std::span<const Parameter> parameters, Arena& arena)
        : Optimizer(setup, parameters, arena),
          velocity_(
              arena.allocateZeroed(MemoryCategory::Optimizer, setup.spec.momentum == 0 ? 0 : elementsOf(parameters))) {}

    void update(std::span<Parameter> parameters, int step, float gradientScale) override {
        SgdUpdate change;
        change.learningRate = rate(step);
        change.momentum = static_cast<float>(spec_.momentum);
        change.gradientScale = gradientScale;
        std::size_t offset = 0;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const Parameter& parameter = parameters[i];
            change.weightDecay = decay(parameter);
            float* velocity = velocity_.empty() ? nullptr : velocity_.floats() + offset;
            const std::size_t count = parameter.value.size();
            if (count == 0) continue;
            arena_.device().sgd(static_cast<std::int64_t>(count), change, parameter.gradient.data(),
                                parameter.value.data(), velocity, master_.of(i).data().floats());
            offset += count;
        }
    }

    std::vector<OptimizerState> state(std::span<const Parameter> parameters) override {
        std::vector<OptimizerState> all;
        if (!velocity_.empty()) addMoments("velocity", velocity_.span(), parameters, all);
        return all;
    }

private:
    /// In the order of the parameters.
    Buffer velocity_;
};

}  // namespace

std::unique_ptr<Optimizer> makeSgd(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena) {
    return std::make_unique<Sgd>(setup, parameters, arena);
}

}  // namespace shardlab::train
