// SPDX-License-Identifier: Apache-2.0
// The gate of a layer with experts: decides which experts a token goes to, and with which weights their outputs are
// summed (kernels/gate.h). Scores are computed in fp32, whatever format the rest has (2101.03961).
#pragma once

#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"

#include <string>

namespace shardlab::train {

/// The gate as the layout describes it (ModelSpec).
struct GateSpec {
    GateShape shape;
    GateKind kind = GateKind::Switch;
    double balance = 0;      ///< weight of the balance loss
    Initial start;           ///< how the scores' weights start
    int tokenExperts = 1;    ///< CappedChoice: b
    double entropy = 0.1;    ///< CappedChoice: λ
    double scale = 1;        ///< Sigmoid: factor of the weights
    bool biased = false;     ///< Sigmoid: scores have a bias for the choice alone
    bool scoreBias = false;  ///< scores of experts have a bias that is learned
    bool numbered = false;   ///< rows have to be known by their numbers
    bool noisy() const { return kind == GateKind::NoisyTopK || inGroups(); }
    bool inGroups() const { return kind == GateKind::Hierarchical; }
    bool capped() const { return kind == GateKind::CappedChoice; }
    bool expertsChoose() const { return kernels::expertsChoose(kind); }
    bool keepsNumbers() const { return shape.competes() || (shape.dropless && numbered); }
};

/// What a gate holds of one microbatch. Memory for N tokens, n experts, g groups, k choices, R rows and b samples:
///   scores, noise  Nn fp32 each, and where there are groups Ng each; noise only where the gate is noisy
///   weights, rows  Nk each; places R; asked and sums 2bn; begins n + 1 where rows are packed; numbers R where other
///                  members compete, or dropless where they are asked for; rounds b with CappedChoice
class GateState {
public:
    GateState() = default;
    GateState(const LayerContext& context, const GateSpec& spec);
    /// The routes in these buffers; `assigned` belongs to the caller.
    Routes routes() const;
    GateScores scoresOfAll() const { return {scores.floats(), groupScores.empty() ? nullptr : groupScores.floats()}; }
    GateScores noiseOfAll() const {
        return {noise.empty() ? nullptr : noise.floats(), groupNoise.empty() ? nullptr : groupNoise.floats()};
    }

    void visitSavedBuffers(const KeptVisitor& visit) {
        for (Buffer* each : {&scores, &groupScores, &noise, &groupNoise, &weights, &rows, &places, &counts, &begins,
                             &numbers, &rounds})
            visit(*each);
    }

    Buffer scores, groupScores;  ///< G and P after the forward, the gradients of H and U after inputGrad
    Buffer noise, groupNoise;
    Buffer weights, rows, places, counts, begins, numbers, rounds;
};

/// Weights: "<block>.moe.gate.weight" [hidden, experts], and "<block>.moe.noise.weight" where noisy; with groups
/// "<block>.moe.group_gate.weight" [hidden, groups] and "<block>.moe.group_noise.weight"; "<block>.moe.scores.bias"
/// [experts] where scores have a bias that is learned.
/// Temporary memory: where activations have 16 bits, Nh in fp32, for x in forward and weightGrad, and for the gate's
/// part of own tokens' gradient in inputGrad; where weights have 16 bits, hn for a copy of one of them in fp32; where
/// gradients have 16 bits, as much in weightGrad for its gradient; at the end of forward, with CappedChoice A with Nn
/// fp32, of a context group's c members Ncn.
/// A tensor group shares none of it: its members have the same weights and compute the same bits for all tokens. A
/// member of a context group chooses for its own tokens. Where experts have a limit of places, its tokens have those
/// that they would have on one rank with all members' tokens: at the end of forward the members gather what decides
/// that, 2kbn numbers of 32 bits of its own and 2kbnc of all where tokens choose, Ncn where experts do, which then lie
/// in the order of tokens a second time. The balance loss is that of whole samples.
class Gate {
public:
    Gate(const LayerContext& context, const std::string& block, const GateSpec& spec);

    const GateSpec& spec() const { return spec_; }
    /// Chooses experts for x [tokens, hidden]. Noise and random choices depend on the number of the first sample, as
    /// dropout does; where there is no such number, there are none.
    void forward(const LayerState& state, GateState& held, ConstArray x) const;
    /// The bias of each expert [experts] on the device, zeros at the start; empty where there is none (Buffers).
    const Buffer& bias() const { return bias_; }
    /// Adds to the gradient of x, of which there are the rows of own tokens. `weightGradient` [tokens, choices] is that
    /// of the routes' weights. The balance loss is multiplied by state.lossScale. Where a context group shares the
    /// tokens, `held.counts` are those of whole samples afterwards.
    void inputGrad(const LayerState& state, GateState& held, const float* weightGradient, Array xGradient) const;
    void weightGrad(const GateState& held, ConstArray x) const;

private:
    /// What the members of a context group tell each other, in memory of its own.
    struct Told {
        Buffer asks, probabilities;
        ToldChoices choices() const;
    };
    Told told(const GateState& held, const Buffer& asks) const;
    Buffer inOrder(const Buffer& gathered) const;
    /// One matrix of scores, with the matrix of its noise.
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
    void addNoise(std::int64_t firstSample, const Scorer& scorer, const Buffer& scores, const Buffer& noise) const;
    void addGradient(const Weight& weight, ConstArray x, const Buffer& scores, int columns) const;
    void addBiasGradient(const Buffer& scores) const;

    LayerContext context_;
    GateSpec spec_;
    Scorer experts_;
    std::optional<Scorer> groups_;
    std::optional<Weight> scoreBias_;
    Buffer bias_;
    std::uint64_t draws_;
};

}  // namespace shardlab::train
