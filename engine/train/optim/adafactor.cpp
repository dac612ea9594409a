// SPDX-License-Identifier: Apache-2.0
// Adafactor (1804.04235). State: one float for each row and each column of a matrix, one for each element of a vector,
// and two for each parameter.
#include "engine/base/layer_number.h"
#include "engine/train/optim/factored_state.h"
#include "engine/train/optim/optimizers.h"

#include <cmath>

namespace shardlab::train {

namespace {

constexpr FactoredKinds adafactorKinds{"row sums of squares", "column sums of squares", "mean squares"};

std::vector<MemberPiece> normsOf(std::span<const Parameter> parameters) {
    std::vector<MemberPiece> pieces;
    for (const Parameter& parameter : parameters) pieces.push_back({1, parameter.slice.axis >= 0, parameter.tied});
    return pieces;
}

class Adafactor : public Optimizer {
public:
    Adafactor(const OptimizerSetup& setup, std::span<const Parameter> parameters, Arena& arena)
        : Optimizer(setup, parameters, arena), tensor_(setup.tensor), sums_(parameters, arena),
          squares_(normsOf(parameters), arena),
          totals_(arena.allocateZeroed(MemoryCategory::Optimizer, parameters.size())) {}

    void update(std::span<Parameter> parameters, int step, float gradientScale) override {
        AdafactorUpdate change;
        change.learningRate = rate(step);
        change.beta2 = static_cast<float>(1 - std::pow(step, -spec_.adafactor.decayRate));
        change.clipThreshold = static_cast<float>(spec_.adafactor.clipThreshold);
        change.gradientScale = gradientScale;
        parts_.clear();
        for (std::size_t i = 0; i < parameters.size(); ++i) parts_.push_back(part(i, parameters[i]));
        const auto overMembers = [&](ArraySpan values) { tensor_->sumOverMembers(values); };
        Device& device = arena_.device();
        if (tensor_) tensor_->visit(allLayers);
        device.adafactorSums(change, parts_);
        if (tensor_) sums_.putTogether(overMembers);
        device.adafactorNorms(change, parts_);
        if (tensor_) squares_.putTogether(overMembers);
        device.adafactor(change, parts_);
    }

    std::vector<OptimizerState> state(std::span<const Parameter> parameters) override {
        return sums_.state(parameters, adafactorKinds);
    }

private:
    AdafactorPart part(std::size_t i, const Parameter& parameter) const {
        const FactoredState::Place& place = sums_.of(i);
        AdafactorPart part;
        part.rows = place.rows;
        part.columns = place.columns;
        part.elements = elementsOfWhole(parameter);
        part.weightDecay = decay(parameter);
        part.gradient = parameter.gradient.data();
        part.value = parameter.value.data();
        part.master = master_.of(i).data().floats();
        part.rowSums = place.ofRows;
        part.columnSums = place.ofColumns;
        // The first member contributes the old sums.
        const bool other = tensor_ && tensor_->member() > 0;
        part.freshRows = place.partsOfRows && other;
        part.freshColumns = place.partsOfColumns && other;
        part.rowsAreParts = place.partsOfColumns;
        part.total = totals_.floats() + i;
        part.squares = squares_.of(i);
        return part;
    }

    TensorGroup* tensor_;
    FactoredState sums_;
    MemberBlock squares_;  ///< sums of squares of each parameter's update, before it is clipped
    Buffer totals_;        ///< the total of each parameter's sums
    std::vector<AdafactorPart> parts_;
};

}  // namespace

std::unique_ptr<Optimizer> makeAdafactor(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena) {
    return std::make_unique<Adafactor>(setup, parameters, arena);
}

}  // namespace shardlab::train
