// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/gate_noise.h"
#include "kernels/cpu/rows.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace shardlab {

namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

/// What is no number comes last.
float scoreOf(float x) { return x == x ? x : lowest; }

void softmax(int count, float* row) {
    float largest = lowest;
    for (int e = 0; e < count; ++e) largest = std::max(largest, scoreOf(row[e]));
    float sum = 0;
    for (int e = 0; e < count; ++e) sum += row[e] = std::exp(row[e] - largest);
    for (int e = 0; e < count; ++e) row[e] /= sum;
}

/// The next best after `last` in order of score, then of number; `last` -1: the best of all.
int nextBest(int count, const float* row, int last) {
    int best = -1;
    for (int e = 0; e < count; ++e) {
        const float score = scoreOf(row[e]);
        if (last >= 0) {
            const float before = scoreOf(row[last]);
            if (score > before || (score == before && e <= last)) continue;
        }
        if (best < 0 || score > scoreOf(row[best])) best = e;
    }
    return best;
}

/// A token's choices into `chosen`, their weights, and G in place of its scores.
void choose(const GateShape& shape, GateKind kind, float* row, float* weights, std::int32_t* chosen) {
    int last = -1;
    for (int j = 0; j < shape.choices; ++j) chosen[j] = last = nextBest(shape.experts, row, last);
    if (kind == GateKind::Switch) {
        softmax(shape.experts, row);
        weights[0] = row[chosen[0]];
        return;
    }
    for (int j = 0; j < shape.choices; ++j) weights[j] = row[chosen[j]];
    softmax(shape.choices, weights);
    std::fill_n(row, shape.experts, 0.0f);
    for (int j = 0; j < shape.choices; ++j) row[chosen[j]] = weights[j];
}

/// One sample at work; its matrices begin with its first token.
struct SampleRoutes {
    const GateShape& shape;
    int sample;
    float* scores;
    float* weights;
    std::int32_t* rows;
    const Routes& all;

    SampleRoutes(const GateShape& of, int number, float* logits, const Routes& routes)
        : shape(of), sample(number), scores(logits + firstToken() * of.experts),
          weights(routes.weights + firstToken() * of.choices), rows(routes.rows + firstToken() * of.choices), all(routes) {}

    std::int64_t firstToken() const { return std::int64_t{sample} * shape.sequence; }
    std::int64_t firstRow(int expert) const { return (std::int64_t{expert} * shape.samples + sample) * shape.capacity; }
    void take(int token, int choice, int expert, int place) const {
        const std::int64_t row = firstRow(expert) + place;
        rows[token * shape.choices + choice] = static_cast<std::int32_t>(row);
        all.places[row] = static_cast<std::int32_t>((firstToken() + token) * shape.choices + choice);
    }

    void tokensChoose(GateKind kind) const {
        const int s = shape.sequence, k = shape.choices;
        std::vector<std::int32_t> chosen(static_cast<std::size_t>(s) * static_cast<std::size_t>(k));
        for (int t = 0; t < s; ++t) choose(shape, kind, scores + t * shape.experts, weights + t * k, chosen.data() + t * k);
        std::vector<int> asked(static_cast<std::size_t>(shape.experts));
        for (int j = 0; j < k; ++j)
            for (int t = 0; t < s; ++t) {
                const int expert = chosen[static_cast<std::size_t>(t * k + j)];
                const int place = asked[static_cast<std::size_t>(expert)]++;
                rows[t * k + j] = -1;
                if (place < shape.capacity) take(t, j, expert, place);
            }
        for (int e = 0; e < shape.experts; ++e)
            all.asked[sample * shape.experts + e] = static_cast<float>(asked[static_cast<std::size_t>(e)]);
    }

    void expertsChoose() const {
        const int s = shape.sequence, experts = shape.experts;
        for (int t = 0; t < s; ++t) softmax(experts, scores + t * experts);
        std::copy_n(scores, std::int64_t{s} * experts, weights);
        std::fill_n(rows, std::int64_t{s} * experts, -1);
        std::vector<int> order(static_cast<std::size_t>(s));
        for (int e = 0; e < experts; ++e) {
            std::iota(order.begin(), order.end(), 0);
            const auto better = [&](int a, int b) {
                const float first = scoreOf(scores[a * experts + e]), second = scoreOf(scores[b * experts + e]);
                return first > second || (first == second && a < b);
            };
            std::partial_sort(order.begin(), order.begin() + shape.capacity, order.end(), better);
            for (int place = 0; place < shape.capacity; ++place) take(order[static_cast<std::size_t>(place)], e, e, place);
            all.asked[sample * experts + e] = static_cast<float>(shape.capacity);
        }
    }

