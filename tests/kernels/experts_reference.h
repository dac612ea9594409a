// SPDX-License-Identifier: Apache-2.0
// Gates and experts again, in double precision and as plainly as their formulas. Who goes where is decided apart: for
// differences it stays as it is.
#pragma once

#include "kernels/gate.h"
#include "tests/kernels/llama_reference.h"
#include "tests/kernels/reference.h"

#include <map>
#include <numeric>

namespace reference {

using shardlab::kernels::GateKind;
using shardlab::kernels::GateShape;

/// The experts of each token in order of choice, and whether each had a place.
struct Decision {
    std::vector<std::vector<int>> experts;
    std::vector<std::vector<bool>> placed;
    std::vector<bool> alone = {};  ///< of each token: its second expert was not drawn; empty: of none

    bool takes(std::size_t token, std::size_t choice) const { return choice == 0 || alone.empty() || !alone[token]; }
    /// Tokens of a sample that chose the expert; `firsts`: as their first choice.
    int asked(const GateShape& shape, int sample, int expert, bool firsts = false) const {
        int count = 0;
        for (auto t = std::size_t(sample * shape.sequence); t < std::size_t((sample + 1) * shape.sequence); ++t)
            for (std::size_t j = 0; j < (firsts ? 1 : experts[t].size()); ++j)
                count += takes(t, j) && experts[t][j] == expert;
        return count;
    }
};

/// The scores of experts [tokens, experts], and Hierarchical's of groups [tokens, groups].
struct Scores {
    Values experts, groups = {};
    Values bias = {};   ///< Sigmoid: of experts [experts], for the choice alone; empty: none
    Values gates = {};  ///< Sigmoid: G [tokens, experts] that decides, as a device has rounded it; empty: of `experts`
    Scores(Values ofExperts, Values ofGroups = {}) : experts(std::move(ofExperts)), groups(std::move(ofGroups)) {}
};

/// Numbers 0 … values.size() − 1, the largest value first; of equal ones the lower number.
inline std::vector<int> ranking(const Values& values) {
    std::vector<int> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater<>(), [&](int i) { return values[std::size_t(i)]; });
    return order;
}

inline Values softmax(Values x) {
    const double largest = *std::ranges::max_element(x);
    double all = 0;
    for (double& v : x) all += v = std::exp(v - largest);
    for (double& v : x) v /= all;
    return x;
}

inline Values rowOf(const Values& matrix, std::size_t row, int columns) {
    const auto begin = matrix.begin() + std::ptrdiff_t(row) * columns;
    return Values(begin, begin + columns);
}

inline Values softmaxOfRows(const Values& scores, int columns) {
    Values all;
    for (std::size_t row = 0; row < scores.size() / std::size_t(columns); ++row)
        for (const double x : softmax(rowOf(scores, row, columns))) all.push_back(x);
    return all;
}

/// Each expert takes the tokens of a sample whose G [tokens, experts] for it is largest.
template <class Range>
Decision expertsTake(const GateShape& shape, const Range& g) {
    Decision decision;
    decision.experts.resize(std::size_t(shape.tokens()));
    decision.placed.resize(std::size_t(shape.tokens()));
    for (int sample = 0; sample < shape.samples; ++sample)
        for (int e = 0; e < shape.experts; ++e) {
            const int first = sample * shape.sequence;
            Values ofTokens;
            for (int t = first; t < first + shape.sequence; ++t)
                ofTokens.push_back(g[std::size_t(t * shape.experts + e)]);
            const std::vector<int> order = ranking(ofTokens);
            for (int i = 0; i < shape.capacity; ++i) {
                const auto t = std::size_t(first + order[std::size_t(i)]);
                decision.experts[t].push_back(e);
                decision.placed[t].push_back(true);
            }
        }
    return decision;
}

/// Who of a sample's tokens goes to which experts, where these choose with a cap: [sequence, experts] (GateRule).
struct Assignment {
    Values values;
    int rounds = 0;
};

/// f with Σ min(1, f·share) = wanted, by halving its logarithm.
inline double cappedFactor(const Values& shares, double wanted) {
    double low = -60, high = 60;
    for (int step = 0; step < 80; ++step) {
        const double middle = (low + high) / 2, factor = std::exp(middle);
        double sum = 0;
        for (const double share : shares) sum += std::min(1.0, factor * share);
        (sum < wanted ? low : high) = middle;
    }
    return std::exp((low + high) / 2);
}

