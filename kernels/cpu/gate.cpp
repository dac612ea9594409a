// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/capped_choice.h"
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/gate_noise.h"
#include "kernels/cpu/rows.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace shardlab::kernels {

namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

/// Not-a-number comes last.
float scoreOf(float x) { return x == x ? x : lowest; }

void softmax(int count, float* row) {
    float largest = lowest;
    for (int e = 0; e < count; ++e) largest = std::max(largest, scoreOf(row[e]));
    float sum = 0;
    for (int e = 0; e < count; ++e) sum += row[e] = std::exp(row[e] - largest);
    for (int e = 0; e < count; ++e) row[e] /= sum;
}

/// The next best after `last` by score, then by number; with `last` −1 the best of all.
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

/// The best `choices` of a row and the softmax over them alone.
void best(int count, const float* row, int choices, float* weights, std::int32_t* chosen) {
    int last = -1;
    for (int j = 0; j < choices; ++j) {
        chosen[j] = last = nextBest(count, row, last);
        weights[j] = row[last];
    }
    softmax(choices, weights);
}

void scatter(int count, int choices, const float* weights, const std::int32_t* chosen, float* row) {
    std::fill_n(row, count, 0.0f);
    for (int j = 0; j < choices; ++j) row[chosen[j]] = weights[j];
}

/// Decides for a token: writes G over its scores, P over those of its groups, and its choices with their weights; −1:
/// none.
class Chooser {
public:
    Chooser(const GateShape& shape, const GateRule& rule)
        : shape_(shape), rule_(rule), groups_(static_cast<std::size_t>(shape.groupChoices)),
          groupWeights_(groups_.size()) {}

    void choose(std::int64_t token, float* row, float* groupRow, float* weights, std::int32_t* chosen) {
        const int experts = shape_.experts, choices = shape_.choices;
        switch (rule_.kind) {
        case GateKind::GShard: return two(token, row, weights, chosen);
        case GateKind::Hierarchical: return inGroups(row, groupRow, weights, chosen);
        case GateKind::Switch:
            chosen[0] = nextBest(experts, row, -1);
            softmax(experts, row);
            weights[0] = row[chosen[0]];
            return;
        default: best(experts, row, choices, weights, chosen); scatter(experts, choices, weights, chosen, row);
        }
    }

private:
    void two(std::int64_t token, float* row, float* weights, std::int32_t* chosen) const {
        softmax(shape_.experts, row);
        chosen[0] = nextBest(shape_.experts, row, -1);
        chosen[1] = nextBest(shape_.experts, row, chosen[0]);
        const float first = row[chosen[0]], second = row[chosen[1]];
        weights[0] = first / (first + second);
        weights[1] = second / (first + second);
        if (rule_.draws && !(2 * weights[1] > cpu::NoiseRow(rule_.key, rule_.firstRow + token).share())) chosen[1] = -1;
    }

    void inGroups(float* row, float* groupRow, float* weights, std::int32_t* chosen) {
        const int inGroup = shape_.experts / shape_.groups, each = shape_.choices / shape_.groupChoices;
        best(shape_.groups, groupRow, shape_.groupChoices, groupWeights_.data(), groups_.data());
        scatter(shape_.groups, shape_.groupChoices, groupWeights_.data(), groups_.data(), groupRow);
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            const std::int32_t first = groups_[i] * inGroup;
            float* const w = weights + static_cast<std::ptrdiff_t>(i) * each;
            std::int32_t* const numbers = chosen + static_cast<std::ptrdiff_t>(i) * each;
            best(inGroup, row + first, each, w, numbers);
            for (int j = 0; j < each; ++j) {
                w[j] *= groupWeights_[i];
                numbers[j] += first;
            }
        }
        scatter(shape_.experts, shape_.choices, weights, chosen, row);
    }

    const GateShape& shape_;
    const GateRule& rule_;
    std::vector<std::int32_t> groups_;
    std::vector<float> groupWeights_;
};

/// One sample; its matrices begin with its first token.
struct SampleRoutes {
    const GateShape& shape;
    int sample;
    float* scores;
    float* groups;
    float* weights;
    std::int32_t* rows;
    const Routes& all;

