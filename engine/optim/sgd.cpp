// SPDX-License-Identifier: Apache-2.0
#include "kernels/sgd.h"

#include "engine/optim/learning_rate.h"
#include "engine/optim/optimizers.h"

namespace shardlab {

namespace {

class Sgd : public Optimizer {
public:
    Sgd(const OptimizerSpec& spec, int updates, std::size_t elements, Arena& arena)
        : spec_(spec), updates_(updates),
          velocity_(arena.allocateZeroed(MemoryCategory::Optimizer, spec.momentum == 0 ? 0 : elements)) {}

    void update(std::span<Parameter> parameters, int step, float gradientScale) override {
        SgdUpdate change;
        change.learningRate = static_cast<float>(learningRate(spec_, step, updates_));
        change.momentum = static_cast<float>(spec_.momentum);
        change.gradientScale = gradientScale;
        std::size_t offset = 0;
        for (Parameter& parameter : parameters) {
            change.weightDecay = parameter.decays ? static_cast<float>(spec_.weightDecay) : 0.0f;
            float* velocity = velocity_.empty() ? nullptr : velocity_.data() + offset;
            const std::size_t count = parameter.value.size();
            sgd(static_cast<std::int64_t>(count), change, parameter.gradient.data(), parameter.value.data(), velocity);
            offset += count;
        }
    }

    std::vector<OptimizerState> state(std::span<const Parameter> parameters) override {
        std::vector<OptimizerState> all;
        if (velocity_.empty()) return all;
        std::size_t offset = 0;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            all.push_back({"velocity", i, 0, velocity_.span().subspan(offset, parameters[i].value.size())});
            offset += parameters[i].value.size();
        }
        return all;
    }

private:
    OptimizerSpec spec_;
    int updates_;
    Buffer velocity_;  ///< in the order of the parameters
};

}  // namespace

std::unique_ptr<Optimizer> makeSgd(const OptimizerSpec& spec, int updates, std::span<Parameter> parameters, Arena& arena) {
    std::size_t elements = 0;
    for (const Parameter& parameter : parameters) elements += parameter.value.size();
    return std::make_unique<Sgd>(spec, updates, elements, arena);
}

}  // namespace shardlab
