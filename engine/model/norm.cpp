// SPDX-License-Identifier: Apache-2.0
#include "engine/model/norm.h"

#include "kernels/layer_norm.h"

namespace shardlab {

Norm::Norm(const LayerContext& context, const std::string& name)
    : arena_(context.arena),
      tensor_(context.tensor),
      width_(context.hidden),
      scale_(context.set.declare(name + ".weight", {width_}, {0, 1}, false)),
      shift_(context.set.declare(name + ".bias", {width_}, {}, false)) {}

void Norm::forward(int rows, const float* x, float* statistics, float* output) const {
    layerNorm(rows, width_, x, scale_.value(), shift_.value(), statistics, statistics + rows, output);
}

void Norm::inputGrad(int rows, const float* x, const float* statistics, const float* outputGradient,
                     const float* residualGradient, float* inputGradient) const {
    layerNormInputGrad(rows, width_, x, scale_.value(), statistics, statistics + rows, outputGradient,
                       residualGradient, inputGradient);
}

void Norm::weightGrad(int rows, const float* x, const float* statistics, const float* outputGradient) const {
    if (!tensor_.splitsTokens()) {
        layerNormWeightGrad(rows, width_, x, statistics, statistics + rows, outputGradient, scale_.gradient(),
                            shift_.gradient());
        return;
    }
    const std::size_t width = static_cast<std::size_t>(width_);
    const Buffer sums = arena_.allocateZeroed(MemoryCategory::Temporary, 2 * width);
    layerNormWeightGrad(rows, width_, x, statistics, statistics + rows, outputGradient, sums.data(),
                        sums.data() + width);
    tensor_.sumOverTokens(sums.span());
    for (std::size_t c = 0; c < width; ++c) {
        scale_.gradient()[c] += sums[c];
        shift_.gradient()[c] += sums[width + c];
    }
}

}  // namespace shardlab
