// SPDX-License-Identifier: Apache-2.0
#include "engine/model/norm.h"

namespace shardlab {

Norm::Norm(const LayerContext& context, const std::string& name)
    : arena_(context.arena),
      tensor_(context.tensor),
      width_(context.hidden),
      scale_(context.set.declare(name + ".weight", {width_}, {0, 1}, false)),
      shift_(context.set.declare(name + ".bias", {width_}, {}, false)) {}

void Norm::forward(int rows, ConstArray x, float* statistics, Array output) const {
    arena_.device().layerNorm(rows, width_, x, scale_.value(), shift_.value(), statistics, statistics + rows, output);
}

void Norm::inputGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient,
                     ConstArray residualGradient, Array inputGradient) const {
    arena_.device().layerNormInputGrad(rows, width_, x, scale_.value(), statistics, statistics + rows, outputGradient,
                       residualGradient, inputGradient);
}

void Norm::weightGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient) const {
    if (!tensor_.splitsTokens()) {
        arena_.device().layerNormWeightGrad(rows, width_, x, statistics, statistics + rows, outputGradient,
                                            scale_.gradient(), shift_.gradient());
        return;
    }
    Device& device = arena_.device();
    const std::size_t width = static_cast<std::size_t>(width_);
    const Buffer sums = arena_.allocateZeroed(MemoryCategory::Temporary, 2 * width);
    const ArraySpan scale = sums.span().first(width), shift = sums.span().last(width);
    device.layerNormWeightGrad(rows, width_, x, statistics, statistics + rows, outputGradient, scale.data(),
                               shift.data());
    tensor_.sumOverTokens(sums.span());
    device.add(width_, scale.data(), scale_.gradient());
    device.add(width_, shift.data(), shift_.gradient());
}

}  // namespace shardlab
