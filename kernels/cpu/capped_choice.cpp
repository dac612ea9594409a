// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/capped_choice.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace shardlab::kernels::cpu {

namespace {

/// Not-a-number stays not-a-number.
float atMostOne(float x) { return x > 1 ? 1.0f : x; }

/// Finds f with Σ min(1, f·share(i)) = wanted by Newton's steps from below, none of which goes too far, because the sum
/// is concave in f.
template <class Share>
float cappedFactor(int count, float wanted, Share share) {
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += share(i);
    float factor = wanted / sum;
    for (int step = 0; step < cappedSteps; ++step) {
        float rest = wanted, below = 0;
        for (int i = 0; i < count; ++i) {
            const float one = share(i);
            if (factor * one >= 1) rest -= 1;
            else below += one;
        }
        const float next = rest / below;
        if (!(below > 0) || !(next > factor)) break;
        factor = next;
    }
    return factor;
}

/// A = min(1, uᵢ·vⱼ·exp((G − 1) ÷ λ)) for expert i and token j, v ≤ 1. Each projection sets all u or all v.
class Projections {
public:
    Projections(const GateShape& shape, const GateRule& rule, const float* probabilities, float* assigned)
        : experts_(shape.experts), tokens_(shape.sequence), places_(static_cast<float>(shape.capacity)),
          most_(static_cast<float>(rule.tokenExperts)), bounded_(rule.tokenExperts < shape.experts), shares_(assigned),
          ofExperts_(static_cast<std::size_t>(shape.experts), 1.0f),
          ofTokens_(static_cast<std::size_t>(shape.sequence), 1.0f) {
        for (int i = 0; i < tokens_ * experts_; ++i) shares_[i] = std::exp((probabilities[i] - 1) / rule.entropy);
    }

    void round(bool first) {
        for (int e = 0; e < experts_; ++e) {
            float& own = ofExpert(e);
            const float exact = cappedFactor(tokens_, places_, [&](int t) { return ofToken(t) * share(t, e); });
            own = first ? exact : relaxed(own, exact);
        }
        if (!bounded_) return;
        for (int t = 0; t < tokens_; ++t) {
            float& own = ofToken(t);
            const float exact = cappedFactor(experts_, most_, [&](int e) { return ofExpert(e) * share(t, e); });
            own = atMostOne(first ? exact : relaxed(own, exact));
        }
    }

    /// The largest relative deviation of an expert's sum from its places, or of a token's sum from its experts; a token
    /// with v = 1 may have less.
    float violation() {
        float worst = 0;
        for (int e = 0; e < experts_; ++e) {
            float sum = 0;
            for (int t = 0; t < tokens_; ++t) sum += value(t, e);
            worst = std::max(worst, std::abs(sum - places_) / places_);
        }
        for (int t = 0; t < tokens_; ++t) {
            float sum = 0;
            for (int e = 0; e < experts_; ++e) sum += value(t, e);
            const float above = (sum - most_) / most_;
            worst = std::max(worst, ofToken(t) < 1 ? std::abs(above) : above);
        }
        return worst;
    }

    void finish() {
        for (int t = 0; t < tokens_; ++t)
            for (int e = 0; e < experts_; ++e) share(t, e) = value(t, e);
    }

private:
    static float relaxed(float own, float exact) { return own * std::pow(exact / own, cappedRelaxation); }
    float& share(int token, int expert) { return shares_[token * experts_ + expert]; }
    float& ofExpert(int expert) { return ofExperts_[static_cast<std::size_t>(expert)]; }
    float& ofToken(int token) { return ofTokens_[static_cast<std::size_t>(token)]; }
    float value(int token, int expert) { return atMostOne(ofExpert(expert) * (ofToken(token) * share(token, expert))); }

    int experts_, tokens_;
    float places_, most_;
    bool bounded_;
    float* shares_;
    std::vector<float> ofExperts_, ofTokens_;
};

}  // namespace

int cappedAssignment(const GateShape& shape, const GateRule& rule, const float* probabilities, float* assigned) {
    Projections projections(shape, rule, probabilities, assigned);
    int rounds = 0;
    do projections.round(rounds++ == 0);
    while (rounds < cappedRounds && projections.violation() > cappedTolerance);
    projections.finish();
    return rounds;
}

}  // namespace shardlab::kernels::cpu
