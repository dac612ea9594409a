// SPDX-License-Identifier: Apache-2.0
// A gate scores the experts for every token and decides which experts it goes to (1701.06538, 2006.16668, 2101.03961,
// 2202.09368, 2412.19437). All numbers are fp32, whatever the layers compute in. The tokens of one sample compete for
// the places of its experts: each expert has `capacity` places for each sample. Matrices are [tokens, …], row-major,
// where tokens = samples · sequence. The tolerance against double precision is 1e-5 of the largest value.
//
// A gate works in two phases. Where the members of a context group divide the tokens of each sample, they tell each
// other in between what they have to know of the others' tokens (ToldChoices), so that each of their tokens has the
// place that it would have on one rank with all of them.
#pragma once

#include "kernels/row_positions.h"
#include "kernels/work.h"

#include <algorithm>
#include <tuple>

namespace shardlab::kernels {

enum class GateKind : std::uint8_t {
    Switch,       ///< G = softmax(H); a token takes its largest k, with their weights. Balance n·Σ f·p
    TopKSoftmax,  ///< G = softmax(H); a token takes its largest k, with gᵢ ÷ Σ g over these k. Balance n·Σ f·p
    Sigmoid,  ///< G = sigmoid(H); a token takes the k whose G + bias is largest, with scale · gᵢ ÷ Σ g over these k.
              ///< Where there are groups, the k are among the `groupChoices` groups of neighbouring experts for which
              ///< the sum of the two largest G + bias is largest (2412.19437). Balance n·Σ f·p
    NoisyTopK,  ///< G = softmax over the largest few of H, 0 elsewhere. Balance: squared coefficient of variation of Σ
                ///< G
    ExpertChoice,  ///< G = softmax(H); an expert takes the `capacity` tokens of a sample whose G for it is largest
    GShard,  ///< G = softmax(H); a token takes its largest two, g₁ ≥ g₂, with gᵢ ÷ (g₁ + g₂); the second only where
             ///< twice its weight exceeds a draw (2006.16668, algorithm 1). Balance n·Σ f·p, f of first choices
    Hierarchical,  ///< P = softmax over the largest few groups by U; Q = softmax over the largest few of H in each such
                   ///< group; G = P·Q, 0 elsewhere (1701.06538, appendix B). Balance as NoisyTopK
    CappedChoice,  ///< as ExpertChoice, but an expert takes the tokens whose A for it is largest, weighted by G:
                   ///< GateRule says what A is
};

/// Experts choose tokens, and not tokens experts.
constexpr bool expertsChoose(GateKind kind) { return kind == GateKind::ExpertChoice || kind == GateKind::CappedChoice; }

/// How a gate decides.
struct GateRule {
    GateKind kind = GateKind::Switch;
    /// GShard: a token's draw, uniform in [0, 1), is a hash of (key, firstRow + GateShape::numberOf(token)) alone.
    /// Without draws a token always takes its second expert.
    bool draws = false;
    std::uint64_t key = 0;
    std::int64_t firstRow = 0;
    /// CappedChoice: A [tokens, experts] of a sample maximises Σ G·A − λ Σ A·log A, where 0 ≤ A ≤ 1, each expert has
    /// Σ A = capacity and each token Σ A ≤ b = tokenExperts (2202.09368, section 3.3). It has the form
    /// min(1, uᵢ·vⱼ·exp(G ÷ λ)), v ≤ 1: Bregman's projections set all u for the experts' constraint, then all v for the
    /// tokens', and so on, over-relaxed by `cappedRelaxation`, until no expert's sum is off capacity by more than
    /// `cappedTolerance` of it, nor a token's off b (below it only where v < 1), for `cappedRounds` rounds at most.
    int tokenExperts = 1;
    float entropy = 0.1f;  ///< λ
    /// Sigmoid: [experts] on the device, what is added to G for the choice alone; null: nothing.
    const float* bias = nullptr;
    float scale = 1;  ///< Sigmoid: factor of the weights
    auto memory() { return std::tie(bias); }
};
constexpr float cappedRelaxation = 1.5f;
constexpr float cappedTolerance = 1e-3f;
constexpr int cappedRounds = 500;
constexpr int cappedSteps = 64;  ///< of Newton's method, at most, for one u or v

/// The scores of the tokens: for experts [tokens, experts]; Hierarchical also has those for groups [tokens, groups].
struct GateScores {
    float* experts = nullptr;
    float* groups = nullptr;
    auto memory() { return std::tie(experts, groups); }
};

struct GateShape {
    int samples = 1;
    int sequence = 1;  ///< tokens of a sample, of which a member of a context group has its own alone
    int experts = 1;
    int choices = 1;       ///< of a token: k, 2 (GShard), or all experts where experts choose
    int capacity = 1;      ///< at most wholeSequence()
    int groups = 1;        ///< Hierarchical, Sigmoid: of neighbouring experts, equally many in each
    int groupChoices = 1;  ///< groups of a token; Hierarchical: in each it takes choices ÷ groupChoices experts
    /// Every choice has a row, and an expert as many rows as tokens chose it: Routes::begins says which. `capacity` is
    /// `sequence`. Not with GShard, and not where experts choose.
    bool dropless = false;
    /// Member `member` of the `members` of a context group has of each sample the pieces member and 2 · members − 1 −
    /// member of 2 · members equal ones, in two runs of sequence ÷ 2 tokens. A single member has all tokens.
    int members = 1;
    int member = 0;

