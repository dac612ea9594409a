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

/// The first phase of one sample; its matrices begin with its first token.
struct SampleChoices {
    const GateShape& shape;
    const GateRule& rule;
    int sample;
    float* scores;
    float* groups;
    float* weights;
    std::int32_t* rows;
    std::int32_t* asks;

    SampleChoices(const GateShape& of, const GateRule& decides, int number, const GateScores& logits,
                  const Routes& routes)
        : shape(of), rule(decides), sample(number), scores(logits.experts + firstToken() * of.experts),
          groups(logits.groups ? logits.groups + firstToken() * of.groups : nullptr),
          weights(routes.weights + firstToken() * of.choices), rows(routes.rows + firstToken() * of.choices),
          asks(routes.asks ? routes.asks + std::int64_t{number} * of.choices * 2 * of.experts : nullptr) {}

    std::int64_t firstToken() const { return std::int64_t{sample} * shape.sequence; }

    void tokensChoose() const {
        const int s = shape.sequence, k = shape.choices;
        cpu::TokenChoice choice(shape, rule);
        for (int t = 0; t < s; ++t) {
            std::int32_t* const own = rows + t * k;
            choice.choose(static_cast<int>(firstToken()) + t, scores + t * shape.experts,
                          groups ? groups + t * shape.groups : nullptr, weights + t * k, own);
            for (int j = 0; j < k; ++j) own[j] = -1 - (own[j] < 0 ? shape.experts : own[j]);
        }
        if (asks) countAsks();
    }
    void countAsks() const {
        std::fill_n(asks, std::int64_t{shape.choices} * 2 * shape.experts, 0);
        for (int t = 0; t < shape.sequence; ++t)
            for (int j = 0; j < shape.choices; ++j) {
                const int expert = -1 - rows[t * shape.choices + j];
                if (expert < shape.experts) ++asks[(j * 2 + t / shape.runTokens()) * shape.experts + expert];
            }
    }
    void expertsScore() const {
        const int s = shape.sequence, experts = shape.experts;
        for (int t = 0; t < s; ++t) cpu::softmax(experts, scores + t * experts);
        std::copy_n(scores, std::int64_t{s} * experts, weights);
        std::fill_n(rows, std::int64_t{s} * experts, -1);
    }
};

/// The second phase of one sample; its matrices begin with its first token.
struct SampleRoutes {
    const GateShape& shape;
    const GateRule& rule;
    int sample;
    const float* scores;
    const ToldChoices& told;
    std::int32_t* rows;
    const Routes& all;

    SampleRoutes(const GateShape& of, const GateRule& decides, int number, const float* probabilities,
                 const ToldChoices& others, const Routes& routes)
        : shape(of), rule(decides), sample(number), scores(probabilities + firstToken() * of.experts), told(others),
          rows(routes.rows + firstToken() * of.choices), all(routes) {}

    std::int64_t firstToken() const { return std::int64_t{sample} * shape.sequence; }
    float& asked(int expert) const { return all.asked[sample * shape.experts + expert]; }
    /// Packed: how many rows all samples have has to be known, which is `held` [samples, experts].
    std::int64_t firstRow(int expert, const std::vector<std::int32_t>& held) const {
        if (!shape.packed()) return (std::int64_t{expert} * shape.samples + sample) * shape.capacity;
        std::int64_t row = all.begins[expert];
        for (int before = 0; before < sample; ++before)
            row += held[static_cast<std::size_t>(before * shape.experts + expert)];
        return row;
    }
    /// A choice gets a row, which has the place `number` of those for its expert in the sample.
    void take(int at, std::int64_t row, std::int64_t number) const {
        rows[at] = static_cast<std::int32_t>(row);
        all.places[row] = static_cast<std::int32_t>(firstToken() * shape.choices + at);
        if (all.numbers) all.numbers[row] = shape.rowNumber(sample, firstToken() + at / shape.choices, number);
    }

    void countChoices() const {
        std::vector<int> asking(static_cast<std::size_t>(shape.experts)), firsts(asking.size());
        for (int at = 0; at < shape.sequence * shape.choices; ++at) {
            const auto expert = static_cast<std::size_t>(-1 - rows[at]);
            if (expert >= asking.size()) continue;
            ++asking[expert];
            if (at % shape.choices == 0) ++firsts[expert];
        }
        std::copy(asking.begin(), asking.end(), &asked(0));
        if (rule.kind == GateKind::GShard) std::copy(firsts.begin(), firsts.end(), all.sums + sample * shape.experts);
        else sumScores();
    }
    /// How many rows this rank's tokens have with an expert; `asked` is known.
    std::int32_t heldRows(int expert) const {
        if (!shape.competes()) return static_cast<std::int32_t>(asked(expert));
        int before = 0, held = 0;
        for (int j = 0; j < shape.choices; ++j)
            for (int piece = 0; piece < shape.pieces(); ++piece) {
                const int asking = told.asking(shape, sample, j, piece, expert);
                if (shape.memberOf(piece) == shape.member) held += std::clamp(shape.capacity - before, 0, asking);
                before += asking;
            }
        return held;
    }