/// From G [tokens, experts] of all samples. Where all of a token's or an expert's are to be 1, the factor is the
/// halving's end.
inline Assignment assign(const GateShape& shape, const shardlab::kernels::GateRule& rule, const Values& g, int sample,
                         double relaxation, double tolerance) {
    const auto tokens = std::size_t(shape.sequence), experts = std::size_t(shape.experts);
    const double k = shape.capacity, b = rule.tokenExperts;
    Values shares, u(experts, 1.0), v(tokens, 1.0);
    for (std::size_t i = 0; i < tokens * experts; ++i)
        shares.push_back(std::exp((g[std::size_t(sample) * tokens * experts + i] - 1) / double(rule.entropy)));
    Assignment made;
    for (double off = 1; off > tolerance && made.rounds < 50'000; ++made.rounds) {
        const double power = made.rounds == 0 ? 1 : relaxation;
        for (std::size_t e = 0; e < experts; ++e) {
            Values own;
            for (std::size_t t = 0; t < tokens; ++t) own.push_back(v[t] * shares[t * experts + e]);
            u[e] *= std::pow(cappedFactor(own, k) / u[e], power);
        }
        for (std::size_t t = 0; t < tokens && b < double(experts); ++t) {
            Values own;
            for (std::size_t e = 0; e < experts; ++e) own.push_back(u[e] * shares[t * experts + e]);
            v[t] = std::min(1.0, v[t] * std::pow(cappedFactor(own, b) / v[t], power));
        }
        made.values.assign(tokens * experts, 0);
        Values ofExperts(experts), ofTokens(tokens);
        for (std::size_t i = 0; i < made.values.size(); ++i) {
            made.values[i] = std::min(1.0, u[i % experts] * v[i / experts] * shares[i]);
            ofExperts[i % experts] += made.values[i];
            ofTokens[i / experts] += made.values[i];
        }
        off = 0;
        for (const double sum : ofExperts) off = std::max(off, std::abs(sum - k) / k);
        for (std::size_t t = 0; t < tokens; ++t)
            off = std::max(off, v[t] < 1 ? std::abs(ofTokens[t] - b) / b : (ofTokens[t] - b) / b);
    }
    return made;
}

inline Values sigmoid(Values x) {
    for (double& v : x) v = 1 / (1 + std::exp(-v));
    return x;
}

/// Sigmoid: G + bias of a token, and −∞ outside of the best groups; rounded as on a device, where near ones are equal.
inline Values ranksOf(const GateShape& shape, const Scores& scores, std::size_t token) {
    Values ranks = scores.gates.empty() ? sigmoid(rowOf(scores.experts, token, shape.experts))
                                        : rowOf(scores.gates, token, shape.experts);
    for (std::size_t e = 0; e < ranks.size(); ++e)
        ranks[e] = float(ranks[e]) + (scores.bias.empty() ? 0.0f : float(scores.bias[e]));
    const int inGroup = shape.experts / shape.groups;
    Values ofGroups;
    for (int group = 0; group < shape.groups; ++group) {
        Values inside = rowOf(ranks, std::size_t(group), inGroup);
        std::ranges::sort(inside, std::greater<>());
        inside.resize(std::size_t(std::min(inGroup, 2)));
        ofGroups.push_back(float(std::accumulate(inside.begin(), inside.end(), 0.0)));
    }
    std::vector<int> left = ranking(ofGroups);
    left.erase(left.begin(), left.begin() + shape.groupChoices);
    for (const int group : left) std::fill_n(ranks.begin() + group * inGroup, inGroup, -HUGE_VAL);
    return ranks;
}

/// The best of a token, in order of choice.
inline std::vector<int> choicesOf(const GateShape& shape, GateKind kind, const Scores& scores, std::size_t token) {
    const Values row = rowOf(scores.experts, token, shape.experts);
    std::vector<int> order;
    if (kind != GateKind::Hierarchical) {
        order = ranking(kind == GateKind::Sigmoid ? ranksOf(shape, scores, token) : row);
        order.resize(std::size_t(shape.choices));
        return order;
    }
    const int inGroup = shape.experts / shape.groups;
    std::vector<int> groups = ranking(rowOf(scores.groups, token, shape.groups));
    groups.resize(std::size_t(shape.groupChoices));
    for (const int group : groups) {
        std::vector<int> inside = ranking(rowOf(row, std::size_t(group), inGroup));
        inside.resize(std::size_t(shape.choices / shape.groupChoices));
        for (const int e : inside) order.push_back(group * inGroup + e);
    }
    return order;
}

