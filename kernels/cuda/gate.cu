// SPDX-License-Identifier: Apache-2.0
// A warp scores a token; then the experts of a sample, a thread each, go through its tokens in order and give out places.
#include "kernels/gate.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/gate_noise.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/reduce.cuh"

#include <algorithm>

namespace shardlab::cuda {

namespace {

constexpr int tokensOfBlock = 8;   ///< a warp each
constexpr int placeThreads = 128;

/// What is no number comes last.
__device__ float scoreOf(float x) { return x == x ? x : -INFINITY; }

__device__ int laneOf() { return static_cast<int>(threadIdx.x) % warpSize_; }

/// The warp's token; -1 beyond the last.
__device__ int tokenOf(const GateShape& shape) {
    const int token = static_cast<int>(blockIdx.x) * tokensOfBlock + static_cast<int>(threadIdx.x) / warpSize_;
    return token < shape.samples * shape.sequence ? token : -1;
}

/// The largest score of the row.
__device__ float largestOf(int count, const float* row) {
    float largest = -INFINITY;
    for (int e = laneOf(); e < count; e += warpSize_) largest = Largest{}(largest, scoreOf(row[e]));
    return warpMax(largest);
}

__device__ void softmaxRow(int count, float* row) {
    const float largest = largestOf(count, row);
    float sum = 0;
    for (int e = laneOf(); e < count; e += warpSize_) sum += row[e] = expf(row[e] - largest);
    sum = warpSum(sum);
    for (int e = laneOf(); e < count; e += warpSize_) row[e] /= sum;
}

/// The next best after `last` in order of score, then of number; `last` -1: the best of all.
__device__ int nextBest(int count, const float* row, int last) {
    const float before = last < 0 ? 0.0f : scoreOf(row[last]);
    float score = -INFINITY;
    int best = count;
    for (int e = laneOf(); e < count; e += warpSize_) {
        const float own = scoreOf(row[e]);
        if (last >= 0 && (own > before || (own == before && e <= last))) continue;
        if (best == count || own > score) {
            score = own;
            best = e;
        }
    }
#pragma unroll
    for (int distance = warpSize_ / 2; distance > 0; distance /= 2) {
        const float other = __shfl_xor_sync(0xFFFFFFFFu, score, distance);
        const int number = __shfl_xor_sync(0xFFFFFFFFu, best, distance);
        if (number < count && (best == count || other > score || (other == score && number < best))) {
            score = other;
            best = number;
        }
    }
    return best;
}

__global__ void noiseKernel(int rows, int columns, std::uint64_t key, std::int64_t firstRow, float* noise, float* logits) {
    overElements<1>(static_cast<std::int64_t>(rows) * columns, [&](std::int64_t i, auto) {
        const NoiseRow normal(key, firstRow + i / columns);
        const float epsilon = normal(static_cast<std::uint32_t>(i % columns));
        const float n = noise[i];
        const float small = expf(-fabsf(n));
        logits[i] += epsilon * (fmaxf(n, 0.0f) + log1pf(small));
        noise[i] = epsilon * (n >= 0 ? 1.0f : small) / (1.0f + small);
    });
}

/// A token's choices into `chosen`, their weights, and G in place of its scores.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    chooseKernel(GateShape shape, bool all, float* scores, float* weights, std::int32_t* chosen) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    float* const row = scores + static_cast<std::int64_t>(token) * shape.experts;
    float* const own = weights + static_cast<std::int64_t>(token) * shape.choices;
    std::int32_t* const numbers = chosen + static_cast<std::int64_t>(token) * shape.choices;
    int last = -1;
    float largest = 0;
    float sum = 0;
    for (int j = 0; j < shape.choices; ++j) {
        last = nextBest(shape.experts, row, last);
        const float score = row[last];
        if (j == 0) largest = score;
        sum += expf(score - largest);
        if (laneOf() == 0) {
            numbers[j] = last;
            own[j] = score;
        }
    }
    __syncwarp();
    if (all) {
        softmaxRow(shape.experts, row);
        __syncwarp();
        if (laneOf() == 0) own[0] = row[last];
        return;
    }
    for (int e = laneOf(); e < shape.experts; e += warpSize_) row[e] = 0;
    __syncwarp();
    for (int j = laneOf(); j < shape.choices; j += warpSize_) row[numbers[j]] = own[j] = expf(own[j] - largest) / sum;
}

/// Block: a sample; thread: an expert, or every placeThreads-th.
__global__ void __launch_bounds__(placeThreads)
    placesKernel(GateShape shape, const float* probabilities, const std::int32_t* chosen, Routes routes) {
    const int sample = static_cast<int>(blockIdx.x);
    const std::int64_t first = static_cast<std::int64_t>(sample) * shape.sequence;
    for (int e = static_cast<int>(threadIdx.x); e < shape.experts; e += placeThreads) {
        const std::int64_t row = (static_cast<std::int64_t>(e) * shape.samples + sample) * shape.capacity;
        int asked = 0;
        for (int j = 0; j < shape.choices; ++j)
            for (int t = 0; t < shape.sequence; ++t) {
                const std::int64_t place = (first + t) * shape.choices + j;
                if (chosen[place] != e) continue;
                const bool free = asked < shape.capacity;
                routes.rows[place] = free ? static_cast<std::int32_t>(row + asked) : -1;
                if (free) routes.places[row + asked] = static_cast<std::int32_t>(place);
                ++asked;
            }
        for (int i = asked; i < shape.capacity; ++i) routes.places[row + i] = -1;
        routes.asked[sample * shape.experts + e] = static_cast<float>(asked);
        float sum = 0;
        for (int t = 0; t < shape.sequence; ++t) sum += probabilities[(first + t) * shape.experts + e];
        routes.sums[sample * shape.experts + e] = sum;
    }
}

__global__ void __launch_bounds__(tokensOfBlock* warpSize_) scoreKernel(GateShape shape, float* scores) {
    if (const int token = tokenOf(shape); token >= 0)
        softmaxRow(shape.experts, scores + static_cast<std::int64_t>(token) * shape.experts);
}

/// Block: an expert and a sample. A token's place is the number of those that come before it.
__global__ void __launch_bounds__(placeThreads) takeKernel(GateShape shape, const float* probabilities, Routes routes) {
    const int e = static_cast<int>(blockIdx.x);
    const int sample = static_cast<int>(blockIdx.y);
    const std::int64_t first = static_cast<std::int64_t>(sample) * shape.sequence;
    const std::int64_t row = (static_cast<std::int64_t>(e) * shape.samples + sample) * shape.capacity;
    const auto score = [&](int t) { return scoreOf(probabilities[(first + t) * shape.experts + e]); };
    float sum = 0;
    for (int t = static_cast<int>(threadIdx.x); t < shape.sequence; t += placeThreads) {
        const float own = score(t);
        int before = 0;
        for (int other = 0; other < shape.sequence; ++other) {
            const float its = score(other);
            if (its > own || (its == own && other < t)) ++before;
        }
        const std::int64_t place = (first + t) * shape.experts + e;
        const bool taken = before < shape.capacity;
        routes.weights[place] = probabilities[place];
        routes.rows[place] = taken ? static_cast<std::int32_t>(row + before) : -1;
        if (taken) routes.places[row + before] = static_cast<std::int32_t>(place);
        sum += probabilities[place];
    }
    sum = blockSum<placeThreads>(sum);
    if (threadIdx.x != 0) return;
    routes.asked[sample * shape.experts + e] = static_cast<float>(shape.capacity);
    routes.sums[sample * shape.experts + e] = sum;
}

__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    routeGradKernel(GateShape shape, float factor, const float* statistic, const std::int32_t* rows,
                    const float* weightGradient, float* probabilities, float* noise) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    const int experts = shape.experts;
    const int expertRows = shape.samples * shape.capacity;
    const float* const ofSample = statistic + static_cast<std::int64_t>(token / shape.sequence) * experts;
    const std::int64_t place = static_cast<std::int64_t>(token) * shape.choices;
    const std::int64_t at = static_cast<std::int64_t>(token) * experts;
    const auto gradient = [&](int e) {
        float sum = factor * ofSample[e];
        for (int j = 0; j < shape.choices; ++j)
            if (const std::int32_t row = rows[place + j]; row >= 0 && row / expertRows == e) sum += weightGradient[place + j];
        return sum;
    };
    float mean = 0;
    for (int e = laneOf(); e < experts; e += warpSize_) mean += probabilities[at + e] * gradient(e);
    mean = warpSum(mean);
    for (int e = laneOf(); e < experts; e += warpSize_) {
        const float result = probabilities[at + e] * (gradient(e) - mean);
        probabilities[at + e] = result;
        if (noise) noise[at + e] *= result;
    }
}

