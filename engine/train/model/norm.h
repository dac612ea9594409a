// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/layer_context.h"

#include <optional>
#include <string>

namespace shardlab::train {

/// Layer norm over the hidden dimension ("<name>.weight", "<name>.bias"), or RMSNorm ("<name>.weight") where the
/// model's parts say so, on own tokens. Matrices are [rows, width]. `statistics` are the means (layer norm only), then
/// the reciprocals of the standard deviations, or of the root mean squares.
class Norm {
public:
    Norm(const LayerContext& context, const std::string& name)
        : Norm(context, name, context.hidden, context.parts.rmsNorm) {}
    /// A norm of rows of `width` numbers, which is RMSNorm where `rms` and else layer norm.
    Norm(const LayerContext& context, const std::string& name, int width, bool rms);

    /// Number of floats: 2·rows, or `rows` for RMSNorm.
    std::size_t statistics(int rows) const {
        return static_cast<std::size_t>(shift_ ? 2 : 1) * static_cast<std::size_t>(rows);
    }
    void forward(int rows, ConstArray x, float* statistics, Array output) const;
    /// inputGradient = gradient through the norm + residualGradient (null: 0). Where `weightsToo`, and no tensor group
    /// splits the tokens, it does what weightGrad would on its way, to the same bits, and returns true.
    bool inputGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient,
                   ConstArray residualGradient, Array inputGradient, bool weightsToo = false) const;
    /// Adds to the gradients of scale and shift, over all tokens. Where a tensor group splits the tokens, the members'
    /// parts are summed: 2·width floats, or `width` for RMSNorm (Temporary).
    void weightGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient) const;

private:
    void addWeightGrad(int rows, ConstArray x, const float* statistics, ConstArray outputGradient, Array scale,
                       Array shift) const;

    Arena& arena_;
    TensorGroup& tensor_;
    int width_;
    float epsilon_;
    Weight scale_;
    std::optional<Weight> shift_;  ///< empty for RMSNorm
};

}  // namespace shardlab::train
