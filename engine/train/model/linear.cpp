// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/linear.h"

#include "engine/train/model/product_weight.h"

namespace shardlab::train {

Linear::Linear(const LayerContext& context, const std::string& name, int inputs, int outputs, const Initial& initial,
               LinearCut cut, bool bias, int groups)
    : arena_(context.arena), tensor_(context.tensor), whole_(cut == LinearCut::Whole), type_(context.types.activations),
      weight_(context.set.declare(name + ".weight", {inputs, outputs}, initial, true,
                                  cut == LinearCut::Columns ? Cut{1, groups}
                                  : cut == LinearCut::Rows  ? Cut{0}
                                                            : Cut{})),
      inputs_(weight_.shape()[0]), outputs_(weight_.shape()[1]) {
    if (bias)
        bias_ = context.set.declare(name + ".bias", {outputs}, {}, false,
                                    cut == LinearCut::Columns ? Cut{0, groups} : Cut{});
}

void Linear::multiply(int rows, ConstArray x, Array product) const {
    const ProductWeight weight(arena_, type_, weight_);
    arena_.device().gemm(rows, outputs_, inputs_, x, false, weight.data(), false, 0, product);
}

void Linear::forward(int rows, ConstArray x, Array y) const {
    if (!bias_) return multiply(rows, x, y);
    const ProductWeight weight(arena_, type_, weight_);
    arena_.device().gemmBias(rows, outputs_, inputs_, x, weight.data(), bias_->value(), y);
}

void Linear::forwardGelu(int rows, ConstArray x, Array y, Array activated) const {
    const ProductWeight weight(arena_, type_, weight_);
    arena_.device().gemmBiasGelu(rows, outputs_, inputs_, x, weight.data(), bias_->value(), y, activated);
}

void Linear::inputGrad(int rows, ConstArray outputGradient, float before, Array inputGradient) const {
    const ProductWeight weight(arena_, type_, weight_);
    arena_.device().gemm(rows, inputs_, outputs_, outputGradient, false, weight.data(), true, before, inputGradient);
}

void Linear::inputGradGelu(int rows, ConstArray outputGradient, Array x, Array scratch) const {
    const ProductWeight weight(arena_, type_, weight_);
    arena_.device().gemmGeluGrad(rows, inputs_, outputs_, outputGradient, weight.data(), x, scratch);
}

void Linear::weightGrad(int rows, ConstArray x, ConstArray outputGradient) const {
    Device& device = arena_.device();
    if (sumsOverTokens()) {
        const std::int64_t elements = std::int64_t{inputs_} * outputs_;
        const Buffer sums = arena_.allocate(MemoryCategory::Temporary, static_cast<std::size_t>(elements));
        device.gemm(inputs_, outputs_, rows, x, true, outputGradient, false, 0, sums.data());
        tensor_.sumOverTokens(sums.span());
        return device.add(elements, sums.data(), weight_.gradient());
    }
    device.gemm(inputs_, outputs_, rows, x, true, outputGradient, false, 1, weight_.gradient());
    if (bias_) device.addColumnSums(rows, outputs_, outputGradient, bias_->gradient());
}

}  // namespace shardlab::train
