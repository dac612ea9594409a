// SPDX-License-Identifier: Apache-2.0
// The parts of blocks that gpt does not have, and models of any parts, again: in double precision and as plainly as
// their formulas. Which parts a model has is seen from its weights.
#pragma once

#include "kernels/activation.h"
#include "kernels/rotary.h"
#include "tests/kernels/reference.h"

namespace reference {

inline Values rmsNorm(const Values& x, const Values& gamma, double epsilon = 1e-5) {
    const std::size_t width = gamma.size();
    Values y(x.size());
    for (std::size_t row = 0; row < x.size(); row += width) {
        double squares = 0;
        for (std::size_t c = 0; c < width; ++c) squares += x[row + c] * x[row + c] / double(width);
        for (std::size_t c = 0; c < width; ++c) y[row + c] = x[row + c] / std::sqrt(squares + epsilon) * gamma[c];
    }
    return y;
}

inline double activation(shardlab::kernels::Activation f, double x) {
    using shardlab::kernels::Activation;
    switch (f) {
    case Activation::Gelu: return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::GeluTanh: return gelu({x})[0];
    case Activation::Silu: return x / (1 + std::exp(-x));
    case Activation::SquaredRelu: return x > 0 ? x * x : 0;
    }
    return NAN;
}

inline Values activated(shardlab::kernels::Activation f, Values x) {
    for (double& each : x) each = activation(f, each);
    return x;
}

/// What a gate makes of a value.
inline double gate(const shardlab::kernels::GateFunction& f, double gate, double value) {
    if (!(f.limit > 0)) return activation(f.f, gate) * value;
    const double limit = f.limit, open = std::min(gate, limit);
    return open / (1 + std::exp(-double(f.alpha) * open)) * (std::clamp(value, -limit, limit) + 1);
}

/// [rows, 2·columns] → [rows, columns].
inline Values gated(const shardlab::kernels::GateFunction& f, const Values& joined, int columns) {
    Values out(joined.size() / 2);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t at = i / columns * 2 * columns + i % columns;
        out[i] = gate(f, joined[at], joined[at + columns]);
    }
    return out;
}

/// The angle of a pair at position 1, in the steps of the published implementations.
inline double rotaryAngle(const shardlab::kernels::RotaryAngles& angles, int pair, int width) {
    using Scaling = shardlab::kernels::RotaryAngles::Scaling;
    const double angle = std::pow(angles.base, -2.0 * pair / width);
    if (angles.scaling == Scaling::None) return angle;
    if (angles.scaling == Scaling::ByTurns) {
        const double wave = 2 * M_PI / angle;
        if (wave < angles.original / angles.high) return angle;
        if (wave > angles.original / angles.low) return angle / angles.factor;
        const double smooth = (angles.original / wave - angles.low) / (angles.high - angles.low);
        return (1 - smooth) * angle / angles.factor + smooth * angle;
    }
    const auto correction = [&](double turns) {
        return width * std::log(angles.original / (turns * 2 * M_PI)) / (2 * std::log(angles.base));
    };
    double low = correction(angles.high), high = correction(angles.low);
    if (angles.truncate) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, double(width - 1));
    if (low == high) high += 0.001;
    const double ramp = std::min(std::max((pair - low) / (high - low), 0.0), 1.0);
    return angle / angles.factor * ramp + angle * (1 - ramp);
}

/// As kernels/rotary.h says: function(to, from, factor) for what each element of the result is a sum of.
template <class Function>
void eachOfRotary(const shardlab::kernels::RotaryShape& shape, Function function) {
    const int width = shape.width, half = width / 2, together = shape.heads / shape.keyHeads;
    for (int token = 0; token < shape.samples * shape.sequence; ++token) {
        const int t = token % shape.sequence;
        const int position = t < shape.split ? shape.first + t : shape.second + t - shape.split;
        for (int part = 0; part < 3; ++part)
            for (int head = 0; head < shape.heads; ++head)
                for (int i = 0; i < width; ++i) {
                    const int ofGroup = part == 0 ? head % together : together + part - 1;
                    const std::size_t row = std::size_t(token) * (shape.heads + 2 * shape.keyHeads) +
                                            head / together * (together + 2) + ofGroup;
                    const std::size_t from = row * width + i;
                    const std::size_t to =
                        (std::size_t(token) * 3 * shape.heads + part * shape.heads + head) * width + i;
                    const double angle = position * rotaryAngle(shape.angles, i % half, width);
                    const double size = shape.angles.scaling == shardlab::kernels::RotaryAngles::Scaling::Yarn &&
                                                shape.angles.factor > 1
                                            ? 1 + std::log(shape.angles.factor) / 10
                                            : 1;
                    function(to, from, part == 2 ? 1 : size * std::cos(angle));
                    if (part < 2 && i < half) function(to, from + half, -size * std::sin(angle));
                    if (part < 2 && i >= half) function(to, from - half, size * std::sin(angle));
                }
    }
}

