// SPDX-License-Identifier: Apache-2.0
// Every operation again, in double precision and as plainly as its formula: the independent oracle of kernels, layers
// and models. Gradients come from central differences of these.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace reference {

using Values = std::vector<double>;
using Weights = std::map<std::string, Values>;

template <class Range>
Values toDouble(const Range& values) {
    return Values(values.begin(), values.end());
}

/// Largest difference, relative to the largest wanted magnitude, or to `least` where all are smaller: what is left of
/// larger numbers is rounding. Infinite where sizes differ or a value is not finite.
inline double mismatch(std::span<const float> got, const Values& wanted, double least = 1e-9) {
    if (got.size() != wanted.size()) return HUGE_VAL;
    double difference = 0;
    double magnitude = least;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!std::isfinite(got[i])) return HUGE_VAL;
        difference = std::max(difference, std::abs(got[i] - wanted[i]));
        magnitude = std::max(magnitude, std::abs(wanted[i]));
    }
    return difference / magnitude;
}

/// The standard deviation of a sum of `terms` normal numbers of spread 1, or of products of two such numbers. The
/// `least` of a test whose results may be so few that all of them cancel to next to nothing.
inline double spreadOfSum(int terms) { return std::sqrt(double(terms)); }

inline double largestOf(const Values& values) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    return largest;
}

inline Values numericGradient(const std::function<double(const Values&)>& function, Values x, double step = 1e-5) {
    Values gradient(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double middle = x[i];
        x[i] = middle + step;
        const double above = function(x);
        x[i] = middle - step;
        gradient[i] = (above - function(x)) / (2 * step);
        x[i] = middle;
    }
    return gradient;
}

