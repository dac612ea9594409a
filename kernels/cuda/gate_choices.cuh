// SPDX-License-Identifier: Apache-2.0
// What a token chooses by its scores, as cpu/token_choice.cpp does: a warp takes a token.
#pragma once

#include "kernels/gate.h"

#include "kernels/cuda/gate_noise.cuh"
#include "kernels/cuda/reduce.cuh"

#include <cuda_runtime.h>

namespace shardlab::kernels::cuda {

constexpr int tokensOfBlock = 8;  ///< one for each warp
constexpr int tokenThreads = tokensOfBlock * warpSize_;

/// Not-a-number comes last.
__device__ inline float scoreOf(float x) { return x == x ? x : -INFINITY; }

__device__ inline int laneOf() { return static_cast<int>(threadIdx.x) % warpSize_; }

/// The warp's token; −1 beyond the last.
__device__ inline int tokenOf(const GateShape& shape) {
    const int token = static_cast<int>(blockIdx.x) * tokensOfBlock + static_cast<int>(threadIdx.x) / warpSize_;
    return token < shape.samples * shape.sequence ? token : -1;
}

/// The largest score of the row.
__device__ inline float largestOf(int count, const float* row) {
    float largest = -INFINITY;
    for (int e = laneOf(); e < count; e += warpSize_) largest = Largest{}(largest, scoreOf(row[e]));
    return warpMax(largest);
}

__device__ inline void softmaxRow(int count, float* row) {
    const float largest = largestOf(count, row);
    float sum = 0;
    for (int e = laneOf(); e < count; e += warpSize_) sum += row[e] = expf(row[e] - largest);
    sum = warpSum(sum);
    for (int e = laneOf(); e < count; e += warpSize_) row[e] /= sum;
}

/// The next best after `last` by score(e), then by number, of those that are open(e); with `last` −1 the best of all;
/// `count` where there is none.
template <class Score, class Open>
__device__ int nextBest(int count, int last, Score score, Open open) {
    const float before = last < 0 ? 0.0f : score(last);
    float highest = -INFINITY;
    int best = count;
    for (int e = laneOf(); e < count; e += warpSize_) {
        if (!open(e)) continue;
        const float own = score(e);
        if (last >= 0 && (own > before || (own == before && e <= last))) continue;
        if (best == count || own > highest) {
            highest = own;
            best = e;
        }
    }
#pragma unroll
    for (int distance = warpSize_ / 2; distance > 0; distance /= 2) {
        const float other = __shfl_xor_sync(0xFFFFFFFFu, highest, distance);
        const int number = __shfl_xor_sync(0xFFFFFFFFu, best, distance);
        if (number < count && (best == count || other > highest || (other == highest && number < best))) {
            highest = other;
            best = number;
        }
    }
    return best;
}
/// The same of all in a row.
__device__ inline int nextBest(int count, const float* row, int last) {
    return nextBest(
        count, last, [&](int e) { return scoreOf(row[e]); }, [](int) { return true; });
}

/// What stands where a choice of the expert has no row yet, and which expert that is.
__device__ inline std::int32_t withoutRow(int expert) { return -1 - expert; }
__device__ inline int expertOf(std::int32_t row) { return -1 - row; }

/// Switch, TopKSoftmax, NoisyTopK: writes a token's choices to `rows`, their weights, and G over its scores.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    chooseKernel(GateShape shape, GateKind kind, float* scores, float* weights, std::int32_t* rows) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    float* const row = scores + static_cast<std::int64_t>(token) * shape.experts;
    float* const own = weights + static_cast<std::int64_t>(token) * shape.choices;
    std::int32_t* const numbers = rows + static_cast<std::int64_t>(token) * shape.choices;
    int last = -1;
    float largest = 0;
    float sum = 0;
    for (int j = 0; j < shape.choices; ++j) {
        last = nextBest(shape.experts, row, last);
        const float score = row[last];
        if (j == 0) largest = score;
        sum += expf(score - largest);
        if (laneOf() == 0) {
            numbers[j] = withoutRow(last);
            own[j] = score;
        }
    }
    __syncwarp();
    const bool overAll = kind != GateKind::NoisyTopK;
    if (overAll) softmaxRow(shape.experts, row);
    else
        for (int e = laneOf(); e < shape.experts; e += warpSize_) row[e] = 0;
    __syncwarp();
    for (int j = laneOf(); j < shape.choices; j += warpSize_) {
        // gᵢ ÷ Σ g over the chosen is the softmax over these alone.
        const int e = expertOf(numbers[j]);
        own[j] = kind == GateKind::Switch ? row[e] : expf(own[j] - largest) / sum;
        if (!overAll) row[e] = own[j];
    }
}

/// GShard: takes the largest two of G, which overwrites the scores. A choice that is not drawn has no expert.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    twoKernel(GateShape shape, bool draws, std::uint64_t key, std::int64_t firstRow, float* scores, Routes routes) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    float* const row = scores + static_cast<std::int64_t>(token) * shape.experts;
    softmaxRow(shape.experts, row);
    __syncwarp();
    const int one = nextBest(shape.experts, row, -1);
    const int other = nextBest(shape.experts, row, one);
    if (laneOf() != 0) return;
    const std::int64_t place = 2 * static_cast<std::int64_t>(token);
    const float first = row[one], second = row[other], weight = second / (first + second);
    const bool taken = !draws || 2 * weight > NoiseRow(key, firstRow + shape.numberOf(token)).share();
    routes.weights[place] = first / (first + second);
    routes.weights[place + 1] = weight;
    routes.rows[place] = withoutRow(one);
    routes.rows[place + 1] = withoutRow(taken ? other : shape.experts);
}