/// `draws` of all tokens, each in [0, 1); empty: none is drawn, all are taken.
inline Decision decide(const GateShape& shape, GateKind kind, const Scores& scores, const Values& draws = {},
                       const shardlab::kernels::GateRule& rule = {},
                       double tolerance = shardlab::kernels::cappedTolerance) {
    if (kind == GateKind::ExpertChoice) return expertsTake(shape, softmaxOfRows(scores.experts, shape.experts));
    if (kind == GateKind::CappedChoice) {
        Values all;
        for (int sample = 0; sample < shape.samples; ++sample)
            for (const double value : assign(shape, rule, softmaxOfRows(scores.experts, shape.experts), sample,
                                             shardlab::kernels::cappedRelaxation, tolerance)
                                          .values)
                all.push_back(value);
        return expertsTake(shape, all);
    }
    Decision decision;
    decision.experts.resize(std::size_t(shape.tokens()));
    decision.placed.resize(std::size_t(shape.tokens()));
    for (std::size_t t = 0; t < decision.experts.size(); ++t) {
        decision.experts[t] = choicesOf(shape, kind, scores, t);
        if (kind != GateKind::GShard) continue;
        const auto score = [&](int choice) {
            return scores
                .experts[t * std::size_t(shape.experts) + std::size_t(decision.experts[t][std::size_t(choice)])];
        };
        decision.alone.push_back(!draws.empty() && 2 * softmax({score(0), score(1)})[1] <= draws[t]);
    }
    for (int sample = 0; sample < shape.samples; ++sample) {
        std::vector<int> taken(std::size_t(shape.experts));
        for (std::size_t j = 0; j < std::size_t(shape.choices); ++j)
            for (auto t = std::size_t(sample * shape.sequence); t < std::size_t((sample + 1) * shape.sequence); ++t)
                decision.placed[t].push_back(decision.takes(t, j) &&
                                             taken[std::size_t(decision.experts[t][j])]++ < shape.capacity);
    }
    return decision;
}

/// The softmax over those few alone, 0 elsewhere.
inline Values softmaxOver(const std::vector<int>& few, const Values& row) {
    Values chosen, all(row.size());
    for (const int e : few) chosen.push_back(row[std::size_t(e)]);
    chosen = softmax(chosen);
    for (std::size_t j = 0; j < few.size(); ++j) all[std::size_t(few[j])] = chosen[j];
    return all;
}

/// Product of a group's probability and an expert's in it.
inline Values productOfTwo(const GateShape& shape, const std::vector<int>& chosen, const Values& row,
                           const Values& ofGroups) {
    const int inGroup = shape.experts / shape.groups;
    std::map<int, std::vector<int>> groups;
    for (const int e : chosen) groups[e / inGroup].push_back(e);
    std::vector<int> numbers;
    for (const auto& [group, members] : groups) numbers.push_back(group);
    const Values p = softmaxOver(numbers, ofGroups);
    Values g(row.size());
    for (const auto& [group, members] : groups) {
        const Values q = softmaxOver(members, row);
        for (const int e : members) g[std::size_t(e)] = p[std::size_t(group)] * q[std::size_t(e)];
    }
    return g;
}

/// P [tokens, groups].
inline Values groupGates(const GateShape& shape, const Decision& decision, const Scores& scores) {
    Values all;
    for (std::size_t t = 0; t < std::size_t(shape.tokens()); ++t) {
        std::vector<int> groups;
        for (std::size_t j = 0; j < decision.experts[t].size(); j += std::size_t(shape.choices / shape.groupChoices))
            groups.push_back(decision.experts[t][j] / (shape.experts / shape.groups));
        for (const double p : softmaxOver(groups, rowOf(scores.groups, t, shape.groups))) all.push_back(p);
    }
    return all;
}

/// G [tokens, experts].
inline Values gates(const GateShape& shape, GateKind kind, const Decision& decision, const Scores& scores) {
    Values all;
    for (std::size_t t = 0; t < std::size_t(shape.tokens()); ++t) {
        const Values row = rowOf(scores.experts, t, shape.experts);
        const Values g = kind == GateKind::NoisyTopK ? softmaxOver(decision.experts[t], row)
                         : kind == GateKind::Hierarchical
                             ? productOfTwo(shape, decision.experts[t], row, rowOf(scores.groups, t, shape.groups))
                         : kind == GateKind::Sigmoid ? sigmoid(row)
                                                     : softmax(row);
        all.insert(all.end(), g.begin(), g.end());
    }
    return all;
}