    SampleRoutes(const GateShape& of, int number, const GateScores& logits, const Routes& routes)
        : shape(of), sample(number), scores(logits.experts + firstToken() * of.experts),
          groups(logits.groups ? logits.groups + firstToken() * of.groups : nullptr),
          weights(routes.weights + firstToken() * of.choices), rows(routes.rows + firstToken() * of.choices),
          all(routes) {}

    std::int64_t firstToken() const { return std::int64_t{sample} * shape.sequence; }
    std::int64_t firstRow(int expert) const { return (std::int64_t{expert} * shape.samples + sample) * shape.capacity; }
    void take(int token, int choice, int expert, int place) const {
        const std::int64_t row = firstRow(expert) + place;
        rows[token * shape.choices + choice] = static_cast<std::int32_t>(row);
        all.places[row] = static_cast<std::int32_t>((firstToken() + token) * shape.choices + choice);
    }

    void tokensChoose(const GateRule& rule) const {
        const int s = shape.sequence, k = shape.choices;
        std::vector<std::int32_t> chosen(static_cast<std::size_t>(s) * static_cast<std::size_t>(k));
        Chooser chooser(shape, rule);
        for (int t = 0; t < s; ++t)
            chooser.choose(firstToken() + t, scores + t * shape.experts, groups ? groups + t * shape.groups : nullptr,
                           weights + t * k, chosen.data() + t * k);
        std::vector<int> asked(static_cast<std::size_t>(shape.experts));
        for (int j = 0; j < k; ++j) {
            for (int t = 0; t < s; ++t) {
                const int expert = chosen[static_cast<std::size_t>(t * k + j)];
                rows[t * k + j] = -1;
                if (expert < 0) continue;
                const int place = asked[static_cast<std::size_t>(expert)]++;
                if (place < shape.capacity) take(t, j, expert, place);
            }
            if (j == 0 && rule.kind == GateKind::GShard)
                std::copy(asked.begin(), asked.end(), all.sums + sample * shape.experts);
        }
        std::copy(asked.begin(), asked.end(), all.asked + sample * shape.experts);
    }

    void expertsChoose(const GateRule& rule) const {
        const int s = shape.sequence, experts = shape.experts;
        for (int t = 0; t < s; ++t) softmax(experts, scores + t * experts);
        std::copy_n(scores, std::int64_t{s} * experts, weights);
        std::fill_n(rows, std::int64_t{s} * experts, -1);
        const float* ranks = scores;
        if (rule.kind == GateKind::CappedChoice) {
            float* const assigned = all.assigned + firstToken() * experts;
            all.rounds[sample] = cpu::cappedAssignment(shape, rule, scores, assigned);
            ranks = assigned;
        }
        std::vector<int> order(static_cast<std::size_t>(s));
        for (int e = 0; e < experts; ++e) {
            std::iota(order.begin(), order.end(), 0);
            const auto better = [&](int a, int b) {
                const float first = scoreOf(ranks[a * experts + e]), second = scoreOf(ranks[b * experts + e]);
                return first > second || (first == second && a < b);
            };
            std::partial_sort(order.begin(), order.begin() + shape.capacity, order.end(), better);
            for (int place = 0; place < shape.capacity; ++place)
                take(order[static_cast<std::size_t>(place)], e, e, place);
            all.asked[sample * experts + e] = static_cast<float>(shape.capacity);
        }
    }

    void run(const GateRule& rule) const {
        for (int e = 0; e < shape.experts; ++e) std::fill_n(all.places + firstRow(e), shape.capacity, -1);
        if (rule.kind == GateKind::ExpertChoice || rule.kind == GateKind::CappedChoice) expertsChoose(rule);
        else tokensChoose(rule);
        if (rule.kind == GateKind::GShard) return;
        float* const sums = all.sums + sample * shape.experts;
        std::fill_n(sums, shape.experts, 0.0f);
        for (int t = 0; t < shape.sequence; ++t)
            for (int e = 0; e < shape.experts; ++e) sums[e] += scores[t * shape.experts + e];
    }
};

/// The backward of one token; `gradient` [experts] starts with the balance loss's gradient of G.
struct TokenGrad {
    const GateShape& shape;
    const Routes& routes;
    const float* weightGradient;
    std::int64_t token;
    float* gradient;

