// SPDX-License-Identifier: Apache-2.0
// Which expert a token goes to, and how much of each token's output is its expert's: the scores of a layer's tokens, in
// fp32 whatever the rest is computed in (2101.03961), and what they decide (kernels/gate.h).
#pragma once

#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"

#include <string>

namespace shardlab {

/// As the layout says (ModelSpec), with noise or without.
struct GateSpec {
    GateShape shape;
    GateKind kind = GateKind::Switch;
    double balance = 0;    ///< weight of the balance loss
    Initial start;         ///< of the scores' weights
    int tokenExperts = 1;  ///< CappedChoice: b
    double entropy = 0.1;  ///< CappedChoice: λ
    bool noisy() const { return kind == GateKind::NoisyTopK || inGroups(); }
    bool inGroups() const { return kind == GateKind::Hierarchical; }
    bool capped() const { return kind == GateKind::CappedChoice; }
    bool expertsChoose() const { return kind == GateKind::ExpertChoice || capped(); }
};

/// What a gate holds of one microbatch. Memory, of N tokens, n experts, g groups, k choices, R rows and b samples:
///   scores, noise  Nn fp32, and where there are groups Ng; the latter where noisy
///   weights, rows  Nk each; places R; asked and sums 2bn
class GateState {
public:
    GateState() = default;
    GateState(const LayerContext& context, const GateSpec& spec);
    /// `assigned` and `rounds` are the caller's.
    Routes routes() const;
    GateScores scoresOfAll() const { return {scores.floats(), groupScores.empty() ? nullptr : groupScores.floats()}; }
    GateScores noiseOfAll() const {
        return {noise.empty() ? nullptr : noise.floats(), groupNoise.empty() ? nullptr : groupNoise.floats()};
    }

    void visitSavedBuffers(const KeptVisitor& visit) {
        for (Buffer* each : {&scores, &groupScores, &noise, &groupNoise, &weights, &rows, &places, &counts})
            visit(*each);
    }

    Buffer scores, groupScores;  ///< G and P after the forward, the gradients of H and U after inputGrad
    Buffer noise, groupNoise;
    Buffer weights, rows, places, counts;
};

/// Weights: "<block>.moe.gate.weight" [hidden, experts], and "<block>.moe.noise.weight" where noisy; with groups
/// "<block>.moe.group_gate.weight" [hidden, groups] and "<block>.moe.group_noise.weight".
/// Temporary, where activations have 16 bits: x in fp32, Nh, in forward and weightGrad; in inputGrad the gates' part of
/// its gradient, Nh in fp32. Where weights have 16 bits, a copy of one of them in fp32, hn; in weightGrad, where
/// gradients have, its gradient. CappedChoice, at the end of forward: A, Nn fp32, and a number for each sample.
class Gate {
public:
    Gate(const LayerContext& context, const std::string& block, const GateSpec& spec);

    const GateSpec& spec() const { return spec_; }
    /// Of x [tokens, hidden]. Noise and draws follow the number of the first sample, as dropout does: none where there
    /// is none.
    void forward(const LayerState& state, GateState& held, ConstArray x) const;
    /// `weightGradient` [tokens, choices], of the routes' weights; adds to the gradient of x. The balance loss counts
    /// as much as state.lossScale says.
    void inputGrad(const LayerState& state, GateState& held, const float* weightGradient, Array xGradient) const;
    void weightGrad(const GateState& held, ConstArray x) const;

private:
    /// One matrix of scores, with its noise's.
    struct Scorer {
        Scorer(const LayerContext& context, const std::string& gate, const std::string& noise, int columns,
               const GateSpec& spec);

        int columns;
        Weight weight;
        std::optional<Weight> noise;
        std::uint64_t key;
    };
    Buffer inFloats(ConstArray x) const;
    void score(const LayerState& state, const Scorer& scorer, ConstArray floats, const Buffer& scores,
               const Buffer& noise) const;
    void addGradient(const Weight& weight, ConstArray x, const Buffer& scores, int columns) const;

    LayerContext context_;
    GateSpec spec_;
    Scorer experts_;
    std::optional<Scorer> groups_;
    std::uint64_t draws_;
};

}  // namespace shardlab
