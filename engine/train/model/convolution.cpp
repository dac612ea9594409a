// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/convolution.h"

#include "engine/train/model/product_weight.h"

#include <cmath>

namespace shardlab::train {

Convolution::Convolution(const LayerContext& context, const std::string& name, const ImageShape& shape, int outputs)
    : context_(context), shape_(shape), outputs_(outputs),
      weight_(context.set.declare(name + ".weight", {9 * shape.channels, outputs},
                                  {std::sqrt(2.0 / (9.0 * shape.channels))}, true)),
      bias_(context.set.declare(name + ".bias", {outputs}, {}, false)) {}

Buffer Convolution::patches() const {
    return context_.allocate(MemoryCategory::Temporary, static_cast<std::size_t>(9 * sample().elements()));
}

void Convolution::forwardRelu(ConstArray x, Array y) const {
    Device& device = context_.device();
    const ProductWeight weight(context_.arena, context_.types.activations, weight_);
    const Buffer spread = patches();
    const std::ptrdiff_t in = sample().elements(), out = std::ptrdiff_t{rows()} * outputs_;
    for (int i = 0; i < shape_.samples; ++i) {
        device.spreadPatches(sample(), x + i * in, spread.data());
        device.gemmBias(rows(), outputs_, 9 * shape_.channels, spread.data(), weight.data(), bias_.value(),
                        y + i * out);
    }
    device.relu(shape_.samples * out, y);
}

void Convolution::inputGrad(ConstArray outputGradient, ConstArray activated, Array inputGradient) const {
    Device& device = context_.device();
    const ProductWeight weight(context_.arena, context_.types.activations, weight_);
    const Buffer spread = patches();
    const std::ptrdiff_t in = sample().elements(), out = std::ptrdiff_t{rows()} * outputs_;
    for (int i = 0; i < shape_.samples; ++i) {
        device.gemm(rows(), 9 * shape_.channels, outputs_, outputGradient + i * out, false, weight.data(), true, 0,
                    spread.data());
        device.sumPatches(sample(), spread.data(), activated ? activated + i * in : activated, inputGradient + i * in);
    }
}

void Convolution::weightGrad(ConstArray x, ConstArray outputGradient) const {
    Device& device = context_.device();
    const Buffer spread = patches();
    const std::ptrdiff_t in = sample().elements(), out = std::ptrdiff_t{rows()} * outputs_;
    for (int i = 0; i < shape_.samples; ++i) {
        device.spreadPatches(sample(), x + i * in, spread.data());
        device.gemm(9 * shape_.channels, outputs_, rows(), spread.data(), true, outputGradient + i * out, false, 1,
                    weight_.gradient());
    }
    device.addColumnSums(shape_.samples * rows(), outputs_, outputGradient, bias_.gradient());
}

}  // namespace shardlab::train