    /// The gradient of a choice's weight.
    float ofWeight(int choice) const {
        const std::int64_t at = token * shape.choices + choice;
        return routes.rows[at] >= 0 ? weightGradient[at] : 0.0f;
    }
    void addWeights() const {
        for (int j = 0; j < shape.choices; ++j)
            if (const std::int32_t row = routes.rows[token * shape.choices + j]; row >= 0)
                gradient[row / shape.expertRows()] += weightGradient[token * shape.choices + j];
    }
    void softmaxGrad(float* g) const {
        float mean = 0;
        for (int e = 0; e < shape.experts; ++e) mean += g[e] * gradient[e];
        for (int e = 0; e < shape.experts; ++e) g[e] *= gradient[e] - mean;
    }
    /// The weights come from a softmax over two experts, the balance loss from a softmax over all.
    void twoGrad(float* g) const {
        const int first = nextBest(shape.experts, g, -1), second = nextBest(shape.experts, g, first);
        const float* const w = routes.weights + token * shape.choices;
        const float mean = w[0] * ofWeight(0) + w[1] * ofWeight(1);
        softmaxGrad(g);
        g[first] += w[0] * (ofWeight(0) - mean);
        g[second] += w[1] * (ofWeight(1) - mean);
    }
    /// With D the gradient of G and S the sum of G·D over a group, the gradient of H is G·(D − S ÷ P), that of U is S −
    /// P·Σ S.
    void inGroupsGrad(float* g, float* p) const {
        const int inGroup = shape.experts / shape.groups;
        float all = 0;
        for (int e = 0; e < shape.experts; ++e) all += g[e] * gradient[e];
        for (int i = 0; i < shape.groups; ++i) {
            float sum = 0;
            for (int e = i * inGroup; e < (i + 1) * inGroup; ++e) sum += g[e] * gradient[e];
            const float mean = p[i] != 0 ? sum / p[i] : 0;
            for (int e = i * inGroup; e < (i + 1) * inGroup; ++e) g[e] *= gradient[e] - mean;
            p[i] = sum - p[i] * all;
        }
    }
};

}  // namespace

void CpuDevice::gateNoise(int rows, int columns, std::uint64_t key, std::int64_t firstRow, float* noise,
                          float* logits) {
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

void CpuDevice::route(const GateShape& shape, const GateRule& rule, const GateScores& logits, const Routes& routes) {
    cpu::shareOut(shape.samples, std::int64_t{shape.tokens()} * shape.experts * 8,
                  [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t sample = begin; sample < end; ++sample)
                          SampleRoutes(shape, static_cast<int>(sample), logits, routes).run(rule);
                  });
}

void CpuDevice::routeGrad(const GateShape& shape, const Balance& balance, const Routes& routes,
                          const float* weightGradient, const GateScores& probabilities, const GateScores& noise) {
    const int experts = shape.experts;
    const float factor = balanceFactor(shape, balance);
    const float* const statistic = balance.kind == GateKind::Switch ? routes.asked : routes.sums;
    cpu::shareOut(shape.tokens(), std::int64_t{shape.tokens()} * experts * 4,
                  [&](std::int64_t begin, std::int64_t end) {
                      std::vector<float> gradient(static_cast<std::size_t>(experts));
                      for (std::int64_t t = begin; t < end; ++t) {
                          const float* const ofSample = statistic + t / shape.sequence * experts;
                          for (int e = 0; e < experts; ++e)
                              gradient[static_cast<std::size_t>(e)] = factor * ofSample[e];
                          const TokenGrad token{shape, routes, weightGradient, t, gradient.data()};
                          float* const g = probabilities.experts + t * experts;
                          float* const p = probabilities.groups ? probabilities.groups + t * shape.groups : nullptr;
                          if (balance.kind == GateKind::GShard) {
                              token.twoGrad(g);
                          } else {
                              token.addWeights();
                              if (p) token.inGroupsGrad(g, p);
                              else token.softmaxGrad(g);
                          }
                          if (noise.experts)
                              for (int e = 0; e < experts; ++e) noise.experts[t * experts + e] *= g[e];
                          if (noise.groups)
                              for (int i = 0; i < shape.groups; ++i) noise.groups[t * shape.groups + i] *= p[i];
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

}  // namespace shardlab::kernels