__global__ void countLoadKernel(GateShape shape, const float* asked, std::int32_t* tally) {
    const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= shape.experts) return;
    for (int sample = 0; sample < shape.samples; ++sample) {
        const int tokens = static_cast<int>(asked[sample * shape.experts + e]);
        tally[e] += tokens;
        tally[shape.experts + e] += tokens > shape.capacity ? tokens - shape.capacity : 0;
    }
}

unsigned tokenBlocks(const GateShape& shape) { return static_cast<unsigned>(ceilDiv(shape.tokens(), tokensOfBlock)); }
constexpr int tokenThreads = tokensOfBlock * warpSize_;

}  // namespace

void CudaDevice::gateNoise(int rows, int columns, std::uint64_t key, std::int64_t firstRow, float* noise, float* logits) {
    launch("gateNoise", noiseKernel, elementBlocks(static_cast<std::int64_t>(rows) * columns, 1), elementThreads, *queue_,
           rows, columns, key, firstRow, noise, logits);
}

void CudaDevice::route(const GateShape& shape, GateKind kind, float* logits, const Routes& routes) {
    if (shape.tokens() == 0) return;
    if (kind == GateKind::ExpertChoice) {
        launch("scores", scoreKernel, tokenBlocks(shape), tokenThreads, *queue_, shape, logits);
        launch("experts choose", takeKernel, dim3(static_cast<unsigned>(shape.experts), static_cast<unsigned>(shape.samples)),
               placeThreads, *queue_, shape, static_cast<const float*>(logits), routes);
        return;
    }
    const std::int64_t choices = static_cast<std::int64_t>(shape.tokens()) * shape.choices;
    auto* const chosen = scratch<std::int32_t>(static_cast<std::size_t>(choices));
    launch("tokens choose", chooseKernel, tokenBlocks(shape), tokenThreads, *queue_, shape, kind == GateKind::Switch, logits,
           routes.weights, chosen);
    launch("places", placesKernel, static_cast<unsigned>(shape.samples), placeThreads, *queue_, shape,
           static_cast<const float*>(logits), static_cast<const std::int32_t*>(chosen), routes);
}

void CudaDevice::routeGrad(const GateShape& shape, const Balance& balance, const Routes& routes,
                           const float* weightGradient, float* probabilities, float* noise) {
    const bool ofSums = balance.kind == GateKind::NoisyTopK;
    const float s = static_cast<float>(shape.sequence);
    const float factor = balance.weight * (ofSums ? 2.0f : 1.0f) * static_cast<float>(shape.experts) / (s * s) /
                         static_cast<float>(shape.samples);
    launch("routeGrad", routeGradKernel, tokenBlocks(shape), tokenThreads, *queue_, shape, factor,
           static_cast<const float*>(ofSums ? routes.sums : routes.asked), static_cast<const std::int32_t*>(routes.rows),
           weightGradient, probabilities, noise);
}

void CudaDevice::countLoad(const GateShape& shape, const float* asked, std::int32_t* tally) {
    launch("countLoad", countLoadKernel, static_cast<unsigned>(ceilDiv(shape.experts, 128)), 128, *queue_, shape, asked, tally);
}

}  // namespace shardlab::cuda
