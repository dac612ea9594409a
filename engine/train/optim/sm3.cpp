// SPDX-License-Identifier: Apache-2.0
// SM3 (1901.11150). State: one float for each row and each column of a matrix and for each element of a vector, and one
// a parameter, the moment, where momentum is not 0.
#include "engine/base/layer_number.h"
#include "engine/train/optim/factored_state.h"
#include "engine/train/optim/optimizers.h"

namespace shardlab::train {

namespace {

constexpr FactoredKinds sm3Kinds{"row accumulator", "column accumulator", "accumulator"};

class Sm3 : public Optimizer {
public:
    Sm3(const OptimizerSetup& setup, std::span<const Parameter> parameters, Arena& arena)
        : Optimizer(setup, parameters, arena), tensor_(setup.tensor), largest_(parameters, arena),
          moments_(
              arena.allocateZeroed(MemoryCategory::Optimizer, setup.spec.momentum == 0 ? 0 : elementsOf(parameters))) {}

    void update(std::span<Parameter> parameters, int step, float gradientScale) override {
        Sm3Update change;
        change.learningRate = rate(step);
        change.momentum = static_cast<float>(spec_.momentum);
        change.gradientScale = gradientScale;
        parts_.clear();
        float* moment = moments_.empty() ? nullptr : moments_.floats();
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const Parameter& parameter = parameters[i];
            const FactoredState::Place& place = largest_.of(i);
            parts_.push_back({place.rows, place.columns, decay(parameter), parameter.gradient.data(),
                              parameter.value.data(), master_.of(i).data().floats(), place.ofRows, place.ofColumns,
                              moment});
            if (moment) moment += parameter.value.size();
        }
        arena_.device().sm3(change, parts_);
        if (!tensor_) return;
        tensor_->visit(allLayers);
        largest_.putTogether([&](ArraySpan values) { tensor_->largestOverMembers(values); });
    }

    std::vector<OptimizerState> state(std::span<const Parameter> parameters) override {
        std::vector<OptimizerState> all = largest_.state(parameters, sm3Kinds);
        if (!moments_.empty()) addMoments("first moment", moments_.span(), parameters, all);
        return all;
    }

private:
    TensorGroup* tensor_;
    FactoredState largest_;
    Buffer moments_;  ///< in the order of the parameters
    std::vector<Sm3Part> parts_;
};

}  // namespace

std::unique_ptr<Optimizer> makeSm3(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena) {
    return std::make_unique<Sm3>(setup, parameters, arena);
}

}  // namespace shardlab::train