inline double dot(const Values& a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

inline double dot(const Values& a, const Values& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

inline Values product(const Values& a, const Values& b, int m, int n, int k, bool transposeA, bool transposeB) {
    Values c(std::size_t(m) * n);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
            for (int l = 0; l < k; ++l)
                c[i * n + j] += (transposeA ? a[l * m + i] : a[i * k + l]) * (transposeB ? b[j * k + l] : b[l * n + j]);
    return c;
}

inline Values linear(const Values& x, int rows, const Values& weight, const Values& bias) {
    const int outputs = int(bias.size());
    Values y = product(x, weight, rows, outputs, int(weight.size()) / outputs, false, false);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i % bias.size()];
    return y;
}

inline Values sum(Values a, const Values& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
}

inline Values gelu(Values x) {
    for (double& v : x) v = 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
    return x;
}

/// g′(x), from a difference.
inline double geluSlope(double x) {
    return numericGradient([](const Values& v) { return gelu(v)[0]; }, {x})[0];
}

inline Values layerNorm(const Values& x, const Values& gamma, const Values& beta, double epsilon = 1e-5) {
    const std::size_t width = gamma.size();
    Values y(x.size());
    for (std::size_t row = 0; row < x.size(); row += width) {
        double mean = 0;
        double variance = 0;
        for (std::size_t c = 0; c < width; ++c) mean += x[row + c] / double(width);
        for (std::size_t c = 0; c < width; ++c) variance += (x[row + c] - mean) * (x[row + c] - mean) / double(width);
        for (std::size_t c = 0; c < width; ++c)
            y[row + c] = (x[row + c] - mean) / std::sqrt(variance + epsilon) * gamma[c] + beta[c];
    }
    return y;
}

/// What is done to the scores of an attention: a cap, slopes with the distance of a key, and sinks, of each head.
struct ScoreRules {
    double cap = 0;
    Values slopes, sinks;

    double score(int head, double score, int distance) const {
        const double fall = slopes.empty() ? 0 : slopes[std::size_t(head)] * distance;
        return (cap > 0 ? cap * std::tanh(score / cap) : score) - fall;
    }
    double slope(double score) const { return cap > 0 ? 1 - std::pow(std::tanh(score / cap), 2) : 1; }
    double ofSink(int head) const { return sinks.empty() ? 0 : std::exp(sinks[std::size_t(head)]); }
};

/// The slopes of ALiBi as they are published: of a power of two heads they halve, or fall by a root of a half, from
/// 2^(−8 ÷ heads) on; of other numbers the heads beyond the power of two below have every second slope of the power
/// above.
inline Values alibiSlopes(int heads) {
    Values all;
    const int below = int(std::bit_floor(unsigned(heads)));
    for (int i = 1; i <= below; ++i) all.push_back(std::pow(2, -8.0 * i / below));
    for (int i = 1; int(all.size()) < heads; i += 2) all.push_back(std::pow(2, -4.0 * i / below));
    return all;
}

/// qkv: [samples·sequence, 3·heads·width] → [samples·sequence, heads·width]. `keep`, where given: what each
/// probability [samples, heads, sequence, sequence] is multiplied by. `window`, where not 0: how many keys a query sees
/// at most. `rules`: what is done to scores.
inline Values attention(const Values& qkv, int samples, int sequence, int heads, int width, const Values& keep = {},
                        int window = 0, const ScoreRules& rules = {}) {
    const int hidden = heads * width;
    Values out(std::size_t(samples) * sequence * hidden);
    const auto at = [&](int sample, int token, int part, int head, int i) {
        return qkv[std::size_t(sample * sequence + token) * 3 * hidden + part * hidden + head * width + i];
    };
    for (int b = 0; b < samples; ++b)
        for (int a = 0; a < heads; ++a)
            for (int t = 0; t < sequence; ++t) {
                Values weights(t + 1);
                double all = rules.ofSink(a);
                for (int u = window > 0 ? std::max(0, t - window + 1) : 0; u <= t; ++u) {
                    double score = 0;
                    for (int i = 0; i < width; ++i) score += at(b, t, 0, a, i) * at(b, u, 1, a, i);
                    weights[u] = std::exp(rules.score(a, score / std::sqrt(double(width)), t - u));
                    all += weights[u];
                }
                for (int u = 0; u <= t; ++u) {
                    if (!keep.empty()) weights[u] *= keep[(std::size_t(b * heads + a) * sequence + t) * sequence + u];
                    for (int i = 0; i < width; ++i)
                        out[std::size_t(b * sequence + t) * hidden + a * width + i] +=
                            weights[u] / all * at(b, u, 2, a, i);
                }
            }
    return out;
}

/// Gradient of dot(attention(qkv), weights): dV = Pᵀ·dO, dP = dO·Vᵀ, dS = P∘(dP − rowsum(dP∘P)), and, divided by
/// √width, dQ = dS·K and dK = dSᵀ·Q. Where `output` is given, rowsum(dP∘P) is rowsum(dO∘output): what rounded it counts
/// too.
inline Values attentionGradient(const Values& qkv, const Values& weights, int samples, int sequence, int heads,
                                int width, const Values& keep = {}, const Values& output = {}, int window = 0,
                                const ScoreRules& rules = {}, Values* sinkGradient = nullptr) {
    const int hidden = heads * width;
    const double scale = 1 / std::sqrt(double(width));
    Values gradient(qkv.size());
    for (int b = 0; b < samples; ++b)
        for (int a = 0; a < heads; ++a) {
            const auto at = [&](int token, int part) {
                return std::size_t(b * sequence + token) * 3 * hidden + part * hidden + a * width;
            };
            for (int t = 0; t < sequence; ++t) {
                const double* const dOut = &weights[std::size_t(b * sequence + t) * hidden + a * width];
                Values p(t + 1), dP(t + 1), slopes(t + 1);
                double all = rules.ofSink(a);
                for (int u = window > 0 ? std::max(0, t - window + 1) : 0; u <= t; ++u) {
                    double score = 0;
                    for (int i = 0; i < width; ++i) score += qkv[at(t, 0) + i] * qkv[at(u, 1) + i];
                    slopes[u] = rules.slope(score * scale);
                    all += p[u] = std::exp(rules.score(a, score * scale, t - u));
                }
                double product = 0;
                for (int u = 0; u <= t; ++u) {
                    p[u] /= all;
                    const std::size_t row = std::size_t(b * heads + a) * sequence + t;
                    const double kept = keep.empty() ? 1 : keep[row * sequence + u];
                    for (int i = 0; i < width; ++i) {
                        dP[u] += kept * dOut[i] * qkv[at(u, 2) + i];
                        gradient[at(u, 2) + i] += kept * p[u] * dOut[i];
                    }
                    if (output.empty()) product += dP[u] * p[u];
                }
                for (int i = 0; i < width && !output.empty(); ++i)
                    product += dOut[i] * output[std::size_t(b * sequence + t) * hidden + a * width + i];
                if (sinkGradient) (*sinkGradient)[a] -= rules.ofSink(a) / all * product;
                for (int u = 0; u <= t; ++u) {
                    const double dS = p[u] * (dP[u] - product) * slopes[u] * scale;
                    for (int i = 0; i < width; ++i) {
                        gradient[at(t, 0) + i] += dS * qkv[at(u, 1) + i];
                        gradient[at(u, 1) + i] += dS * qkv[at(t, 0) + i];
                    }
                }
            }
        }
    return gradient;
}

/// The mean over all rows; one without a target (-1) counts as 0.
inline double crossEntropy(const Values& logits, int vocabulary, std::span<const std::int32_t> targets) {
    double loss = 0;
    for (std::size_t row = 0; row < targets.size(); ++row) {
        if (targets[row] < 0) continue;
        double all = 0;
        for (int v = 0; v < vocabulary; ++v) all += std::exp(logits[row * vocabulary + v]);
        loss += std::log(all) - logits[row * vocabulary + targets[row]];
    }
    return loss / double(targets.size());
}

inline Values capped(Values values, double cap) {
    for (double& value : values) value = cap > 0 ? cap * std::tanh(value / cap) : value;
    return values;
}

/// The gradient of the sum of the rows' losses: softmax − onehot.
inline Values crossEntropyGradient(Values logits, int vocabulary, std::span<const std::int32_t> targets) {
    for (std::size_t row = 0; row < targets.size(); ++row) {
        const auto begin = logits.begin() + std::ptrdiff_t(row) * vocabulary;
        if (targets[row] < 0) {
            std::fill_n(begin, vocabulary, 0.0);
            continue;
        }
        double all = 0;
        for (int v = 0; v < vocabulary; ++v) all += begin[v] = std::exp(begin[v]);
        for (int v = 0; v < vocabulary; ++v) begin[v] /= all;
        begin[targets[row]] -= 1;
    }
    return logits;
}

struct Shape {
    std::string kind;
    int layers, hidden, heads, sequence, vocabulary, samples;
    int tokens() const { return samples * sequence; }
};

inline Values attentionLayer(const Weights& w, const std::string& block, const Shape& shape, const Values& x) {
    const Values normed = layerNorm(x, w.at(block + ".ln_1.weight"), w.at(block + ".ln_1.bias"));
    const Values qkv =
        linear(normed, shape.tokens(), w.at(block + ".attn.c_attn.weight"), w.at(block + ".attn.c_attn.bias"));
    const Values attended = attention(qkv, shape.samples, shape.sequence, shape.heads, shape.hidden / shape.heads);
    return sum(
        x, linear(attended, shape.tokens(), w.at(block + ".attn.c_proj.weight"), w.at(block + ".attn.c_proj.bias")));
}

inline Values feedForwardLayer(const Weights& w, const std::string& block, const Shape& shape, const Values& x) {
    const Values normed = layerNorm(x, w.at(block + ".ln_2.weight"), w.at(block + ".ln_2.bias"));
    const Values active =
        gelu(linear(normed, shape.tokens(), w.at(block + ".mlp.c_fc.weight"), w.at(block + ".mlp.c_fc.bias")));
    return sum(x, linear(active, shape.tokens(), w.at(block + ".mlp.c_proj.weight"), w.at(block + ".mlp.c_proj.bias")));
}

inline Values embed(const Weights& w, const Shape& shape, std::span<const std::int32_t> tokens) {
    Values x(tokens.size() * shape.hidden);
    for (std::size_t t = 0; t < tokens.size(); ++t)
        for (int c = 0; c < shape.hidden; ++c)
            x[t * shape.hidden + c] = w.at("wte.weight")[tokens[t] * shape.hidden + c] +
                                      w.at("wpe.weight")[(t % shape.sequence) * shape.hidden + c];
    return x;
}

inline double headLoss(const Weights& w, const Shape& shape, const Values& x, std::span<const std::int32_t> targets) {
    const Values normed = layerNorm(x, w.at("ln_f.weight"), w.at("ln_f.bias"));
    const Values logits =
        product(normed, w.at("wte.weight"), shape.tokens(), shape.vocabulary, shape.hidden, false, true);
    return crossEntropy(logits, shape.vocabulary, targets);
}

inline double modelLoss(const Weights& w, const Shape& shape, std::span<const std::int32_t> tokens,
                        std::span<const std::int32_t> targets) {
    Values x = embed(w, shape, tokens);
    for (int layer = 0; layer < shape.layers; ++layer) {
        const std::string block = "h." + std::to_string(layer);
        if (shape.kind == "gpt") x = attentionLayer(w, block, shape, x);
        x = feedForwardLayer(w, block, shape, x);
    }
    return headLoss(w, shape, x, targets);
}

}  // namespace reference
