// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/parameter_set.h"

#include <string>

namespace shardlab {

/// Layer norm over the hidden dimension ("<name>.weight", "<name>.bias"). Matrices are [rows, width];
/// `statistics` are 2·rows floats: the means, then the reciprocals of the standard deviations.
class Norm {
public:
    Norm(ParameterSet& set, const std::string& name, int width);

    void forward(int rows, const float* x, float* statistics, float* output) const;
    /// inputGradient = gradient through the norm + residualGradient (null: none).
    void inputGrad(int rows, const float* x, const float* statistics, const float* outputGradient,
                   const float* residualGradient, float* inputGradient) const;
    /// Adds to the gradients of scale and shift.
    void weightGrad(int rows, const float* x, const float* statistics, const float* outputGradient) const;

private:
    int width_;
    Weight scale_;
    Weight shift_;
};

}  // namespace shardlab