/// The weights [tokens, experts] of the outputs of chosen experts; `scale` is Sigmoid's.
inline Values outputWeights(const GateShape& shape, GateKind kind, const Decision& decision, const Scores& scores,
                            double scale = 1) {
    Values g = gates(shape, kind, decision, scores);
    if (kind != GateKind::GShard && !shardlab::kernels::sharesChosen(kind)) return g;
    for (std::size_t t = 0; t < std::size_t(shape.tokens()); ++t) {
        double* const row = g.data() + t * std::size_t(shape.experts);
        double sum = 0;
        for (const int e : decision.experts[t]) sum += row[e];
        for (int e = 0; e < shape.experts; ++e) row[e] *= (kind == GateKind::Sigmoid ? scale : 1.0) / sum;
    }
    return g;
}

/// Mean over samples.
inline double balanceLoss(const GateShape& shape, GateKind kind, const Decision& decision, const Values& g) {
    if (kind == GateKind::ExpertChoice || kind == GateKind::CappedChoice) return 0;
    const bool allChoices = shardlab::kernels::balancesAsked(kind);
    double loss = 0;
    for (int sample = 0; sample < shape.samples; ++sample) {
        Values sums(std::size_t(shape.experts));
        for (int t = sample * shape.sequence; t < (sample + 1) * shape.sequence; ++t) {
            const Values row = rowOf(g, std::size_t(t), shape.experts);
            const double all = kind == GateKind::Sigmoid ? std::accumulate(row.begin(), row.end(), 0.0) : 1;
            for (std::size_t e = 0; e < row.size(); ++e) sums[e] += row[e] / all;
        }
        const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / shape.experts;
        for (int e = 0; e < shape.experts; ++e) {
            const double s = shape.sequence, sum = sums[std::size_t(e)];
            const double asked = decision.asked(shape, sample, e, !allChoices) / (allChoices ? shape.choices : 1.0);
            if (allChoices || kind == GateKind::GShard) loss += shape.experts * (asked / s) * (sum / s);
            else loss += (sum - mean) * (sum - mean) / shape.experts / (mean * mean);
        }
    }
    return loss / shape.samples;
}

/// The draws of GShard: the upper bits of a word of the key and the row, which SplitMix64's finaliser mixes twice.
inline Values drawsOf(std::uint64_t key, std::int64_t firstRow, int tokens) {
    const auto mix = [](std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    };
    Values draws;
    for (int t = 0; t < tokens; ++t) {
        const std::uint64_t word = mix(mix(key + std::uint64_t(firstRow + t + 1) * 0x9E3779B97F4A7C15ull) ^ key);
        draws.push_back(double(word >> 40) / 0x1p24);
    }
    return draws;
}

/// A layer with experts of these weights; `noise` [tokens, experts] and `groupNoise` [tokens, groups] are ε, empty:
/// none. The weights say which norm it has, whether there are biases, whether the activation is a gate, and whether
/// there is a block that all tokens go to.
struct Experts {
    GateShape shape;
    GateKind kind;
    int hidden;
    Values noise, groupNoise = {}, draws = {};
    shardlab::kernels::GateRule rule = {};  ///< of a cap; scale
    Values bias = {};                       ///< Sigmoid
    shardlab::kernels::GateFunction activation = shardlab::kernels::Activation::GeluTanh;
    double normEpsilon = 1e-5;

