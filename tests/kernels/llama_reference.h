// SPDX-License-Identifier: Apache-2.0
// Llama's operations and blocks again, in double precision and as plainly as their formulas.
#pragma once

#include "kernels/rotary.h"
#include "tests/kernels/reference.h"

namespace reference {

inline Values rmsNorm(const Values& x, const Values& gamma) {
    const std::size_t width = gamma.size();
    Values y(x.size());
    for (std::size_t row = 0; row < x.size(); row += width) {
        double squares = 0;
        for (std::size_t c = 0; c < width; ++c) squares += x[row + c] * x[row + c] / double(width);
        for (std::size_t c = 0; c < width; ++c) y[row + c] = x[row + c] / std::sqrt(squares + 1e-5) * gamma[c];
    }
    return y;
}

/// [rows, 2·columns] → [rows, columns].
inline Values swiglu(const Values& joined, int columns) {
    Values out(joined.size() / 2);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t gate = i / columns * 2 * columns + i % columns;
        out[i] = joined[gate] / (1 + std::exp(-joined[gate])) * joined[gate + columns];
    }
    return out;
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
                    const double angle = position * std::pow(shape.base, -2.0 * (i % half) / width);
                    function(to, from, part == 2 ? 1 : std::cos(angle));
                    if (part < 2 && i < half) function(to, from + half, -std::sin(angle));
                    if (part < 2 && i >= half) function(to, from - half, std::sin(angle));
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

struct LlamaShape : Shape {
    int keyHeads = 1;
    double base = 10000;
};

inline Values matrix(const Values& x, int rows, const Values& weight) {
    const int inputs = int(x.size()) / rows;
    return product(x, weight, rows, int(weight.size()) / inputs, inputs, false, false);
}

inline Values groupedAttentionLayer(const Weights& w, const std::string& block, const LlamaShape& shape,
                                    const Values& x) {
    const int width = shape.hidden / shape.heads;
    const Values joined =
        matrix(rmsNorm(x, w.at(block + ".ln_1.weight")), shape.tokens(), w.at(block + ".attn.qkv.weight"));
    const Values apart = rotary(
        {shape.samples, shape.sequence, shape.heads, shape.keyHeads, width, shape.base, 0, shape.sequence, 0}, joined);
    return sum(x, matrix(attention(apart, shape.samples, shape.sequence, shape.heads, width), shape.tokens(),
                         w.at(block + ".attn.c_proj.weight")));
}

inline Values gatedFeedForwardLayer(const Weights& w, const std::string& block, const LlamaShape& shape,
                                    const Values& x) {
    const Values joined =
        matrix(rmsNorm(x, w.at(block + ".ln_2.weight")), shape.tokens(), w.at(block + ".mlp.gate_up.weight"));
    const Values active = swiglu(joined, int(joined.size()) / shape.tokens() / 2);
    return sum(x, matrix(active, shape.tokens(), w.at(block + ".mlp.c_proj.weight")));
}

inline double llamaLoss(const Weights& w, const LlamaShape& shape, std::span<const std::int32_t> tokens,
                        std::span<const std::int32_t> targets) {
    Values x(tokens.size() * shape.hidden);
    for (std::size_t t = 0; t < tokens.size(); ++t)
        for (int c = 0; c < shape.hidden; ++c)
            x[t * shape.hidden + c] = w.at("wte.weight")[std::size_t(tokens[t]) * shape.hidden + c];
    for (int layer = 0; layer < shape.layers; ++layer) {
        const std::string block = "h." + std::to_string(layer);
        x = gatedFeedForwardLayer(w, block, shape, groupedAttentionLayer(w, block, shape, x));
    }
    const Values logits = product(rmsNorm(x, w.at("ln_f.weight")), w.at("lm_head.weight"), shape.tokens(),
                                  shape.vocabulary, shape.hidden, false, true);
    return crossEntropy(logits, shape.vocabulary, targets);
}

}  // namespace reference
