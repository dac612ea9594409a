// SPDX-License-Identifier: Apache-2.0
#include "engine/model/norm.h"

#include "kernels/layer_norm.h"

namespace shardlab {

Norm::Norm(ParameterSet& set, const std::string& name, int width)
    : width_(width),
      scale_(set.declare(name + ".weight", {width}, {0, 1}, false)),
      shift_(set.declare(name + ".bias", {width}, {}, false)) {}

void Norm::forward(int rows, const float* x, float* statistics, float* output) const {
    layerNorm(rows, width_, x, scale_.value(), shift_.value(), statistics, statistics + rows, output);
}

void Norm::inputGrad(int rows, const float* x, const float* statistics, const float* outputGradient,
                     const float* residualGradient, float* inputGradient) const {
    layerNormInputGrad(rows, width_, x, scale_.value(), statistics, statistics + rows, outputGradient,
                       residualGradient, inputGradient);
}

void Norm::weightGrad(int rows, const float* x, const float* statistics, const float* outputGradient) const {
    layerNormWeightGrad(rows, width_, x, statistics, statistics + rows, outputGradient, scale_.gradient(),
                        shift_.gradient());
}

}  // namespace shardlab
