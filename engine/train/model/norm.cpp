// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/norm.h"

namespace shardlab::train {

Norm::Norm(const LayerContext& context, const std::string& name, int width, bool rms)
    : arena_(context.arena), tensor_(context.tensor), width_(width),
      epsilon_(static_cast<float>(context.parts.normEpsilon)),
      scale_(context.set.declare(name + ".weight", {width_}, {0, 1}, false)) {
    if (!rms) shift_ = context.set.declare(name + ".bias", {width_}, {}, false);
}

void Norm::forward(int rows, ConstArray x, float* statistics, Array output) const {
    Device& device = arena_.device();
    if (!shift_) return device.rmsNorm(rows, width_, epsilon_, x, scale_.value(), statistics, output);
    device.layerNorm(rows, width_, epsilon_, x, scale_.value(), shift_->value(), statistics, statistics + rows, output);
}

bool Norm::inputGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient,
                     ConstArray residualGradient, Array inputGradient, bool weightsToo) const {
    Device& device = arena_.device();
    const bool both = weightsToo && !tensor_.splitsTokens();
    const ConstArray scale = scale_.value();
    if (both && shift_)
        device.layerNormGrad(rows, width_, x, scale, statistics, statistics + rows, outputGradient, residualGradient,
                             inputGradient, scale_.gradient(), shift_->gradient());
    else if (both)
        device.rmsNormGrad(rows, width_, x, scale, statistics, outputGradient, residualGradient, inputGradient,
                           scale_.gradient());
    else if (shift_)
        device.layerNormInputGrad(rows, width_, x, scale, statistics, statistics + rows, outputGradient,
                                  residualGradient, inputGradient);
    else device.rmsNormInputGrad(rows, width_, x, scale, statistics, outputGradient, residualGradient, inputGradient);
    return both;
}

void Norm::addWeightGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient, Array scale,
                         Array shift) const {
    Device& device = arena_.device();
    if (!shift_) return device.rmsNormWeightGrad(rows, width_, x, statistics, outputGradient, scale);
    device.layerNormWeightGrad(rows, width_, x, statistics, statistics + rows, outputGradient, scale, shift);
}

void Norm::weightGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient) const {
    if (!tensor_.splitsTokens())
        return addWeightGrad(rows, x, statistics, outputGradient, scale_.gradient(),
                             shift_ ? shift_->gradient() : Array{});
    const std::size_t width = static_cast<std::size_t>(width_);
    const Buffer sums = arena_.allocateZeroed(MemoryCategory::Temporary, shift_ ? 2 * width : width);
    const Array scale = sums.data(), shift = shift_ ? sums.span().last(width).data() : Array{};
    addWeightGrad(rows, x, statistics, outputGradient, scale, shift);
    tensor_.sumOverTokens(sums.span());
    arena_.device().add(width_, scale, scale_.gradient());
    if (shift_) arena_.device().add(width_, shift, shift_->gradient());
}

}  // namespace shardlab::train