inline Values rotary(const shardlab::kernels::RotaryShape& shape, const Values& joined) {
    Values apart(std::size_t(shape.samples) * shape.sequence * 3 * shape.heads * shape.width);
    eachOfRotary(shape, [&](std::size_t to, std::size_t from, double factor) { apart[to] += factor * joined[from]; });
    return apart;
}

inline Values rotaryGradient(const shardlab::kernels::RotaryShape& shape, const Values& gradient) {
    Values joined(std::size_t(shape.samples) * shape.sequence * (shape.heads + 2 * shape.keyHeads) * shape.width);
    eachOfRotary(shape,
                 [&](std::size_t to, std::size_t from, double factor) { joined[from] += factor * gradient[to]; });
    return joined;
}

/// joined as rotary() takes it, after the norms of queries and keys.
inline Values headsNormed(const shardlab::kernels::RotaryShape& shape, const Values& joined, const Values& queries,
                          const Values& keys, double epsilon) {
    Values all;
    const int together = shape.heads / shape.keyHeads;
    for (std::size_t row = 0; row < joined.size() / shape.width; ++row) {
        const auto begin = joined.begin() + std::ptrdiff_t(row) * shape.width;
        Values head(begin, begin + shape.width);
        const int ofGroup = int(row % std::size_t(together + 2));
        if (ofGroup <= together) head = rmsNorm(head, ofGroup < together ? queries : keys, epsilon);
        all.insert(all.end(), head.begin(), head.end());
    }
    return all;
}

struct BlockShape : Shape {
    int keyHeads = 1;
    int width = 1;
    shardlab::kernels::RotaryAngles angles;
    shardlab::kernels::GateFunction activation = shardlab::kernels::Activation::Silu;
    double epsilon = 1e-5;
    std::vector<int> windows;  ///< of each layer, 0: none
    int turned = 0;            ///< of latent attention: columns of a query that are turned, beside `width` that are not
    int values = 0;            ///< of latent attention: columns of a value
    bool alibi = false;
    double attentionCap = 0;
    double logitCap = 0;

    int window(const std::string& block) const {
        const auto layer = std::size_t(std::stoi(block.substr(2)));
        return layer < windows.size() ? windows[layer] : 0;
    }
};

inline Values norm(const Weights& w, const std::string& name, const BlockShape& shape, const Values& x) {
    if (!w.contains(name + ".bias")) return rmsNorm(x, w.at(name + ".weight"), shape.epsilon);
    return layerNorm(x, w.at(name + ".weight"), w.at(name + ".bias"), shape.epsilon);
}

inline Values matrix(const Weights& w, const std::string& name, const BlockShape& shape, const Values& x) {
    const Values& weight = w.at(name + ".weight");
    const int inputs = int(x.size()) / shape.tokens(), outputs = int(weight.size()) / inputs;
    const auto bias = w.find(name + ".bias");
    return linear(x, shape.tokens(), weight, bias == w.end() ? Values(outputs, 0) : bias->second);
}

/// The pairs (i, i + turned/2) of so many numbers, turned by their position.
inline Values turnedPairs(const BlockShape& shape, const double* x, int position) {
    const int half = shape.turned / 2;
    Values y(shape.turned);
    for (int i = 0; i < half; ++i) {
        const double angle = position * rotaryAngle(shape.angles, i, shape.turned);
        y[i] = x[i] * std::cos(angle) - x[i + half] * std::sin(angle);
        y[i + half] = x[i + half] * std::cos(angle) + x[i] * std::sin(angle);
    }
    return y;
}

