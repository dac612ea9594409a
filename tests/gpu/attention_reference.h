// SPDX-License-Identifier: Apache-2.0
// Causal attention and its gradient in double precision, by its definition; inputs for it.
#pragma once

#include "kernels/attention.h"
#include "tests/support/wings.h"

#include <bit>
#include <cmath>
#include <functional>
#include <vector>

namespace shardlab::test {

using Numbers = std::vector<double>;

/// What (row of the mask, key position) is multiplied by.
using Mask = std::function<double(std::int64_t row, int key)>;

struct AttentionReference {
    Numbers output;
    Numbers logSums;
    Numbers qkvGradient;
    Numbers sinkGradient;
};

/// 2^−x of ALiBi as it is published: halving in each head from 2^(−8/heads) on, or, where heads are no power of two,
/// the slopes of the power below and every second one of the power above.
inline double alibiSlope(const AlibiSlopes& slopes, int head) {
    std::vector<double> all;
    for (int power = std::bit_floor(unsigned(slopes.heads)), i = 1; i <= power; ++i)
        all.push_back(std::pow(2, -8.0 * i / power));
    for (int power = 2 * std::bit_floor(unsigned(slopes.heads)), i = 1; i <= power; i += 2)
        all.push_back(std::pow(2, -8.0 * i / power));
    return slopes.heads > 0 ? all[std::size_t(slopes.first + head)] : 0;
}

/// `sinks`: scores of the heads' sinks; empty: there are none.
inline AttentionReference attentionReference(const AttentionShape& shape, const Numbers& qkv,
                                             const Numbers& outputGradient, std::int64_t rowsOfSample, const Mask& mask,
                                             const Numbers& sinks = {}) {
    const auto s = static_cast<std::size_t>(shape.sequence);
    const auto d = static_cast<std::size_t>(shape.width);
    const std::size_t hidden = static_cast<std::size_t>(shape.heads) * d;
    const double scale = 1 / std::sqrt(static_cast<double>(d));
    const double cap = static_cast<double>(shape.rule.cap);
    AttentionReference all{Numbers(outputGradient.size()), {}, Numbers(qkv.size()), Numbers(sinks.size())};
    Numbers p(s);
    Numbers slopes(s, 1);
    Numbers keep(s);
    for (int sample = 0; sample < shape.samples; ++sample)
        for (int head = 0; head < shape.heads; ++head)
            for (std::size_t i = 0; i < s; ++i) {
                const std::size_t first = static_cast<std::size_t>(sample) * s;
                const auto at = [&](std::size_t token, std::size_t which) {
                    return ((first + token) * 3 + which) * hidden + static_cast<std::size_t>(head) * d;
                };
                const std::size_t out = (first + i) * hidden + static_cast<std::size_t>(head) * d;
                const auto least = static_cast<std::size_t>(shape.firstSeen(static_cast<int>(i)));
                const double sink = sinks.empty() ? -1e300 : sinks[static_cast<std::size_t>(head)];
                double highest = sink;
                for (std::size_t j = least; j <= i; ++j) {
                    p[j] = 0;
                    for (std::size_t c = 0; c < d; ++c) p[j] += qkv[at(i, 0) + c] * qkv[at(j, 1) + c];
                    p[j] *= scale;
                    if (cap > 0) {
                        const double share = std::tanh(p[j] / cap);
                        slopes[j] = 1 - share * share;
                        p[j] = cap * share;
                    }
                    p[j] -= alibiSlope(shape.rule.slopes, head) * static_cast<double>(i - j);
                    highest = std::max(highest, p[j]);
                }
                const double ofSink = std::exp(sink - highest);
                double sum = ofSink;
                for (std::size_t j = least; j <= i; ++j) sum += p[j] = std::exp(p[j] - highest);
                all.logSums.push_back(highest + std::log(sum));
                double dots = 0;
                for (std::size_t j = least; j <= i; ++j) {
                    p[j] /= sum;
                    keep[j] =
                        mask(sample * rowsOfSample + std::int64_t{head} * shape.sequence + static_cast<std::int64_t>(i),
                             static_cast<int>(j));
                    for (std::size_t c = 0; c < d; ++c) all.output[out + c] += keep[j] * p[j] * qkv[at(j, 2) + c];
                }
                for (std::size_t c = 0; c < d; ++c) dots += all.output[out + c] * outputGradient[out + c];
                if (!sinks.empty()) all.sinkGradient[static_cast<std::size_t>(head)] -= ofSink / sum * dots;
                for (std::size_t j = least; j <= i; ++j) {
                    double dP = 0;
                    for (std::size_t c = 0; c < d; ++c) {
                        dP += keep[j] * outputGradient[out + c] * qkv[at(j, 2) + c];
                        all.qkvGradient[at(j, 2) + c] += keep[j] * p[j] * outputGradient[out + c];
                    }
                    const double dS = scale * p[j] * (dP - dots) * slopes[j];
                    for (std::size_t c = 0; c < d; ++c) {
                        all.qkvGradient[at(i, 0) + c] += dS * qkv[at(j, 1) + c];
                        all.qkvGradient[at(j, 1) + c] += dS * qkv[at(i, 0) + c];
                    }
                }
            }
    return all;
}

}  // namespace shardlab::test