    constexpr int tokens() const { return samples * sequence; }
    constexpr int wholeSequence() const { return members * sequence; }
    /// The shape of a rank that has the tokens of all members.
    constexpr GateShape whole() const {
        GateShape all = *this;
        all.sequence = wholeSequence();
        all.members = 1;
        all.member = 0;
        return all;
    }
    /// Where the tokens of a sample lie in it.
    constexpr RowPositions positions() const {
        if (members == 1) return {0, sequence, 0};
        const int piece = sequence / 2;
        return {member * piece, piece, (2 * members - 1 - member) * piece};
    }
    /// The number of a token among those of all members.
    constexpr std::int64_t numberOf(int token) const {
        return std::int64_t{token / sequence} * wholeSequence() + positions().of(token % sequence);
    }

    /// The number of the row of a choice that `token` has made, the `number`th of its sample to ask for the expert.
    constexpr std::int32_t rowNumber(int sample, std::int64_t token, std::int64_t number) const {
        return static_cast<std::int32_t>(dropless ? numberOf(static_cast<int>(token))
                                                  : std::int64_t{sample} * capacity + number);
    }
    /// How many numbers the rows of a sample may have.
    constexpr int numbersOfSample() const { return dropless ? wholeSequence() : capacity; }

    /// Tokens of other members compete for the places.
    constexpr bool competes() const { return members > 1 && !dropless; }
    /// The pieces of a sample in the order of its tokens, who has a piece, and as which of his runs of so many tokens.
    /// Where no other member competes, there is one piece.
    constexpr int pieces() const { return competes() ? 2 * members : 1; }
    constexpr int memberOf(int piece) const {
        if (!competes()) return member;
        return piece < members ? piece : 2 * members - 1 - piece;
    }
    constexpr int runOf(int piece) const { return piece < members ? 0 : 1; }
    constexpr int runTokens() const { return competes() ? sequence / 2 : sequence; }

