// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/parameter_set.h"

#include <string>

namespace shardlab {

/// y = x·W + bias, W stored [inputs, outputs] ("<name>.weight", "<name>.bias"). x is [rows, inputs], y [rows, outputs].
/// The bias is added by the caller, who fuses it with what follows.
class Linear {
public:
    Linear(ParameterSet& set, const std::string& name, int inputs, int outputs, double deviation);

    const float* bias() const { return bias_.value(); }
    /// product = x·W.
    void multiply(int rows, const float* x, float* product) const;
    /// inputGradient = outputGradient·Wᵀ.
    void inputGrad(int rows, const float* outputGradient, float* inputGradient) const;
    /// Adds xᵀ·outputGradient and its column sums.
    void weightGrad(int rows, const float* x, const float* outputGradient) const;

private:
    int inputs_;
    int outputs_;
    Weight weight_;
    Weight bias_;
};

}  // namespace shardlab