/// The heads' outputs [tokens, heads·values], each value as wide as it is. The scores are those of the paper: the
/// product of what is not turned and that of what is, ÷ √(plain + turned), and yarn's m² times larger, as DeepSeek's
/// models have it where mscale_all_dim is 1.
inline Values latentScores(const BlockShape& shape, const Values& q, const Values& kv, const Values& sharedKey,
                           int window, const ScoreRules& rules) {
    const int plain = shape.width, width = plain + shape.turned, both = plain + shape.values;
    const bool yarn = shape.angles.scaling == shardlab::kernels::RotaryAngles::Scaling::Yarn && shape.angles.factor > 1;
    const double m = yarn ? 1 + 0.1 * std::log(shape.angles.factor) : 1, scale = m * m / std::sqrt(double(width));
    Values out(std::size_t(shape.tokens()) * shape.heads * shape.values, 0);
    for (int sample = 0; sample < shape.samples; ++sample)
        for (int head = 0; head < shape.heads; ++head)
            for (int t = 0; t < shape.sequence; ++t) {
                const std::size_t token = std::size_t(sample) * shape.sequence + t;
                const double* query = q.data() + (token * shape.heads + head) * width;
                const Values queryTurned = turnedPairs(shape, query + plain, t);
                const int first = window > 0 ? std::max(0, t - window + 1) : 0;
                Values weights;
                double sum = rules.ofSink(head);
                for (int k = first; k <= t; ++k) {
                    const std::size_t other = std::size_t(sample) * shape.sequence + k;
                    const double* key = kv.data() + (other * shape.heads + head) * both;
                    const Values keyTurned = turnedPairs(shape, sharedKey.data() + other * shape.turned, k);
                    double score = 0;
                    for (int i = 0; i < plain; ++i) score += query[i] * key[i];
                    for (int i = 0; i < shape.turned; ++i) score += queryTurned[i] * keyTurned[i];
                    weights.push_back(std::exp(rules.score(head, score * scale, 0)));
                    sum += weights.back();
                }
                double* to = out.data() + (token * shape.heads + head) * shape.values;
                for (int k = first; k <= t; ++k) {
                    const std::size_t other = std::size_t(sample) * shape.sequence + k;
                    const double* value = kv.data() + (other * shape.heads + head) * both + plain;
                    for (int i = 0; i < shape.values; ++i) to[i] += weights[std::size_t(k - first)] / sum * value[i];
                }
            }
    return out;
}

inline Values columnsOf(const Values& matrix, int rows, int first, int count) {
    const std::size_t all = matrix.size() / std::size_t(rows);
    Values part;
    for (int row = 0; row < rows; ++row)
        for (int c = 0; c < count; ++c) part.push_back(matrix[std::size_t(row) * all + std::size_t(first + c)]);
    return part;
}

inline ScoreRules scoreRules(const Weights& w, const std::string& block, const BlockShape& shape) {
    ScoreRules rules{shape.attentionCap, {}, {}};
    if (shape.alibi) rules.slopes = alibiSlopes(shape.heads);
    if (const auto sinks = w.find(block + ".attn.sinks"); sinks != w.end()) rules.sinks = sinks->second;
    return rules;
}

/// x + the attention of x, without dropout.
inline Values latentBlock(const Weights& w, const std::string& block, const BlockShape& shape, const Values& x) {
    const std::string attention = block + ".attn";
    const Values normed = norm(w, block + ".ln_1", shape, x), down = matrix(w, attention + ".down", shape, normed);
    const auto factors = w.find(attention + ".q_norm.weight");
    const int queryRank = factors == w.end() ? 0 : int(factors->second.size()),
              keyRank = int(w.at(attention + ".kv_norm.weight").size());
    const auto latent = [&](int first, int rank, const char* name) {
        return rmsNorm(columnsOf(down, shape.tokens(), first, rank), w.at(attention + name), shape.epsilon);
    };
    const Values queries =
        matrix(w, attention + ".q", shape, queryRank > 0 ? latent(0, queryRank, ".q_norm.weight") : normed);
    const Values keysValues = matrix(w, attention + ".kv", shape, latent(queryRank, keyRank, ".kv_norm.weight"));
    const Values sharedKey = columnsOf(down, shape.tokens(), queryRank + keyRank, shape.turned);
    return sum(x, matrix(w, attention + ".c_proj", shape,
                         latentScores(shape, queries, keysValues, sharedKey, shape.window(block),
                                      scoreRules(w, block, shape))));
}

inline Values blockAttention(const Weights& w, const std::string& block, const BlockShape& shape, const Values& x) {
    if (w.contains(block + ".attn.down.weight")) return latentBlock(w, block, shape, x);
    const Values normed = norm(w, block + ".ln_1", shape, x);
    Values apart;
    if (w.contains(block + ".attn.c_attn.weight")) {
        apart = matrix(w, block + ".attn.c_attn", shape, normed);
    } else {
        const shardlab::kernels::RotaryShape heads{shape.samples,
                                                   shape.sequence,
                                                   shape.heads,
                                                   shape.keyHeads,
                                                   shape.width,
                                                   shape.angles,
                                                   0,
                                                   shape.sequence,
                                                   0};
        apart = matrix(w, block + ".attn.qkv", shape, normed);
        if (w.contains(block + ".attn.q_norm.weight"))
            apart = headsNormed(heads, apart, w.at(block + ".attn.q_norm.weight"), w.at(block + ".attn.k_norm.weight"),
                                shape.epsilon);
        apart = rotary(heads, apart);
    }
    return sum(x, matrix(w, block + ".attn.c_proj", shape,
                         attention(apart, shape.samples, shape.sequence, shape.heads, shape.width, {},
                                   shape.window(block), scoreRules(w, block, shape))));
}