    /// An expert's rows lie behind those of the expert before, as many as this rank's tokens have: Routes::begins says
    /// which. Otherwise expert e has expertRows() of them from e · expertRows() on, sample after sample.
    constexpr bool packed() const { return dropless || members > 1; }
    constexpr int expertRows() const { return samples * capacity; }
    /// Rows of all experts; where packed and not dropless, the most that there may be.
    constexpr int rows() const {
        if (dropless) return tokens() * choices;
        if (members == 1) return experts * expertRows();
        return std::min(tokens() * choices, experts * samples * std::min(capacity, sequence));
    }
    /// Numbers of Routes::asks.
    constexpr int asks() const { return samples * choices * 2 * experts; }
};

/// Which token goes to which expert. All arrays lie on the device.
struct Routes {
    float* weights = nullptr;  ///< [tokens, choices] weight of the expert's output in the token's output
    /// [tokens, choices] row among the experts' rows. Where tokens choose, a choice of expert e without a place has
    /// −1 − e, and one that GShard does not draw −1 − experts; where experts choose, −1: it does not take the token.
    std::int32_t* rows = nullptr;
    std::int32_t* places = nullptr;  ///< [rows] token · choices + choice that has the row; −1: none
    float* asked = nullptr;          ///< [samples, experts] tokens that chose the expert, with a place or without
    float* sums = nullptr;      ///< [samples, experts] Σ G of the sample's tokens; GShard: tokens that choose it first
    float* assigned = nullptr;  ///< CappedChoice: A [samples · wholeSequence, experts]
    std::int32_t* rounds = nullptr;  ///< CappedChoice: [samples] how many rounds A took
    /// Packed: [experts + 1]; expert e has the rows from begins[e] to before begins[e + 1], sample after sample. What
    /// lies behind the last one belongs to nobody.
    std::int32_t* begins = nullptr;
    /// [rows] the number of a row as one rank with all tokens has it: among expertRows(), or dropless that of its token
    /// (numberOf). Null where nobody asks for numbers; never null where other members compete.
    std::int32_t* numbers = nullptr;
    /// Then, and where tokens choose: [samples, choices, 2, experts] how many tokens of each run ask for an expert.
    std::int32_t* asks = nullptr;
    auto memory() { return std::tie(weights, rows, places, asked, sums, assigned, rounds, begins, numbers, asks); }
};

/// What all members of a context group have told each other once they have chosen. Null where nobody else competes.
struct ToldChoices {
    /// Where tokens choose: Routes::asks of the members, one behind the other.
    const std::int32_t* asks = nullptr;
    /// Where experts choose: G of all tokens [samples · wholeSequence, experts], in the order of samples and tokens.
    const float* probabilities = nullptr;
    auto memory() { return std::tie(asks, probabilities); }

    /// How many tokens of a piece ask for an expert with their choice number `choice`.
    constexpr int asking(const GateShape& shape, int sample, int choice, int piece, int expert) const {
        const int ofMember = (shape.memberOf(piece) * shape.samples + sample) * shape.choices + choice;
        return asks[(std::int64_t{ofMember} * 2 + shape.runOf(piece)) * shape.experts + expert];
    }
};

/// A weight is a share of what the chosen experts' G come to, so that its gradient has parts for those of them too that
/// have no place.
inline bool sharesChosen(GateKind kind) { return kind == GateKind::TopKSoftmax || kind == GateKind::Sigmoid; }

/// The balance loss of a sample. Switch and TopKSoftmax: n·Σ f·p, f = asked ÷ ks, p = Σ G ÷ s; Sigmoid: the same with
/// p = Σ of each token's G ÷ its sum over all experts, ÷ s; GShard: as Switch with f = sums ÷ s; NoisyTopK and
/// Hierarchical: variance ÷ mean² of sums, over the experts. There is none where experts choose.
struct Balance {
    GateKind kind = GateKind::Switch;
    float weight = 0;  ///< of the samples' mean loss, in the gradient
};

/// The balance loss goes by how many tokens chose an expert, whether first or not.
inline bool balancesAsked(GateKind kind) {
    return kind == GateKind::Switch || kind == GateKind::TopKSoftmax || kind == GateKind::Sigmoid;
}

/// The factor that a sample's `asked` (where balancesAsked) or `sums` (the other kinds) of an expert has in the
/// gradient of a token's G for that expert; Sigmoid: of its G ÷ the sum over all experts.
inline float balanceFactor(const GateShape& shape, const Balance& balance) {
    const bool ofSquares = balance.kind == GateKind::NoisyTopK || balance.kind == GateKind::Hierarchical;
    const auto s = static_cast<float>(shape.sequence);
    const float choices = balancesAsked(balance.kind) ? static_cast<float>(shape.choices) : 1.0f;
    return balance.weight * (ofSquares ? 2.0f : 1.0f) * static_cast<float>(shape.experts) / (choices * s * s) /
           static_cast<float>(shape.samples);
}

struct GateOps {
    /// logits[i] += ε·softplus(noise[i]) and noise[i] := ε·sigmoid(noise[i]), its slope; both [rows, columns]. ε of
    /// element (r, c), normal with deviation 1, is a hash of (key, firstRow + r, c) alone.
    virtual void gateNoise(int rows, int columns, std::uint64_t key, std::int64_t firstRow, float* noise,
                           float* logits) = 0;
    static KernelWork gateNoiseWork(int rows, int columns, const auto&...) {
        return {KernelKind::Routing, 4.0 * sizeof(float) * rows * columns};
    }

