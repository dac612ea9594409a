// SPDX-License-Identifier: Apache-2.0
// Which expert a token goes to, and how much of each token's output is its expert's: the scores of a layer's tokens, in
// fp32 whatever the rest is computed in (2101.03961), and what they decide (kernels/gate.h).
#pragma once

#include "engine/model/layer.h"
#include "engine/model/layer_context.h"

#include <string>

namespace shardlab {

/// As the layout says (ModelSpec), with a noise or without.
struct GateSpec {
    GateShape shape;
    GateKind kind = GateKind::Switch;
    double balance = 0;  ///< weight of the balance loss
    Initial start;       ///< of the scores' weights
    bool noisy() const { return kind == GateKind::NoisyTopK; }
};

/// What a gate holds of one microbatch. Memory, of N tokens, n experts, k choices, R rows and b samples:
///   scores, noise  Nn fp32, the latter where noisy
///   weights, rows  Nk each; places R; asked and sums 2bn
class GateState {
public:
    GateState() = default;
    GateState(const LayerContext& context, const GateSpec& spec);
    Routes routes() const;
    ConstArray noiseData() const { return noise.data(); }

    Buffer scores;  ///< G after the forward, the gradient of H after inputGrad
    Buffer noise;
    Buffer weights, rows, places, counts;
};

/// Weights: "<block>.moe.gate.weight" [hidden, experts], and "<block>.moe.noise.weight" where noisy.
/// Temporary, where activations have 16 bits: x in fp32, Nh, in forward and weightGrad; in inputGrad the gates' part of its
/// gradient, Nh in fp32. Where weights have 16 bits, a copy of one of them in fp32, hn; in weightGrad, where gradients have,
/// its gradient.
class Gate {
public:
    Gate(const LayerContext& context, const std::string& block, const GateSpec& spec);

    const GateSpec& spec() const { return spec_; }
    /// Of x [tokens, hidden]. Noise follows the number of the first sample, as dropout does: none where there is none.
    void forward(const LayerState& state, GateState& held, ConstArray x) const;
    /// `weightGradient` [tokens, choices], of the routes' weights; adds to the gradient of x. The balance loss counts as much
    /// as state.lossScale says.
    void inputGrad(const LayerState& state, GateState& held, const float* weightGradient, Array xGradient) const;
    void weightGrad(const GateState& held, ConstArray x) const;

private:
    Buffer inFloats(ConstArray x) const;
    void addGradient(const Weight& weight, ConstArray x, const Buffer& scores) const;

    LayerContext context_;
    GateSpec spec_;
    Weight weight_;
    std::optional<Weight> noise_;
    std::uint64_t key_;
};

}  // namespace shardlab