    void run(GateKind kind) const {
        for (int e = 0; e < shape.experts; ++e) std::fill_n(all.places + firstRow(e), shape.capacity, -1);
        if (kind == GateKind::ExpertChoice) expertsChoose();
        else tokensChoose(kind);
        float* const sums = all.sums + sample * shape.experts;
        std::fill_n(sums, shape.experts, 0.0f);
        for (int t = 0; t < shape.sequence; ++t)
            for (int e = 0; e < shape.experts; ++e) sums[e] += scores[t * shape.experts + e];
    }
};

}  // namespace

void CpuDevice::gateNoise(int rows, int columns, std::uint64_t key, std::int64_t firstRow, float* noise, float* logits) {
    cpu::shareOut(rows, std::int64_t{rows} * columns * 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
            const cpu::NoiseRow normal(key, firstRow + r);
            for (int c = 0; c < columns; ++c) {
                float& n = noise[r * columns + c];
                const float epsilon = normal(static_cast<std::uint32_t>(c));
                const float small = std::exp(-std::abs(n));
                logits[r * columns + c] += epsilon * (std::max(n, 0.0f) + std::log1p(small));
                n = epsilon * (n >= 0 ? 1.0f : small) / (1.0f + small);
            }
        }
    });
}

void CpuDevice::route(const GateShape& shape, GateKind kind, float* logits, const Routes& routes) {
    cpu::shareOut(shape.samples, std::int64_t{shape.tokens()} * shape.experts * 8, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t sample = begin; sample < end; ++sample)
            SampleRoutes(shape, static_cast<int>(sample), logits, routes).run(kind);
    });
}

void CpuDevice::routeGrad(const GateShape& shape, const Balance& balance, const Routes& routes,
                          const float* weightGradient, float* probabilities, float* noise) {
    const int experts = shape.experts, k = shape.choices;
    const float s = static_cast<float>(shape.sequence);
    const bool ofSums = balance.kind == GateKind::NoisyTopK;
    const float factor = balance.weight * (ofSums ? 2.0f : 1.0f) * static_cast<float>(experts) / (s * s) /
                         static_cast<float>(shape.samples);
    const float* const statistic = ofSums ? routes.sums : routes.asked;
    cpu::shareOut(shape.tokens(), std::int64_t{shape.tokens()} * experts * 4, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> gradient(static_cast<std::size_t>(experts));
        for (std::int64_t t = begin; t < end; ++t) {
            const float* const ofSample = statistic + t / shape.sequence * experts;
            for (int e = 0; e < experts; ++e) gradient[static_cast<std::size_t>(e)] = factor * ofSample[e];
            for (int j = 0; j < k; ++j)
                if (const std::int32_t row = routes.rows[t * k + j]; row >= 0)
                    gradient[static_cast<std::size_t>(row / shape.expertRows())] += weightGradient[t * k + j];
            float* const g = probabilities + t * experts;
            float mean = 0;
            for (int e = 0; e < experts; ++e) mean += g[e] * gradient[static_cast<std::size_t>(e)];
            for (int e = 0; e < experts; ++e) g[e] *= gradient[static_cast<std::size_t>(e)] - mean;
            if (noise)
                for (int e = 0; e < experts; ++e) noise[t * experts + e] *= g[e];
        }
    });
}

void CpuDevice::countLoad(const GateShape& shape, const float* asked, std::int32_t* tally) {
    for (int sample = 0; sample < shape.samples; ++sample)
        for (int e = 0; e < shape.experts; ++e) {
            const auto tokens = static_cast<std::int32_t>(asked[sample * shape.experts + e]);
            tally[e] += tokens;
            tally[shape.experts + e] += std::max(0, tokens - shape.capacity);
        }
}

}  // namespace shardlab
