// SPDX-License-Identifier: Apache-2.0
#include "engine/model/linear.h"

#include "kernels/bias.h"
#include "kernels/gemm.h"

namespace shardlab {

Linear::Linear(ParameterSet& set, const std::string& name, int inputs, int outputs, double deviation, LinearCut cut,
               int groups)
    : weight_(set.declare(name + ".weight", {inputs, outputs}, {deviation}, true,
                          cut == LinearCut::Columns ? Cut{1, groups} : Cut{0})),
      bias_(set.declare(name + ".bias", {outputs}, {}, false, cut == LinearCut::Columns ? Cut{0, groups} : Cut{})),
      inputs_(weight_.shape()[0]),
      outputs_(weight_.shape()[1]) {}

void Linear::multiply(int rows, const float* x, float* product) const {
    gemm(rows, outputs_, inputs_, x, false, weight_.value(), false, 0, product);
}

void Linear::inputGrad(int rows, const float* outputGradient, float* inputGradient) const {
    gemm(rows, inputs_, outputs_, outputGradient, false, weight_.value(), true, 0, inputGradient);
}

void Linear::weightGrad(int rows, const float* x, const float* outputGradient) const {
    gemm(inputs_, outputs_, rows, x, true, outputGradient, false, 1, weight_.gradient());
    addColumnSums(rows, outputs_, outputGradient, bias_.gradient());
}

}  // namespace shardlab
