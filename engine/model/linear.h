// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/parameter_set.h"

#include <cstdint>
#include <string>

namespace shardlab {

/// How a tensor group shares a product: by columns of the weight, each member making a part of every output row from
/// whole input rows; by rows, each making a summand of whole output rows from its part of the input (1909.08053).
enum class LinearCut : std::uint8_t { Columns, Rows };

/// y = x·W + bias, W stored [inputs, outputs] ("<name>.weight", "<name>.bias"). x is [rows, inputs], y [rows, outputs],
/// of what this member holds. The bias is added by the caller, who fuses it with what follows; cut by rows it is whole.
class Linear {
public:
    /// `inputs` and `outputs` of the whole. `groups`: equal runs of the columns, each cut by itself (query, key, value).
    Linear(ParameterSet& set, const std::string& name, int inputs, int outputs, double deviation, LinearCut cut,
           int groups = 1);

    int inputs() const { return inputs_; }
    int outputs() const { return outputs_; }

    const float* bias() const { return bias_.value(); }
    /// product = x·W.
    void multiply(int rows, const float* x, float* product) const;
    /// inputGradient = outputGradient·Wᵀ.
    void inputGrad(int rows, const float* outputGradient, float* inputGradient) const;
    /// Adds xᵀ·outputGradient and its column sums.
    void weightGrad(int rows, const float* x, const float* outputGradient) const;

private:
    Weight weight_;
    Weight bias_;
    int inputs_;
    int outputs_;
};

}  // namespace shardlab
