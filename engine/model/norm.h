// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/layer_context.h"

#include <string>

namespace shardlab {

/// Layer norm over the hidden dimension ("<name>.weight", "<name>.bias"), on own tokens. Matrices are [rows, width];
/// `statistics` are 2·rows floats: the means, then the reciprocals of the standard deviations.
class Norm {
public:
    Norm(const LayerContext& context, const std::string& name);

    void forward(int rows, ConstArray x, float* statistics, Array output) const;
    /// inputGradient = gradient through the norm + residualGradient (null: none).
    void inputGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient,
                   ConstArray residualGradient, Array inputGradient) const;
    /// Adds to the gradients of scale and shift what all tokens make of them. Where a tensor group splits the tokens, the
    /// members' parts are summed: 2·width floats (Temporary).
    void weightGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient) const;

private:
    Arena& arena_;
    TensorGroup& tensor_;
    int width_;
    Weight scale_;
    Weight shift_;
};

}  // namespace shardlab
