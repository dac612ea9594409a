// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/token_choice.h"

#include "kernels/cpu/gate_noise.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardlab::kernels::cpu {

namespace {

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

}  // namespace

void softmax(int count, float* row) {
    float largest = -std::numeric_limits<float>::infinity();
    for (int e = 0; e < count; ++e) largest = std::max(largest, scoreOf(row[e]));
    float sum = 0;
    for (int e = 0; e < count; ++e) sum += row[e] = std::exp(row[e] - largest);
    for (int e = 0; e < count; ++e) row[e] /= sum;
}

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

TokenChoice::TokenChoice(const GateShape& shape, const GateRule& rule)
    : shape_(shape), rule_(rule), groups_(static_cast<std::size_t>(shape.groupChoices)), groupWeights_(groups_.size()) {
    if (rule.kind != GateKind::Sigmoid) return;
    ranks_.resize(static_cast<std::size_t>(shape.experts));
    groupRanks_.resize(static_cast<std::size_t>(shape.groups));
    open_.resize(ranks_.size());
    std::iota(open_.begin(), open_.end(), 0);
}

void TokenChoice::choose(int token, float* row, float* groupRow, float* weights, std::int32_t* chosen) {
    const int experts = shape_.experts, choices = shape_.choices;
    switch (rule_.kind) {
    case GateKind::GShard: return two(token, row, weights, chosen);
    case GateKind::Hierarchical: return inGroups(row, groupRow, weights, chosen);
    case GateKind::Switch: return several(row, weights, chosen);
    case GateKind::Sigmoid: return bySigmoid(row, weights, chosen);
    default:
        best(experts, row, choices, weights, chosen);
        // gᵢ ÷ Σ g over the chosen is the softmax over these alone.
        if (rule_.kind == GateKind::TopKSoftmax) softmax(experts, row);
        else scatter(experts, choices, weights, chosen, row);
    }
}

void TokenChoice::several(float* row, float* weights, std::int32_t* chosen) const {
    int last = -1;
    for (int j = 0; j < shape_.choices; ++j) chosen[j] = last = nextBest(shape_.experts, row, last);
    softmax(shape_.experts, row);
    for (int j = 0; j < shape_.choices; ++j) weights[j] = row[chosen[j]];
}

void TokenChoice::two(int token, float* row, float* weights, std::int32_t* chosen) const {
    softmax(shape_.experts, row);
    chosen[0] = nextBest(shape_.experts, row, -1);
    chosen[1] = nextBest(shape_.experts, row, chosen[0]);
    const float first = row[chosen[0]], second = row[chosen[1]];
    weights[0] = first / (first + second);
    weights[1] = second / (first + second);
    if (rule_.draws && !(2 * weights[1] > NoiseRow(rule_.key, rule_.firstRow + shape_.numberOf(token)).share()))
        chosen[1] = -1;
}

void TokenChoice::inGroups(float* row, float* groupRow, float* weights, std::int32_t* chosen) {
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

void TokenChoice::bySigmoid(float* row, float* weights, std::int32_t* chosen) {
    for (int e = 0; e < shape_.experts; ++e) {
        row[e] = 1.0f / (1.0f + std::exp(-row[e]));
        ranks_[static_cast<std::size_t>(e)] = rule_.bias ? row[e] + rule_.bias[e] : row[e];
    }
    if (shape_.groupChoices < shape_.groups) keepBestGroups();
    int last = -1;
    float sum = 0;
    for (int j = 0; j < shape_.choices; ++j) {
        last = nextBest(static_cast<int>(open_.size()), ranks_.data(), last);
        chosen[j] = open_[static_cast<std::size_t>(last)];
        sum += weights[j] = row[chosen[j]];
    }
    for (int j = 0; j < shape_.choices; ++j) weights[j] = rule_.scale * weights[j] / sum;
}

void TokenChoice::keepBestGroups() {
    const int inGroup = shape_.experts / shape_.groups;
    for (int i = 0; i < shape_.groups; ++i) {
        const float* const inside = ranks_.data() + static_cast<std::ptrdiff_t>(i) * inGroup;
        const int first = nextBest(inGroup, inside, -1);
        float& rank = groupRanks_[static_cast<std::size_t>(i)];
        rank = scoreOf(inside[first]);
        if (inGroup > 1) rank += scoreOf(inside[nextBest(inGroup, inside, first)]);
    }
    int last = -1;
    for (std::int32_t& group : groups_) group = last = nextBest(shape_.groups, groupRanks_.data(), last);
    std::sort(groups_.begin(), groups_.end());
    open_.clear();
    for (const std::int32_t group : groups_)
        for (std::int32_t e = group * inGroup; e < (group + 1) * inGroup; ++e) {
            ranks_[open_.size()] = ranks_[static_cast<std::size_t>(e)];
            open_.push_back(e);
        }
}

}  // namespace shardlab::kernels::cpu