    /// Gives out places: to all first choices before second ones, and to tokens in their order.
    void place(const std::vector<std::int32_t>& held) const {
        struct Turn {
            std::int64_t row;  ///< that is free next
            int before = 0;    ///< tokens that asked before
        };
        std::vector<Turn> turns;
        for (int e = 0; e < shape.experts; ++e) {
            turns.push_back({firstRow(e, held)});
            if (!shape.packed()) std::fill_n(all.places + turns.back().row, shape.capacity, -1);
        }
        for (int j = 0; j < shape.choices; ++j)
            for (int piece = 0; piece < shape.pieces(); ++piece) {
                if (shape.memberOf(piece) == shape.member) placeRun(j, shape.runOf(piece), turns);
                else
                    for (int e = 0; e < shape.experts; ++e)
                        turns[static_cast<std::size_t>(e)].before += told.asking(shape, sample, j, piece, e);
            }
    }
    template <class Turns>
    void placeRun(int choice, int run, Turns& turns) const {
        const int begin = run * shape.runTokens();
        for (int t = begin; t < begin + shape.runTokens(); ++t) {
            const int at = t * shape.choices + choice;
            const auto expert = static_cast<std::size_t>(-1 - rows[at]);
            if (expert >= turns.size()) continue;
            auto& turn = turns[expert];
            const int number = turn.before++;
            if (number < shape.capacity) take(at, turn.row++, number);
        }
    }

    /// Writes the place of a token with an expert that takes it, among all of the sample, where its row will be.
    void expertsTake() const {
        const int whole = shape.wholeSequence(), experts = shape.experts;
        const RowPositions own = shape.positions();
        const float* const ofAll =
            told.probabilities ? told.probabilities + std::int64_t{sample} * whole * experts : scores;
        const float* ranks = ofAll;
        if (rule.kind == GateKind::CappedChoice) {
            float* const assigned = all.assigned + std::int64_t{sample} * whole * experts;
            all.rounds[sample] = cpu::cappedAssignment(shape.whole(), rule, ofAll, assigned);
            ranks = assigned;
        }
        std::vector<int> order(static_cast<std::size_t>(whole));
        for (int e = 0; e < experts; ++e) {
            std::iota(order.begin(), order.end(), 0);
            const auto better = [&](int a, int b) {
                const float first = cpu::scoreOf(ranks[a * experts + e]), second = cpu::scoreOf(ranks[b * experts + e]);
                return first > second || (first == second && a < b);
            };
            std::partial_sort(order.begin(), order.begin() + shape.capacity, order.end(), better);
            int taken = 0;
            for (int number = 0; number < shape.capacity; ++number) {
                const int position = order[static_cast<std::size_t>(number)];
                const int t = own.before(position, shape.sequence);
                if (t == shape.sequence || own.of(t) != position) continue;  // another member's
                rows[t * experts + e] = number;
                ++taken;
            }
            asked(e) = static_cast<float>(taken);
        }
        sumScores();
    }
    void giveRows(const std::vector<std::int32_t>& held) const {
        for (int e = 0; e < shape.experts; ++e) {
            std::int64_t next = firstRow(e, held);
            for (int t = 0; t < shape.sequence; ++t) {
                const int at = t * shape.experts + e, number = rows[at];
                if (number < 0) continue;
                if (shape.packed()) take(at, next++, number);
                else take(at, next + number, number);
            }
        }
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
        if (!shape.packed()) return row / shape.expertRows();
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

template <class Body>
void bySample(const GateShape& shape, const Body& body) {
    cpu::shareOut(shape.samples, std::int64_t{shape.tokens()} * shape.experts * 8,
                  [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t sample = begin; sample < end; ++sample) body(static_cast<int>(sample));
                  });
}

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

void CpuDevice::chooseExperts(const GateShape& shape, const GateRule& rule, const GateScores& logits,
                              const Routes& routes) {
    bySample(shape, [&](int number) {
        const SampleChoices sample(shape, rule, number, logits, routes);
        if (expertsChoose(rule.kind)) sample.expertsScore();
        else sample.tokensChoose();
    });
}

void CpuDevice::placeTokens(const GateShape& shape, const GateRule& rule, const float* probabilities,
                            const ToldChoices& told, const Routes& routes) {
    const bool theirs = expertsChoose(rule.kind);
    const auto of = [&](int number) { return SampleRoutes(shape, rule, number, probabilities, told, routes); };
    std::vector<std::int32_t> held(static_cast<std::size_t>(shape.samples) * static_cast<std::size_t>(shape.experts));
    bySample(shape, [&](int number) {
        const SampleRoutes sample = of(number);
        if (theirs) sample.expertsTake();
        else sample.countChoices();
        for (int e = 0; e < shape.experts; ++e)
            held[static_cast<std::size_t>(number * shape.experts + e)] =
                theirs ? static_cast<std::int32_t>(sample.asked(e)) : sample.heldRows(e);
    });
    if (shape.packed()) {
        routes.begins[0] = 0;
        for (int e = 0; e < shape.experts; ++e) {
            routes.begins[e + 1] = routes.begins[e];
            for (int sample = 0; sample < shape.samples; ++sample)
                routes.begins[e + 1] += held[static_cast<std::size_t>(sample * shape.experts + e)];
        }
    }
    bySample(shape, [&](int number) {
        if (theirs) of(number).giveRows(held);
        else of(number).place(held);
    });
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

void CpuDevice::countLoad(const GateShape& shape, const Routes& routes, std::int32_t* tally) {
    for (int e = 0; e < shape.experts; ++e) {
        std::int32_t asked = 0, dropped = 0;
        for (int sample = 0; sample < shape.samples; ++sample) {
            const auto tokens = static_cast<std::int32_t>(routes.asked[sample * shape.experts + e]);
            asked += tokens;
            dropped += std::max(0, tokens - shape.capacity);
        }
        tally[e] += asked;
        tally[shape.experts + e] += shape.packed() ? asked - (routes.begins[e + 1] - routes.begins[e]) : dropped;
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
