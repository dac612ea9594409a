// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/linear.h"

#include "engine/train/model/product_weight.h"

namespace shardlab::train {

namespace {

Cut columnsCut(int axis, const LinearRuns& runs) { return {axis, runs.groups, runs.together, runs.tail, runs.unit}; }

}  // namespace

Linear::Linear(const LayerContext& context, const std::string& name, int inputs, int outputs, const Initial& initial,
               LinearCut cut, bool bias, const LinearRuns& runs)
    : arena_(context.arena), tensor_(context.tensor), fp8_(context.fp8), whole_(cut == LinearCut::Whole),
      type_(context.types.activations), weight_(context.set.declare(name + ".weight", {inputs, outputs}, initial, true,
                                                                    cut == LinearCut::Columns ? columnsCut(1, runs)
                                                                    : cut == LinearCut::Rows  ? Cut{0, 1, runs.together}
                                                                                              : Cut{})),
      inputs_(weight_.shape()[0]), outputs_(weight_.shape()[1]) {
    if (bias)
        bias_ = context.set.declare(name + ".bias", {outputs}, {}, false,
                                    cut == LinearCut::Columns ? columnsCut(0, runs) : Cut{});
    if (fp8_) number_ = fp8_->declare(name, context.set.layers() - 1, inputs_, outputs_);
}

void Linear::multiply(int rows, ConstArray x, Array product) const {
    if (fp8_) return fp8_->forward(number_, rows, x, weight_.value(), product);
    const ProductWeight weight(arena_, type_, weight_);
    arena_.device().gemm(rows, outputs_, inputs_, x, false, weight.data(), false, 0, product);
}

void Linear::forward(int rows, ConstArray x, Array y) const {
    if (fp8_ || !bias_) {
        multiply(rows, x, y);
        if (bias_) arena_.device().addBias(rows, outputs_, bias_->value(), y);
        return;
    }
    const ProductWeight weight(arena_, type_, weight_);
    arena_.device().gemmBias(rows, outputs_, inputs_, x, weight.data(), bias_->value(), y);
}

void Linear::forwardResidual(int rows, ConstArray x, ConstArray residual, Array y) const {
    if (fp8_) {
        multiply(rows, x, y);
        return arena_.device().addBiasAndResidual(rows, outputs_, bias(), residual, y);
    }
    const ProductWeight weight(arena_, type_, weight_);
    arena_.device().gemmBiasResidual(rows, outputs_, inputs_, x, weight.data(), bias(), residual, y);
}

void Linear::forwardGelu(int rows, ConstArray x, Array y, Array activated) const {
    if (fp8_) {
        forward(rows, x, y);
        return arena_.device().activate(Activation::GeluTanh, std::int64_t{rows} * outputs_, y, activated);
    }
    const ProductWeight weight(arena_, type_, weight_);
    arena_.device().gemmBiasGelu(rows, outputs_, inputs_, x, weight.data(), bias_->value(), y, activated);
}

void Linear::inputGrad(int rows, ConstArray outputGradient, float before, Array inputGradient) const {
    if (fp8_) return fp8_->inputGrad(number_, rows, outputGradient, weight_.value(), before, inputGradient);
    const ProductWeight weight(arena_, type_, weight_);
    arena_.device().gemm(rows, inputs_, outputs_, outputGradient, false, weight.data(), true, before, inputGradient);
}

void Linear::inputGradGelu(int rows, ConstArray outputGradient, Array x, Array scratch, Array bias) const {
    if (fp8_) {
        inputGrad(rows, outputGradient, scratch);
        if (bias) return arena_.device().geluGradBias(rows, inputs_, scratch, x, bias);
        return arena_.device().geluGrad(std::int64_t{rows} * inputs_, scratch, x);
    }
    const ProductWeight weight(arena_, type_, weight_);
    arena_.device().gemmGeluGrad(rows, inputs_, outputs_, outputGradient, weight.data(), x, scratch, bias);
}

void Linear::weightGrad(int rows, ConstArray x, ConstArray outputGradient, bool biasToo) const {
    Device& device = arena_.device();
    if (sumsOverTokens()) {
        const std::int64_t elements = std::int64_t{inputs_} * outputs_;
        const Buffer sums = arena_.allocate(MemoryCategory::Temporary, static_cast<std::size_t>(elements));
        if (fp8_) fp8_->weightGrad(number_, rows, x, outputGradient, 0, sums.data());
        else device.gemm(inputs_, outputs_, rows, x, true, outputGradient, false, 0, sums.data());
        tensor_.sumOverTokens(sums.span());
        return device.add(elements, sums.data(), weight_.gradient());
    }
    if (fp8_) fp8_->weightGrad(number_, rows, x, outputGradient, 1, weight_.gradient());
    else device.gemm(inputs_, outputs_, rows, x, true, outputGradient, false, 1, weight_.gradient());
    if (bias_ && biasToo) device.addColumnSums(rows, outputs_, outputGradient, bias_->gradient());
}

}  // namespace shardlab::train