    /// The first phase: overwrites logits H and U with G and P, and `weights`; where tokens choose, `rows` with what a
    /// choice without a place has, where experts do, with −1; and `asks` where it is not null. Among equal scores
    /// (GShard compares G, Sigmoid G + bias) the lower number goes first. The choices of Hierarchical are ordered by
    /// group, then by expert.
    virtual void chooseExperts(const GateShape& shape, const GateRule& rule, const GateScores& logits,
                               const Routes& routes) = 0;
    static KernelWork chooseExpertsWork(const GateShape& shape, const GateRule&, const GateScores& logits,
                                        const Routes& routes) {
        return {KernelKind::Routing, sizeof(float) * (2 * scoreCount(shape, logits) + 2.0 * choiceCount(shape) +
                                                      (routes.asks ? shape.asks() : 0))};
    }

    /// The second phase: gives out rows, with the `probabilities` G of the first one, and overwrites what else there is
    /// of `routes`. Where tokens choose, all first choices get places before second ones, and tokens in the order of
    /// the text; a second choice that GShard does not draw asks for none.
    virtual void placeTokens(const GateShape& shape, const GateRule& rule, const float* probabilities,
                             const ToldChoices& told, const Routes& routes) = 0;
    static KernelWork placeTokensWork(const GateShape& shape, const GateRule&, const float*, const ToldChoices& told,
                                      const Routes& routes) {
        const double scores = 1.0 * shape.samples * shape.wholeSequence() * shape.experts;
        return {KernelKind::Routing,
                sizeof(float) * ((told.asks ? 1.0 * shape.members * shape.asks() : 0) +
                                 (told.probabilities ? scores : 0) + (routes.assigned ? 2 * scores : 0) +
                                 choiceCount(shape) + (routes.numbers ? 2.0 : 1.0) * shape.rows())};
    }

    /// Overwrites the probabilities G and P with the gradients of H and U. These come from `weightGradient` [tokens,
    /// choices], the gradient of the routes' weights (a choice without a place gets none), and from the balance loss,
    /// in which f is constant. `noise`, where not null, is the slope of gateNoise and becomes the gradient of
    /// gateNoise's input.
    virtual void routeGrad(const GateShape& shape, const Balance& balance, const Routes& routes,
                           const float* weightGradient, const GateScores& probabilities, const GateScores& noise) = 0;
    static KernelWork routeGradWork(const GateShape& shape, const Balance& balance, const Routes&, const float*,
                                    const GateScores& probabilities, const GateScores& noise) {
        const double ofChoice = sharesChosen(balance.kind) ? 3 : 2;  // row, gradient, weight
        return {KernelKind::Routing, sizeof(float) * ((noise.experts ? 4 : 2) * scoreCount(shape, probabilities) +
                                                      ofChoice * shape.tokens() * shape.choices)};
    }

    /// tally[e] += the tokens that chose expert e; tally[experts + e] += those of them without a place.
    virtual void countLoad(const GateShape& shape, const Routes& routes, std::int32_t* tally) = 0;
    static KernelWork countLoadWork(const GateShape& shape, const Routes&, const std::int32_t*) {
        return {KernelKind::Routing, 4.0 * shape.experts * (shape.samples + 4)};
    }

    /// Where experts choose: tally[0] += the tokens that no expert took, tally[1] becomes the most experts that took
    /// one token if these are more, and tally[2] the most rounds, where routes.rounds is not null.
    virtual void countTaken(const GateShape& shape, const Routes& routes, std::int32_t* tally) = 0;
    static KernelWork countTakenWork(const GateShape& shape, const Routes&, const std::int32_t*) {
        return {KernelKind::Routing, 4.0 * shape.tokens() * shape.choices};
    }

protected:
    ~GateOps() = default;

private:
    static double choiceCount(const GateShape& shape) { return 1.0 * shape.tokens() * shape.choices; }
    static double scoreCount(const GateShape& shape, const GateScores& scores) {
        return 1.0 * shape.tokens() * (shape.experts + (scores.groups ? shape.groups : 0));
    }
};

#define SHARDLAB_GATE_OPS(operation)                                                                                   \
    operation(GateOps, gateNoise, 6) operation(GateOps, chooseExperts, 4) operation(GateOps, placeTokens, 5)           \
        operation(GateOps, routeGrad, 6) operation(GateOps, countLoad, 3) operation(GateOps, countTaken, 3)

}  // namespace shardlab::kernels
