// SPDX-License-Identifier: Apache-2.0
// A gate scores the experts for every token and decides who goes where (1701.06538, 2101.03961, 2202.09368). All of it in
// fp32, whatever the layers compute in. The tokens of one sample compete for the places of its experts: each expert has
// `capacity` places for each sample. Matrices are [tokens, …], row-major, tokens = samples · sequence.
// Tolerance against double precision: 1e-5 of the largest value.
#pragma once

#include <cstdint>

namespace shardlab {

enum class GateKind : std::uint8_t {
    Switch,       ///< G = softmax(H); a token takes its largest, with that weight. Balance n·Σ f·p
    NoisyTopK,    ///< G = softmax over the largest few of H, 0 elsewhere; balance: squared coefficient of variation of Σ G
    ExpertChoice, ///< G = softmax(H); an expert takes the `capacity` tokens of a sample whose G for it is largest
};

struct GateShape {
    int samples = 1;
    int sequence = 1;
    int experts = 1;
    int choices = 1;   ///< of a token: 1, k, or all experts where they choose
    int capacity = 1;  ///< at most sequence
    int tokens() const { return samples * sequence; }
    int rows() const { return experts * samples * capacity; }
    /// Of one expert; expert e has the rows from e · expertRows() on, sample after sample.
    int expertRows() const { return samples * capacity; }
};

/// Who goes where. All lie on the device.
struct Routes {
    float* weights = nullptr;        ///< [tokens, choices] of the expert's output in the token's
    std::int32_t* rows = nullptr;    ///< [tokens, choices] row among the experts' rows; -1: no place, or not chosen
    std::int32_t* places = nullptr;  ///< [rows] token · choices + choice that has the row; -1: nobody
    float* asked = nullptr;          ///< [samples, experts] tokens that chose the expert, with a place or without
    float* sums = nullptr;           ///< [samples, experts] Σ G of the sample's tokens
};

/// The balance loss of a sample: Switch n·Σ f·p, f = asked ÷ s, p = sums ÷ s; NoisyTopK variance ÷ mean² of sums, over
/// the experts. None where experts choose.
struct Balance {
    GateKind kind = GateKind::Switch;
    float weight = 0;  ///< of the mean over samples, in the gradient
};

struct GateOps {
    /// logits[i] += ε·softplus(noise[i]) and noise[i] := ε·sigmoid(noise[i]), its slope; both [rows, columns]. ε of
    /// element (r, c), normal with deviation 1, is a hash of (key, firstRow + r, c) alone.
    virtual void gateNoise(int rows, int columns, std::uint64_t key, std::int64_t firstRow, float* noise,
                           float* logits) = 0;
    /// From logits H [tokens, experts], overwritten with G. Of equal scores the lower number goes first. All first choices
    /// have a place before second ones, and tokens one in the order of the text. Overwrites all of `routes`.
    virtual void route(const GateShape& shape, GateKind kind, float* logits, const Routes& routes) = 0;
    /// probabilities G are overwritten with the gradient of H: of `weightGradient` [tokens, choices], of the routes'
    /// weights (what has no place gets none), and of the balance loss, in which f is constant. `noise`, where not null, is
    /// the slope of gateNoise and becomes the gradient of what that was given.
    virtual void routeGrad(const GateShape& shape, const Balance& balance, const Routes& routes,
                           const float* weightGradient, float* probabilities, float* noise) = 0;
    /// tally[e] += tokens that chose expert e; tally[experts + e] += those of them without a place.
    virtual void countLoad(const GateShape& shape, const float* asked, std::int32_t* tally) = 0;

protected:
    ~GateOps() = default;
};

}  // namespace shardlab
