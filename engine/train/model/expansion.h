// SPDX-License-Identifier: Apache-2.0
// The first product of a feed-forward block with the activation after it: activation(x·W + bias). The activation may be
// a gate, for which the product makes as many columns again.
#pragma once

#include "engine/train/model/linear.h"
#include "kernels/activation.h"

#include <functional>
#include <string>

namespace shardlab::train {

class Expansion {
public:
    /// Weight "<name>.c_fc" [hidden, width], or with a gate "<name>.gate_up" [hidden, 2·width]: gates, then their
    /// values. A tensor group shares the columns.
    Expansion(const LayerContext& context, const std::string& name, int width, const Initial& initial);

    /// Columns of the activation that this member has.
    int width() const { return expansion_.outputs() / (gated_ ? 2 : 1); }
    /// Columns of the product that this member has: width(), or twice as many with a gate.
    int columns() const { return expansion_.outputs(); }

    /// expanded [rows, columns()] = x·W + bias; activated [rows, width()] = activation(expanded).
    void forward(int rows, ConstArray x, Array expanded, Array activated) const;
    /// activated = activation(expanded), to the bits of forward where the backward computes it again.
    void activate(int rows, ConstArray expanded, Array activated) const;
    /// expanded := the gradient of itself, where `projection` read the activation and its output has the gradient
    /// `outputGradient`; scratch [rows, width()]. `masked` applies a mask of [rows, width()], with which the activation
    /// was multiplied before it was read. Where `biasToo`, and a device can in one pass, it adds the gradient of the
    /// bias, to the bits of weightGrad, and returns true.
    bool activationGrad(int rows, const Linear& projection, ConstArray outputGradient, Array expanded, Array scratch,
                        const std::function<void(Array)>& masked = {}, bool biasToo = false) const;
    /// Both take the gradient of `expanded`.
    void inputGrad(int rows, ConstArray expanded, Array inputGradient) const {
        expansion_.inputGrad(rows, expanded, inputGradient);
    }
    void weightGrad(int rows, ConstArray x, ConstArray expanded, bool biasToo = true) const {
        expansion_.weightGrad(rows, x, expanded, biasToo);
    }

private:
    /// The products do the activation with them: GELU with tanh, of a product with a bias.
    bool fused() const {
        return function_.f == Activation::GeluTanh && !gated_ && static_cast<bool>(expansion_.bias());
    }

    Device& device_;
    bool again_;  ///< the backward computes the activation again: no product does it by the way
    bool gated_;
    GateFunction function_;
    Linear expansion_;
};

}  // namespace shardlab::train
