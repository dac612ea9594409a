// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/capped_choice.h"
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/gate_noise.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/token_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace shardlab::kernels {

namespace {

/// One sample; its matrices begin with its first token.
struct SampleRoutes {
    const GateShape& shape;
    const GateRule& rule;
    int sample;
    float* scores;
    float* groups;
    float* weights;
    std::int32_t* rows;
    const Routes& all;

    SampleRoutes(const GateShape& of, const GateRule& decides, int number, const GateScores& logits,
                 const Routes& routes)
        : shape(of), rule(decides), sample(number), scores(logits.experts + firstToken() * of.experts),
          groups(logits.groups ? logits.groups + firstToken() * of.groups : nullptr),
          weights(routes.weights + firstToken() * of.choices), rows(routes.rows + firstToken() * of.choices),
          all(routes) {}

    std::int64_t firstToken() const { return std::int64_t{sample} * shape.sequence; }
    /// Dropless: what all samples asked for has to be known.
    std::int64_t firstRow(int expert) const {
        if (!shape.dropless) return (std::int64_t{expert} * shape.samples + sample) * shape.capacity;
        std::int64_t row = all.begins[expert];
        for (int before = 0; before < sample; ++before)
            row += static_cast<std::int64_t>(all.asked[before * shape.experts + expert]);
        return row;
    }
    void take(int token, int choice, std::int64_t row) const {
        rows[token * shape.choices + choice] = static_cast<std::int32_t>(row);
        all.places[row] = static_cast<std::int32_t>((firstToken() + token) * shape.choices + choice);
    }

    /// Writes the experts of all choices to `chosen` [sequence, choices]; −1: none.
    void tokensChoose(std::int32_t* chosen) const {
        const int s = shape.sequence, k = shape.choices;
        cpu::TokenChoice choice(shape, rule);
        for (int t = 0; t < s; ++t)
            choice.choose(firstToken() + t, scores + t * shape.experts, groups ? groups + t * shape.groups : nullptr,
                          weights + t * k, chosen + t * k);
        std::vector<int> asked(static_cast<std::size_t>(shape.experts)), firsts(asked.size());
        for (int at = 0; at < s * k; ++at) {
            if (chosen[at] < 0) continue;
            ++asked[static_cast<std::size_t>(chosen[at])];
            if (at % k == 0) ++firsts[static_cast<std::size_t>(chosen[at])];
        }
        std::copy(asked.begin(), asked.end(), all.asked + sample * shape.experts);
        if (rule.kind == GateKind::GShard) std::copy(firsts.begin(), firsts.end(), all.sums + sample * shape.experts);
        else sumScores();
    }

    /// Gives out places: to all first choices before second ones, and to tokens in their order.
    void place(const std::int32_t* chosen) const {
        struct Places {
            std::int64_t next, end;
        };
        std::vector<Places> free;
        for (int e = 0; e < shape.experts; ++e) {
            const std::int64_t first = firstRow(e);
            const auto asked = static_cast<std::int64_t>(all.asked[sample * shape.experts + e]);
            free.push_back({first, first + (shape.dropless ? asked : shape.capacity)});
            std::fill(all.places + free.back().next, all.places + free.back().end, -1);
        }
        for (int j = 0; j < shape.choices; ++j)
            for (int t = 0; t < shape.sequence; ++t) {
                const int at = t * shape.choices + j, expert = chosen[at];
                rows[at] = sharesChosen(rule.kind) ? -1 - expert : -1;
                if (expert < 0) continue;
                Places& places = free[static_cast<std::size_t>(expert)];
                if (places.next < places.end) take(t, j, places.next++);
            }
    }

    void expertsChoose() const {
        const int s = shape.sequence, experts = shape.experts;
        for (int t = 0; t < s; ++t) cpu::softmax(experts, scores + t * experts);
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
                const float first = cpu::scoreOf(ranks[a * experts + e]), second = cpu::scoreOf(ranks[b * experts + e]);
                return first > second || (first == second && a < b);
            };
            std::partial_sort(order.begin(), order.begin() + shape.capacity, order.end(), better);
            for (int place = 0; place < shape.capacity; ++place)
                take(order[static_cast<std::size_t>(place)], e, firstRow(e) + place);
            all.asked[sample * experts + e] = static_cast<float>(shape.capacity);
        }
        sumScores();
    }

    void sumScores() const {
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

    int expertOf(std::int32_t row) const {
        if (!shape.dropless) return row / shape.expertRows();
        const std::int32_t* const begins = routes.begins;
        return static_cast<int>(std::upper_bound(begins, begins + shape.experts + 1, row) - begins) - 1;
    }
    /// The expert of a choice, with a row or without, where sharesChosen.
    int chosen(int choice) const {
        const std::int32_t row = routes.rows[token * shape.choices + choice];
        return row >= 0 ? expertOf(row) : -1 - row;
    }
    /// The gradient of a choice's weight.
    float ofWeight(int choice) const {
        const std::int64_t at = token * shape.choices + choice;
        return routes.rows[at] >= 0 ? weightGradient[at] : 0.0f;
    }
    void addWeights() const {
        for (int j = 0; j < shape.choices; ++j)
            if (const std::int32_t row = routes.rows[token * shape.choices + j]; row >= 0)
                gradient[expertOf(row)] += weightGradient[token * shape.choices + j];
    }
    void softmaxGrad(float* g) const {
        float mean = 0;
        for (int e = 0; e < shape.experts; ++e) mean += g[e] * gradient[e];
        for (int e = 0; e < shape.experts; ++e) g[e] *= gradient[e] - mean;
    }
    /// The weights come from a softmax over two experts, the balance loss from a softmax over all.
    void twoGrad(float* g) const {
        const int first = cpu::nextBest(shape.experts, g, -1), second = cpu::nextBest(shape.experts, g, first);
        const float* const w = routes.weights + token * shape.choices;
        const float mean = w[0] * ofWeight(0) + w[1] * ofWeight(1);
        softmaxGrad(g);
        g[first] += w[0] * (ofWeight(0) - mean);
        g[second] += w[1] * (ofWeight(1) - mean);
    }
    /// The weights come from a softmax over the chosen experts, the balance loss from a softmax over all.
    void chosenGrad(float* g) const {
        const float* const w = routes.weights + token * shape.choices;
        float mean = 0;
        for (int j = 0; j < shape.choices; ++j) mean += w[j] * ofWeight(j);
        softmaxGrad(g);
        for (int j = 0; j < shape.choices; ++j) g[chosen(j)] += w[j] * (ofWeight(j) - mean);
    }
    /// With D the gradient of the weights w, their G and the sum S of these give w·(D − Σ G·D ÷ S) ÷ G as the gradient
    /// of G; with B that of p = G ÷ Σ G, p·(B − Σ p·B) ÷ G. That of H is G·(1 − G) times their sum.
    void sigmoidGrad(float* g) const {
        const float* const w = routes.weights + token * shape.choices;
        float all = 0, ofAll = 0, sum = 0, ofChosen = 0;
        for (int e = 0; e < shape.experts; ++e) {
            all += g[e];
            ofAll += g[e] * gradient[e];
        }
        for (int j = 0; j < shape.choices; ++j) {
            sum += g[chosen(j)];
            ofChosen += g[chosen(j)] * ofWeight(j);
        }
        for (int e = 0; e < shape.experts; ++e) gradient[e] = g[e] / all * (gradient[e] - ofAll / all);
        for (int j = 0; j < shape.choices; ++j) gradient[chosen(j)] += w[j] * (ofWeight(j) - ofChosen / sum);
        for (int e = 0; e < shape.experts; ++e) g[e] = gradient[e] * (1 - g[e]);
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
    const auto bySample = [&](const auto& body) {
        cpu::shareOut(shape.samples, std::int64_t{shape.tokens()} * shape.experts * 8,
                      [&](std::int64_t begin, std::int64_t end) {
                          for (std::int64_t sample = begin; sample < end; ++sample)
                              body(SampleRoutes(shape, rule, static_cast<int>(sample), logits, routes));
                      });
    };
    if (rule.kind == GateKind::ExpertChoice || rule.kind == GateKind::CappedChoice) {
        std::fill_n(routes.places, shape.rows(), -1);
        bySample([](const SampleRoutes& sample) { sample.expertsChoose(); });
        return;
    }
    std::vector<std::int32_t> chosen(static_cast<std::size_t>(shape.tokens()) *
                                     static_cast<std::size_t>(shape.choices));
    const auto ofSample = [&](const SampleRoutes& sample) {
        return chosen.data() + sample.firstToken() * shape.choices;
    };
    bySample([&](const SampleRoutes& sample) { sample.tokensChoose(ofSample(sample)); });
    if (shape.dropless) {
        routes.begins[0] = 0;
        for (int e = 0; e < shape.experts; ++e) {
            routes.begins[e + 1] = routes.begins[e];
            for (int sample = 0; sample < shape.samples; ++sample)
                routes.begins[e + 1] += static_cast<std::int32_t>(routes.asked[sample * shape.experts + e]);
        }
    }
    bySample([&](const SampleRoutes& sample) { sample.place(ofSample(sample)); });
}

void CpuDevice::routeGrad(const GateShape& shape, const Balance& balance, const Routes& routes,
                          const float* weightGradient, const GateScores& probabilities, const GateScores& noise) {
    const int experts = shape.experts;
    const float factor = balanceFactor(shape, balance);
    const float* const statistic = balancesAsked(balance.kind) ? routes.asked : routes.sums;
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
                          switch (balance.kind) {
                          case GateKind::GShard: token.twoGrad(g); break;
                          case GateKind::TopKSoftmax: token.chosenGrad(g); break;
                          case GateKind::Sigmoid: token.sigmoidGrad(g); break;
                          default:
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
            if (!shape.dropless) tally[shape.experts + e] += std::max(0, tokens - shape.capacity);
        }
}

void CpuDevice::countTaken(const GateShape& shape, const Routes& routes, std::int32_t* tally) {
    for (std::int64_t token = 0; token < shape.tokens(); ++token) {
        const std::int32_t* const rows = routes.rows + token * shape.choices;
        const auto taken =
            static_cast<std::int32_t>(std::count_if(rows, rows + shape.choices, [](int row) { return row >= 0; }));
        tally[0] += taken == 0 ? 1 : 0;
        tally[1] = std::max(tally[1], taken);
    }
    for (int sample = 0; routes.rounds && sample < shape.samples; ++sample)
        tally[2] = std::max(tally[2], routes.rounds[sample]);
}

}  // namespace shardlab::kernels