    Values normed(const Weights& w, const std::string& block, const Values& x) const {
        const auto shift = w.find(block + ".ln_2.bias");
        const Values& factor = w.at(block + ".ln_2.weight");
        return shift == w.end() ? rmsNorm(x, factor, normEpsilon) : layerNorm(x, factor, shift->second, normEpsilon);
    }
    static Values times(const Weights& w, const std::string& name, const Values& x, int rows) {
        const Values& weight = w.at(name + ".weight");
        const auto shift = w.find(name + ".bias");
        const std::size_t outputs = weight.size() * std::size_t(rows) / x.size();
        return linear(x, rows, weight, shift == w.end() ? Values(outputs, 0) : shift->second);
    }
    /// What a feed-forward block of this name makes of rows.
    Values feedForward(const Weights& w, const std::string& name, const Values& x, int rows) const {
        if (!w.contains(name + ".gate_up.weight"))
            return times(w, name + ".c_proj", activated(activation.f, times(w, name + ".c_fc", x, rows)), rows);
        const Values joined = times(w, name + ".gate_up", x, rows);
        return times(w, name + ".c_proj", gated(activation, joined, int(joined.size()) / rows / 2), rows);
    }
    Values noisy(const Values& y, const Weights& w, const std::string& gate, const std::string& noiseGate, int columns,
                 const Values& epsilon) const {
        const auto times = [&](const Values& weight) {
            return product(y, weight, shape.tokens(), columns, hidden, false, false);
        };
        Values h = times(w.at(gate));
        if (epsilon.empty()) return h;
        const Values n = times(w.at(noiseGate));
        for (std::size_t i = 0; i < h.size(); ++i) h[i] += epsilon[i] * std::log1p(std::exp(n[i]));
        return h;
    }
    Scores scores(const Weights& w, const std::string& block, const Values& x) const {
        const Values y = normed(w, block, x);
        Scores all{noisy(y, w, block + ".moe.gate.weight", block + ".moe.noise.weight", shape.experts, noise)};
        if (const auto learned = w.find(block + ".moe.scores.bias"); learned != w.end())
            for (std::size_t i = 0; i < all.experts.size(); ++i)
                all.experts[i] += learned->second[i % learned->second.size()];
        if (kind == GateKind::Hierarchical)
            all.groups = noisy(y, w, block + ".moe.group_gate.weight", block + ".moe.group_noise.weight", shape.groups,
                               groupNoise);
        all.bias = bias;
        return all;
    }
    Decision decision(const Weights& w, const std::string& block, const Values& x) const {
        return decide(shape, kind, scores(w, block, x), draws, rule);
    }
    /// A better assignment would decide alike.
    bool sure(const Weights& w, const std::string& block, const Values& x) const {
        if (kind != GateKind::CappedChoice) return true;
        const Scores h = scores(w, block, x);
        // Nobody is taken, or left out, by a hair.
        constexpr double hair = 1e-3;
        const Values g = softmaxOfRows(h.experts, shape.experts);
        for (int sample = 0; sample < shape.samples; ++sample) {
            const Values shares =
                assign(shape, rule, g, sample, shardlab::kernels::cappedRelaxation, shardlab::kernels::cappedTolerance)
                    .values;
            for (int e = 0; e < shape.experts && shape.capacity < shape.sequence; ++e) {
                Values ofExpert;
                for (int t = 0; t < shape.sequence; ++t) ofExpert.push_back(shares[std::size_t(t * shape.experts + e)]);
                std::ranges::sort(ofExpert, std::greater<>());
                if (ofExpert[std::size_t(shape.capacity) - 1] - ofExpert[std::size_t(shape.capacity)] < hair)
                    return false;
            }
        }
        const auto with = [&](double tolerance) { return decide(shape, kind, h, {}, rule, tolerance).experts; };
        return with(shardlab::kernels::cappedTolerance) == with(1e-6) &&
               with(shardlab::kernels::cappedTolerance) == with(3 * shardlab::kernels::cappedTolerance);
    }
    Values output(const Weights& w, const std::string& block, const Decision& decision, Values x) const {
        const Values y = normed(w, block, x);
        const Values g = outputWeights(shape, kind, decision, scores(w, block, x), double(rule.scale));
        for (std::size_t t = 0; t < decision.experts.size(); ++t)
            for (std::size_t j = 0; j < decision.experts[t].size(); ++j) {
                if (!decision.placed[t][j]) continue;
                const int e = decision.experts[t][j];
                const Values made = feedForward(w, block + ".moe.experts." + std::to_string(e), rowOf(y, t, hidden), 1);
                for (int c = 0; c < hidden; ++c)
                    x[t * std::size_t(hidden) + std::size_t(c)] +=
                        g[t * std::size_t(shape.experts) + std::size_t(e)] * made[std::size_t(c)];
            }
        const std::string shared = block + ".moe.shared";
        return w.contains(shared + ".c_proj.weight") ? sum(x, feedForward(w, shared, y, shape.tokens())) : x;
    }
    double balance(const Weights& w, const std::string& block, const Decision& decision, const Values& x) const {
        return balanceLoss(shape, kind, decision, gates(shape, kind, decision, scores(w, block, x)));
    }
};

}  // namespace reference
