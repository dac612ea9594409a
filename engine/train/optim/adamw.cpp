// SPDX-License-Identifier: Apache-2.0
// AdamW (1711.05101). State: two floats a parameter, the first and the second moment, as one block.
#include "engine/train/optim/optimizers.h"

#include <cmath>

namespace shardlab::train {

namespace {

class AdamW : public Optimizer {
public:
    AdamW(const OptimizerSetup& setup, std::span<const Parameter> parameters, Arena& arena)
        : Optimizer(setup, parameters, arena), elements_(elementsOf(parameters)),
          moments_(arena.allocateZeroed(MemoryCategory::Optimizer, 2 * elements_)) {}

    void update(std::span<Parameter> parameters, int step, float gradientScale) override {
        const AdamWUpdate change = adamwUpdate(spec_.adamw, rate(step), step, gradientScale);
        parts_.clear();
        float* first = moments_.floats();
        float* second = first + elements_;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const Parameter& parameter = parameters[i];
            const std::size_t count = parameter.value.size();
            if (count == 0) continue;
            parts_.push_back({static_cast<std::int64_t>(count), decay(parameter), parameter.gradient.data(),
                              parameter.value.data(), master_.of(i).data().floats(), first, second});
            first += count;
            second += count;
        }
        arena_.device().adamw(change, parts_);
    }

    std::vector<OptimizerState> state(std::span<const Parameter> parameters) override {
        std::vector<OptimizerState> all;
        addMoments("first moment", moments_.span().subspan(0, elements_), parameters, all);
        addMoments("second moment", moments_.span().subspan(elements_, elements_), parameters, all);
        return all;
    }

private:
    std::size_t elements_;
    Buffer moments_;  ///< all first moments, then all second moments, in the order of the parameters
    std::vector<AdamWPart> parts_;
};

}  // namespace

AdamWUpdate adamwUpdate(const AdamWSpec& spec, float rate, int step, float gradientScale) {
    AdamWUpdate change;
    change.learningRate = rate;
    change.beta1 = static_cast<float>(spec.betas[0]);
    change.beta2 = static_cast<float>(spec.betas[1]);
    change.epsilon = static_cast<float>(spec.epsilon);
    change.correction1 = static_cast<float>(1 - std::pow(spec.betas[0], step));
    change.correction2 = static_cast<float>(1 - std::pow(spec.betas[1], step));
    change.gradientScale = gradientScale;
    return change;
}

std::unique_ptr<Optimizer> makeAdamW(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena) {
    return std::make_unique<AdamW>(setup, parameters, arena);
}

}  // namespace shardlab::train
