// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/layer_context.h"

#include <optional>
#include <string>

namespace shardlab {

/// Layer norm over the hidden dimension ("<name>.weight", "<name>.bias"), or where the style says so RMSNorm
/// ("<name>.weight"), on own tokens. Matrices are [rows, width]; `statistics` are the means, of layer norm alone, then
/// the reciprocals of the standard deviations, or of the root mean squares.
class Norm {
public:
    Norm(const LayerContext& context, const std::string& name);

    /// How many floats: 2·rows, of RMSNorm rows.
    std::size_t statistics(int rows) const {
        return static_cast<std::size_t>(shift_ ? 2 : 1) * static_cast<std::size_t>(rows);
    }
    void forward(int rows, ConstArray x, float* statistics, Array output) const;
    /// inputGradient = gradient through the norm + residualGradient (null: none).
    void inputGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient,
                   ConstArray residualGradient, Array inputGradient) const;
    /// Adds to the gradients of scale and shift what all tokens make of them. Where a tensor group splits the tokens,
    /// the members' parts are summed: 2·width floats, of RMSNorm width (Temporary).
    void weightGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient) const;

private:
    void addWeightGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient, Array scale,
                       Array shift) const;

    Arena& arena_;
    TensorGroup& tensor_;
    int width_;
    Weight scale_;
    std::optional<Weight> shift_;  ///< none: RMSNorm
};

}  // namespace shardlab