inline Values blockFeedForward(const Weights& w, const std::string& block, const BlockShape& shape, const Values& x) {
    const Values normed = norm(w, block + ".ln_2", shape, x);
    Values active;
    if (w.contains(block + ".mlp.c_fc.weight")) {
        active = activated(shape.activation.f, matrix(w, block + ".mlp.c_fc", shape, normed));
    } else {
        const Values joined = matrix(w, block + ".mlp.gate_up", shape, normed);
        active = gated(shape.activation, joined, int(joined.size()) / shape.tokens() / 2);
    }
    return sum(x, matrix(w, block + ".mlp.c_proj", shape, active));
}

/// Rows of zeros for tokens below 0.
inline Values embedded(const Weights& w, const BlockShape& shape, std::span<const std::int32_t> tokens,
                       bool positions = true) {
    Values x(tokens.size() * shape.hidden);
    for (std::size_t t = 0; t < tokens.size(); ++t)
        for (int c = 0; c < shape.hidden && tokens[t] >= 0; ++c) {
            x[t * shape.hidden + c] = w.at("wte.weight")[std::size_t(tokens[t]) * shape.hidden + c];
            if (positions && w.contains("wpe.weight"))
                x[t * shape.hidden + c] += w.at("wpe.weight")[(t % shape.sequence) * shape.hidden + c];
        }
    return x;
}

/// The loss of what the blocks have made, behind the norm of that name.
inline double outputLoss(const Weights& w, const BlockShape& shape, const Values& x,
                         std::span<const std::int32_t> targets, const std::string& normName = "ln_f") {
    const Values logits =
        product(norm(w, normName, shape, x), w.at(w.contains("lm_head.weight") ? "lm_head.weight" : "wte.weight"),
                shape.tokens(), shape.vocabulary, shape.hidden, false, true);
    return crossEntropy(capped(logits, shape.logitCap), shape.vocabulary, targets);
}

/// The model's own loss, then those of modules that predict further tokens (2412.19437, equations 21 to 25, with the
/// halves of the product's input as published weights have them): `further` has what each is to predict.
inline Values blocksLosses(const Weights& w, const BlockShape& shape, std::span<const std::int32_t> tokens,
                           std::span<const std::int32_t> targets, std::span<const std::vector<std::int32_t>> further) {
    Values x = embedded(w, shape, tokens);
    for (int layer = 0; layer < shape.layers; ++layer) {
        const std::string block = "h." + std::to_string(layer);
        x = blockFeedForward(w, block, shape, blockAttention(w, block, shape, x));
    }
    std::string above = "ln_f";
    Values losses{outputLoss(w, shape, x, targets)};
    for (std::size_t module = 0; module < further.size(); ++module) {
        const std::string block = "h." + std::to_string(std::size_t(shape.layers) + module);
        const auto known = module == 0 ? targets : std::span<const std::int32_t>(further[module - 1]);
        const Values ofToken = norm(w, block + ".enorm", shape, embedded(w, shape, known, false));
        const Values ofBelow = norm(w, block + ".hnorm", shape, norm(w, above, shape, x));
        Values both;
        for (int t = 0; t < shape.tokens(); ++t)
            for (const Values* half : {&ofToken, &ofBelow})
                both.insert(both.end(), half->begin() + std::ptrdiff_t(t) * shape.hidden,
                            half->begin() + std::ptrdiff_t(t + 1) * shape.hidden);
        x = matrix(w, block + ".eh_proj", shape, both);
        x = blockFeedForward(w, block, shape, blockAttention(w, block, shape, x));
        above = block + ".shared_head.norm";
        losses.push_back(outputLoss(w, shape, x, further[module], above));
    }
    return losses;
}

inline double blocksLoss(const Weights& w, const BlockShape& shape, std::span<const std::int32_t> tokens,
                         std::span<const std::int32_t> targets) {
    return blocksLosses(w, shape, tokens, targets, {}).front();
}

}  // namespace reference
