// SPDX-License-Identifier: Apache-2.0
// Gates and experts again, in double precision and as plainly as their formulas. Who goes where is decided apart: for
// differences it stays as it is.
#pragma once

#include "kernels/gate.h"
#include "tests/train/reference.h"

#include <numeric>

namespace reference {

using shardlab::GateKind;
using shardlab::GateShape;

/// Of each token, its experts in order of choice, and whether each had a place.
struct Decision {
    std::vector<std::vector<int>> experts;
    std::vector<std::vector<bool>> placed;

    /// Tokens of a sample that chose the expert.
    int asked(const GateShape& shape, int sample, int expert) const {
        int count = 0;
        for (int t = sample * shape.sequence; t < (sample + 1) * shape.sequence; ++t)
            count += int(std::ranges::count(experts[std::size_t(t)], expert));
        return count;
    }
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
            for (int t = first; t < first + shape.sequence; ++t) ofTokens.push_back(g[std::size_t(t * shape.experts + e)]);
            const std::vector<int> order = ranking(ofTokens);
            for (int i = 0; i < shape.capacity; ++i) {
                const auto t = std::size_t(first + order[std::size_t(i)]);
                decision.experts[t].push_back(e);
                decision.placed[t].push_back(true);
            }
        }
    return decision;
}

/// scores [tokens, experts].
inline Decision decide(const GateShape& shape, GateKind kind, const Values& scores) {
    if (kind == GateKind::ExpertChoice) return expertsTake(shape, softmaxOfRows(scores, shape.experts));
    Decision decision;
    decision.experts.resize(std::size_t(shape.tokens()));
    decision.placed.resize(std::size_t(shape.tokens()));
    for (int sample = 0; sample < shape.samples; ++sample) {
        const int first = sample * shape.sequence;
        std::vector<int> taken(std::size_t(shape.experts));
        for (int t = first; t < first + shape.sequence; ++t) {
            std::vector<int> order = ranking(rowOf(scores, std::size_t(t), shape.experts));
            order.resize(std::size_t(shape.choices));
            decision.experts[std::size_t(t)] = order;
        }
        for (int j = 0; j < shape.choices; ++j)
            for (int t = first; t < first + shape.sequence; ++t)
                decision.placed[std::size_t(t)].push_back(taken[std::size_t(decision.experts[std::size_t(t)][std::size_t(j)])]++ < shape.capacity);
    }
    return decision;
}

/// G [tokens, experts].
inline Values gates(const GateShape& shape, GateKind kind, const Decision& decision, const Values& scores) {
    Values all;
    for (std::size_t t = 0; t < std::size_t(shape.tokens()); ++t) {
        const Values row = rowOf(scores, t, shape.experts);
        Values g = softmax(row);
        if (kind == GateKind::NoisyTopK) {
            Values few;
            for (const int e : decision.experts[t]) few.push_back(row[std::size_t(e)]);
            few = softmax(few);
            std::ranges::fill(g, 0.0);
            for (std::size_t j = 0; j < few.size(); ++j) g[std::size_t(decision.experts[t][j])] = few[j];
        }
        all.insert(all.end(), g.begin(), g.end());
    }
    return all;
}

/// Mean over samples.
inline double balanceLoss(const GateShape& shape, GateKind kind, const Decision& decision, const Values& g) {
    if (kind == GateKind::ExpertChoice) return 0;
    double loss = 0;
    for (int sample = 0; sample < shape.samples; ++sample) {
        Values sums(std::size_t(shape.experts));
        for (int t = sample * shape.sequence; t < (sample + 1) * shape.sequence; ++t)
            for (int e = 0; e < shape.experts; ++e) sums[std::size_t(e)] += g[std::size_t(t * shape.experts + e)];
        const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / shape.experts;
        for (int e = 0; e < shape.experts; ++e) {
            const double s = shape.sequence, sum = sums[std::size_t(e)];
            if (kind == GateKind::Switch) loss += shape.experts * (decision.asked(shape, sample, e) / s) * (sum / s);
            else loss += (sum - mean) * (sum - mean) / shape.experts / (mean * mean);
        }
    }
    return loss / shape.samples;
}

/// A layer with experts of these weights; `noise` [tokens, experts] is ε, empty: none.
struct Experts {
    GateShape shape;
    GateKind kind;
    int hidden;
    Values noise;

    Values normed(const Weights& w, const std::string& block, const Values& x) const {
        return layerNorm(x, w.at(block + ".ln_2.weight"), w.at(block + ".ln_2.bias"));
    }
    Values scores(const Weights& w, const std::string& block, const Values& x) const {
        const Values y = normed(w, block, x);
        const auto times = [&](const Values& weight) {
            return product(y, weight, shape.tokens(), shape.experts, hidden, false, false);
        };
        Values h = times(w.at(block + ".moe.gate.weight"));
        if (noise.empty()) return h;
        const Values n = times(w.at(block + ".moe.noise.weight"));
        for (std::size_t i = 0; i < h.size(); ++i) h[i] += noise[i] * std::log1p(std::exp(n[i]));
        return h;
    }
    Decision decision(const Weights& w, const std::string& block, const Values& x) const {
        return decide(shape, kind, scores(w, block, x));
    }
    Values output(const Weights& w, const std::string& block, const Decision& decision, Values x) const {
        const Values y = normed(w, block, x);
        const Values g = gates(shape, kind, decision, scores(w, block, x));
        for (std::size_t t = 0; t < decision.experts.size(); ++t)
            for (std::size_t j = 0; j < decision.experts[t].size(); ++j) {
                if (!decision.placed[t][j]) continue;
                const int e = decision.experts[t][j];
                const std::string expert = block + ".moe.experts." + std::to_string(e);
                const Values inner = gelu(linear(rowOf(y, t, hidden), 1, w.at(expert + ".c_fc.weight"), w.at(expert + ".c_fc.bias")));
                const Values made = linear(inner, 1, w.at(expert + ".c_proj.weight"), w.at(expert + ".c_proj.bias"));
                for (int c = 0; c < hidden; ++c)
                    x[t * std::size_t(hidden) + std::size_t(c)] += g[t * std::size_t(shape.experts) + std::size_t(e)] * made[std::size_t(c)];
            }
        return x;
    }
    double balance(const Weights& w, const std::string& block, const Decision& decision, const Values& x) const {
        return balanceLoss(shape, kind, decision, gates(shape, kind, decision, scores(w, block, x)));
    }
};

}  // namespace reference
