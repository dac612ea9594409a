// SPDX-License-Identifier: Apache-2.0
#include "kernels/adamw.h"

#include "engine/optim/learning_rate.h"
#include "engine/optim/optimizers.h"

#include <cmath>

namespace shardlab {

namespace {

class AdamW : public Optimizer {
public:
    AdamW(const OptimizerSpec& spec, int updates, std::size_t elements, Arena& arena)
        : spec_(spec), updates_(updates), elements_(elements), moments_(arena.allocateZeroed(MemoryCategory::Optimizer, 2 * elements)) {}

    void update(std::span<Parameter> parameters, int step, float gradientScale) override {
        AdamWUpdate change;
        change.learningRate = static_cast<float>(learningRate(spec_, step, updates_));
        change.beta1 = static_cast<float>(spec_.betas[0]);
        change.beta2 = static_cast<float>(spec_.betas[1]);
        change.epsilon = static_cast<float>(spec_.epsilon);
        change.correction1 = static_cast<float>(1 - std::pow(spec_.betas[0], step));
        change.correction2 = static_cast<float>(1 - std::pow(spec_.betas[1], step));
        change.gradientScale = gradientScale;
        float* first = moments_.data();
        float* second = first + elements_;
        for (Parameter& parameter : parameters) {
            change.weightDecay = parameter.decays ? static_cast<float>(spec_.weightDecay) : 0.0f;
            const std::size_t count = parameter.value.size();
            adamw(static_cast<std::int64_t>(count), change, parameter.gradient.data(), parameter.value.data(), first,
                  second);
            first += count;
            second += count;
        }
    }

    std::vector<OptimizerState> state(std::span<const Parameter> parameters) override {
        std::vector<OptimizerState> all;
        std::size_t offset = 0;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const std::size_t count = parameters[i].value.size();
            all.push_back({"first moment", i, 0, moments_.span().subspan(offset, count)});
            all.push_back({"second moment", i, 0, moments_.span().subspan(elements_ + offset, count)});
            offset += count;
        }
        return all;
    }

private:
    OptimizerSpec spec_;
    int updates_;
    std::size_t elements_;
    Buffer moments_;  ///< all first moments, then all second moments, in the order of the parameters
};

}  // namespace

std::unique_ptr<Optimizer> makeAdamW(const OptimizerSpec& spec, int updates, std::span<Parameter> parameters, Arena& arena) {
    std::size_t elements = 0;
    for (const Parameter& parameter : parameters) elements += parameter.value.size();
    return std::make_unique<AdamW>(spec, updates, elements, arena);
}

}  // namespace shardlab