/// Hierarchical: takes the best groups, and the best experts in each. P overwrites the scores of groups, G those of
/// experts.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    inGroupsKernel(GateShape shape, GateScores scores, float* weights, std::int32_t* rows) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    const int inGroup = shape.experts / shape.groups, each = shape.choices / shape.groupChoices;
    float* const row = scores.experts + static_cast<std::int64_t>(token) * shape.experts;
    float* const groupRow = scores.groups + static_cast<std::int64_t>(token) * shape.groups;
    float* const own = weights + static_cast<std::int64_t>(token) * shape.choices;
    std::int32_t* const numbers = rows + static_cast<std::int64_t>(token) * shape.choices;
    const float top = groupRow[nextBest(shape.groups, groupRow, -1)];
    float all = 0;
    int group = -1;
    for (int i = 0; i < shape.groupChoices; ++i) {
        group = nextBest(shape.groups, groupRow, group);
        all += expf(groupRow[group] - top);
        const float* const inside = row + group * inGroup;
        float largest = 0, sum = 0;
        int last = -1;
        for (int j = 0; j < each; ++j) {
            last = nextBest(inGroup, inside, last);
            if (j == 0) largest = inside[last];
            sum += expf(inside[last] - largest);
            if (laneOf() == 0) numbers[i * each + j] = withoutRow(group * inGroup + last);
        }
        __syncwarp();
        for (int j = laneOf(); j < each; j += warpSize_)
            own[i * each + j] = expf(row[expertOf(numbers[i * each + j])] - largest) / sum;
    }
    const float least = scoreOf(groupRow[group]);
    __syncwarp();
    for (int i = laneOf(); i < shape.groups; i += warpSize_) {
        const float score = scoreOf(groupRow[i]);
        groupRow[i] = score > least || (score == least && i <= group) ? expf(groupRow[i] - top) / all : 0;
    }
    for (int e = laneOf(); e < shape.experts; e += warpSize_) row[e] = 0;
    __syncwarp();
    for (int j = laneOf(); j < shape.choices; j += warpSize_) {
        const int e = expertOf(numbers[j]);
        row[e] = own[j] = groupRow[e / inGroup] * own[j];
    }
}

/// Sigmoid: takes the largest of G + bias, in the best groups alone where there are others. `groupRanks` [tokens,
/// groups] is scratch.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    sigmoidKernel(GateShape shape, const float* bias, float scale, float* scores, float* groupRanks, float* weights,
                  std::int32_t* rows) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    const int inGroup = shape.experts / shape.groups;
    float* const row = scores + static_cast<std::int64_t>(token) * shape.experts;
    float* const ranks = groupRanks + static_cast<std::int64_t>(token) * shape.groups;
    float* const own = weights + static_cast<std::int64_t>(token) * shape.choices;
    std::int32_t* const numbers = rows + static_cast<std::int64_t>(token) * shape.choices;
    for (int e = laneOf(); e < shape.experts; e += warpSize_) row[e] = 1.0f / (1.0f + expf(-row[e]));
    __syncwarp();
    const auto rank = [&](int e) { return scoreOf(bias ? row[e] + bias[e] : row[e]); };
    const bool limited = shape.groupChoices < shape.groups;
    float least = 0;
    int group = -1;
    if (limited) {
        for (int i = laneOf(); i < shape.groups; i += warpSize_) {
            float first = rank(i * inGroup), second = -INFINITY;
            for (int e = i * inGroup + 1; e < (i + 1) * inGroup; ++e) {
                const float other = rank(e);
                second = Largest{}(second, other > first ? first : other);
                first = Largest{}(first, other);
            }
            ranks[i] = inGroup > 1 ? first + second : first;
        }
        __syncwarp();
        for (int i = 0; i < shape.groupChoices; ++i) group = nextBest(shape.groups, ranks, group);
        least = scoreOf(ranks[group]);
    }
    const auto open = [&](int e) {
        if (!limited) return true;
        const int i = e / inGroup;
        const float its = scoreOf(ranks[i]);
        return its > least || (its == least && i <= group);
    };
    int last = -1;
    float sum = 0;
    for (int j = 0; j < shape.choices; ++j) {
        last = nextBest(shape.experts, last, rank, open);
        sum += row[last];
        if (laneOf() == 0) numbers[j] = withoutRow(last);
    }
    __syncwarp();
    for (int j = laneOf(); j < shape.choices; j += warpSize_) own[j] = scale * row[expertOf(numbers[j])] / sum;
}

/// Experts choose: G overwrites the scores and is the weights too; no expert has taken a token yet.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_) scoreKernel(GateShape shape, float* scores, Routes routes) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    const std::int64_t first = static_cast<std::int64_t>(token) * shape.experts;
    softmaxRow(shape.experts, scores + first);
    for (int e = laneOf(); e < shape.experts; e += warpSize_) {
        routes.weights[first + e] = scores[first + e];
        routes.rows[first + e] = -1;
    }
}

}  // namespace shardlab::kernels::cuda
