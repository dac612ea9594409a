// SPDX-License-Identifier: Apache-2.0
// A warp scores a token; then one thread for each expert of a sample goes through the sample's tokens in order and
// gives out places.
#include "kernels/gate.h"

#include "kernels/cuda/capped_choice.cuh"
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/gate_noise.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/reduce.cuh"

#include <algorithm>

namespace shardlab::kernels::cuda {

namespace {

constexpr int tokensOfBlock = 8;  ///< one for each warp
constexpr int placeThreads = 128;

/// Not-a-number comes last.
__device__ float scoreOf(float x) { return x == x ? x : -INFINITY; }

__device__ int laneOf() { return static_cast<int>(threadIdx.x) % warpSize_; }

/// The warp's token; −1 beyond the last.
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

/// The next best after `last` by score, then by number; with `last` −1 the best of all.
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

__global__ void noiseKernel(int rows, int columns, std::uint64_t key, std::int64_t firstRow, float* noise,
                            float* logits) {
    overElements<1>(static_cast<std::int64_t>(rows) * columns, [&](std::int64_t i, auto) {
        const NoiseRow normal(key, firstRow + i / columns);
        const float epsilon = normal(static_cast<std::uint32_t>(i % columns));
        const float n = noise[i];
        const float small = expf(-fabsf(n));
        logits[i] += epsilon * (fmaxf(n, 0.0f) + log1pf(small));
        noise[i] = epsilon * (n >= 0 ? 1.0f : small) / (1.0f + small);
    });
}

/// Writes a token's choices to `chosen`, their weights, and G over its scores.
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

/// GShard: takes the largest two of G, which overwrites the scores. A choice that is not drawn has no expert and no
/// row.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    twoKernel(GateShape shape, bool draws, std::uint64_t key, std::int64_t firstRow, float* scores, Routes routes,
              std::int32_t* chosen) {
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
    const bool taken = !draws || 2 * weight > NoiseRow(key, firstRow + token).share();
    routes.weights[place] = first / (first + second);
    routes.weights[place + 1] = weight;
    chosen[place] = one;
    chosen[place + 1] = taken ? other : -1;
    if (!taken) routes.rows[place + 1] = -1;
}

/// Hierarchical: takes the best groups, and the best experts in each. P overwrites the scores of groups, G those of
/// experts.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    inGroupsKernel(GateShape shape, GateScores scores, float* weights, std::int32_t* chosen) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    const int inGroup = shape.experts / shape.groups, each = shape.choices / shape.groupChoices;
    float* const row = scores.experts + static_cast<std::int64_t>(token) * shape.experts;
    float* const groupRow = scores.groups + static_cast<std::int64_t>(token) * shape.groups;
    float* const own = weights + static_cast<std::int64_t>(token) * shape.choices;
    std::int32_t* const numbers = chosen + static_cast<std::int64_t>(token) * shape.choices;
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
            if (laneOf() == 0) numbers[i * each + j] = group * inGroup + last;
        }
        __syncwarp();
        for (int j = laneOf(); j < each; j += warpSize_)
            own[i * each + j] = expf(row[numbers[i * each + j]] - largest) / sum;
    }
    const float least = scoreOf(groupRow[group]);
    __syncwarp();
    for (int i = laneOf(); i < shape.groups; i += warpSize_) {
        const float score = scoreOf(groupRow[i]);
        groupRow[i] = score > least || (score == least && i <= group) ? expf(groupRow[i] - top) / all : 0;
    }
    for (int e = laneOf(); e < shape.experts; e += warpSize_) row[e] = 0;
    __syncwarp();
    for (int j = laneOf(); j < shape.choices; j += warpSize_)
        row[numbers[j]] = own[j] = groupRow[numbers[j] / inGroup] * own[j];
}

/// A block takes a sample, a thread every placeThreads-th expert.
__global__ void __launch_bounds__(placeThreads)
    placesKernel(GateShape shape, bool firstChoices, const float* probabilities, const std::int32_t* chosen,
                 Routes routes) {
    const int sample = static_cast<int>(blockIdx.x);
    const std::int64_t first = static_cast<std::int64_t>(sample) * shape.sequence;
    for (int e = static_cast<int>(threadIdx.x); e < shape.experts; e += placeThreads) {
        const std::int64_t row = (static_cast<std::int64_t>(e) * shape.samples + sample) * shape.capacity;
        int asked = 0, firsts = 0;
        for (int j = 0; j < shape.choices; ++j) {
            for (int t = 0; t < shape.sequence; ++t) {
                const std::int64_t place = (first + t) * shape.choices + j;
                if (chosen[place] != e) continue;
                const bool free = asked < shape.capacity;
                routes.rows[place] = free ? static_cast<std::int32_t>(row + asked) : -1;
                if (free) routes.places[row + asked] = static_cast<std::int32_t>(place);
                ++asked;
            }
            if (j == 0) firsts = asked;
        }
        for (int i = asked; i < shape.capacity; ++i) routes.places[row + i] = -1;
        routes.asked[sample * shape.experts + e] = static_cast<float>(asked);
        float sum = 0;
        for (int t = 0; t < shape.sequence; ++t) sum += probabilities[(first + t) * shape.experts + e];
        routes.sums[sample * shape.experts + e] = firstChoices ? static_cast<float>(firsts) : sum;
    }
}

__global__ void __launch_bounds__(tokensOfBlock* warpSize_) scoreKernel(GateShape shape, float* scores) {
    if (const int token = tokenOf(shape); token >= 0)
        softmaxRow(shape.experts, scores + static_cast<std::int64_t>(token) * shape.experts);
}

/// A block takes an expert and a sample. A token's place is the number of tokens that come before it, by their ranks
/// [tokens, experts].
__global__ void __launch_bounds__(placeThreads)
    takeKernel(GateShape shape, const float* probabilities, const float* ranks, Routes routes) {
    const int e = static_cast<int>(blockIdx.x);
    const int sample = static_cast<int>(blockIdx.y);
    const std::int64_t first = static_cast<std::int64_t>(sample) * shape.sequence;
    const std::int64_t row = (static_cast<std::int64_t>(e) * shape.samples + sample) * shape.capacity;
    const auto score = [&](int t) { return scoreOf(ranks[(first + t) * shape.experts + e]); };
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

/// The backward of a token: where its numbers lie, and the gradients of its weights and of G.
struct TokenGrad {
    const GateShape& shape;
    float factor;
    const float* ofSample;
    const std::int32_t* rows;
    const float* weightGradient;

    __device__ TokenGrad(const GateShape& of, int token, float balance, const float* statistic,
                         const std::int32_t* allRows, const float* gradients)
        : shape(of), factor(balance), ofSample(statistic + static_cast<std::int64_t>(token / of.sequence) * of.experts),
          rows(allRows + static_cast<std::int64_t>(token) * of.choices),
          weightGradient(gradients + static_cast<std::int64_t>(token) * of.choices) {}

    __device__ float ofBalance(int e) const { return factor * ofSample[e]; }
    __device__ float ofWeight(int choice) const { return rows[choice] >= 0 ? weightGradient[choice] : 0.0f; }
    __device__ float operator()(int e) const {
        const int expertRows = shape.samples * shape.capacity;
        float sum = ofBalance(e);
        for (int j = 0; j < shape.choices; ++j)
            if (rows[j] >= 0 && rows[j] / expertRows == e) sum += weightGradient[j];
        return sum;
    }
};

__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    routeGradKernel(GateShape shape, float factor, const float* statistic, const std::int32_t* rows,
                    const float* weightGradient, float* probabilities, float* noise) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    const TokenGrad gradient(shape, token, factor, statistic, rows, weightGradient);
    const std::int64_t at = static_cast<std::int64_t>(token) * shape.experts;
    float mean = 0;
    for (int e = laneOf(); e < shape.experts; e += warpSize_) mean += probabilities[at + e] * gradient(e);
    mean = warpSum(mean);
    for (int e = laneOf(); e < shape.experts; e += warpSize_) {
        const float result = probabilities[at + e] * (gradient(e) - mean);
        probabilities[at + e] = result;
        if (noise) noise[at + e] *= result;
    }
}

/// GShard: the weights come from a softmax over two experts, the balance loss from a softmax over all.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    twoGradKernel(GateShape shape, float factor, const float* statistic, Routes routes, const float* weightGradient,
                  float* probabilities, float* noise) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    const TokenGrad gradient(shape, token, factor, statistic, routes.rows, weightGradient);
    const std::int64_t at = static_cast<std::int64_t>(token) * shape.experts;
    float* const g = probabilities + at;
    const float* const weights = routes.weights + 2 * static_cast<std::int64_t>(token);
    const int first = nextBest(shape.experts, g, -1);
    const int second = nextBest(shape.experts, g, first);
    const float meanOfTwo = weights[0] * gradient.ofWeight(0) + weights[1] * gradient.ofWeight(1);
    float mean = 0;
    for (int e = laneOf(); e < shape.experts; e += warpSize_) mean += g[e] * gradient.ofBalance(e);
    mean = warpSum(mean);
    for (int e = laneOf(); e < shape.experts; e += warpSize_) {
        float result = g[e] * (gradient.ofBalance(e) - mean);
        if (e == first) result += weights[0] * (gradient.ofWeight(0) - meanOfTwo);
        if (e == second) result += weights[1] * (gradient.ofWeight(1) - meanOfTwo);
        g[e] = result;
        if (noise) noise[at + e] *= result;
    }
}

/// Hierarchical: with D the gradient of G and S the sum of G·D over a group, the gradient of H is G·(D − S ÷ P), that
/// of U is S − P·Σ S.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    inGroupsGradKernel(GateShape shape, float factor, const float* statistic, const std::int32_t* rows,
                       const float* weightGradient, GateScores probabilities, GateScores noise) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    const TokenGrad gradient(shape, token, factor, statistic, rows, weightGradient);
    const int inGroup = shape.experts / shape.groups;
    const std::int64_t at = static_cast<std::int64_t>(token) * shape.experts;
    const std::int64_t groupAt = static_cast<std::int64_t>(token) * shape.groups;
    float* const g = probabilities.experts + at;
    float* const p = probabilities.groups + groupAt;
    float all = 0;
    for (int e = laneOf(); e < shape.experts; e += warpSize_) all += g[e] * gradient(e);
    all = warpSum(all);
    for (int i = 0; i < shape.groups; ++i) {
        float sum = 0;
        for (int e = i * inGroup + laneOf(); e < (i + 1) * inGroup; e += warpSize_) sum += g[e] * gradient(e);
        sum = warpSum(sum);
        const float own = p[i], mean = own != 0 ? sum / own : 0;
        __syncwarp();
        for (int e = i * inGroup + laneOf(); e < (i + 1) * inGroup; e += warpSize_) {
            const float result = g[e] * (gradient(e) - mean);
            g[e] = result;
            if (noise.experts) noise.experts[at + e] *= result;
        }
        if (laneOf() != 0) continue;
        p[i] = sum - own * all;
        if (noise.groups) noise.groups[groupAt + i] *= p[i];
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

void CudaDevice::gateNoise(int rows, int columns, std::uint64_t key, std::int64_t firstRow, float* noise,
                           float* logits) {
    launch("gateNoise", noiseKernel, elementBlocks(static_cast<std::int64_t>(rows) * columns, 1), elementThreads,
           *queue_, rows, columns, key, firstRow, noise, logits);
}

void CudaDevice::route(const GateShape& shape, const GateRule& rule, const GateScores& logits, const Routes& routes) {
    if (shape.tokens() == 0) return;
    const unsigned blocks = tokenBlocks(shape);
    const bool capped = rule.kind == GateKind::CappedChoice;
    if (rule.kind == GateKind::ExpertChoice || capped) {
        launch("scores", scoreKernel, blocks, tokenThreads, *queue_, shape, logits.experts);
        const float* const probabilities = logits.experts;
        if (capped) {
            const auto ofExperts = static_cast<std::size_t>(shape.samples) * static_cast<std::size_t>(shape.experts);
            auto* const factors = scratch<float>(ofExperts + static_cast<std::size_t>(shape.tokens()));
            launch("capped", cappedKernel, static_cast<unsigned>(shape.samples), cappedThreads, *queue_, shape,
                   rule.tokenExperts, rule.entropy, probabilities, factors, factors + ofExperts, routes.assigned,
                   routes.rounds);
        }
        launch("experts choose", takeKernel,
               dim3(static_cast<unsigned>(shape.experts), static_cast<unsigned>(shape.samples)), placeThreads, *queue_,
               shape, probabilities, capped ? static_cast<const float*>(routes.assigned) : probabilities, routes);
        return;
    }
    const std::int64_t choices = static_cast<std::int64_t>(shape.tokens()) * shape.choices;
    auto* const chosen = scratch<std::int32_t>(static_cast<std::size_t>(choices));
    const bool two = rule.kind == GateKind::GShard;
    if (two)
        launch("tokens choose two", twoKernel, blocks, tokenThreads, *queue_, shape, rule.draws, rule.key,
               rule.firstRow, logits.experts, routes, chosen);
    else if (rule.kind == GateKind::Hierarchical)
        launch("tokens choose in groups", inGroupsKernel, blocks, tokenThreads, *queue_, shape, logits, routes.weights,
               chosen);
    else
        launch("tokens choose", chooseKernel, blocks, tokenThreads, *queue_, shape, rule.kind == GateKind::Switch,
               logits.experts, routes.weights, chosen);
    launch("places", placesKernel, static_cast<unsigned>(shape.samples), placeThreads, *queue_, shape, two,
           static_cast<const float*>(logits.experts), static_cast<const std::int32_t*>(chosen), routes);
}

void CudaDevice::routeGrad(const GateShape& shape, const Balance& balance, const Routes& routes,
                           const float* weightGradient, const GateScores& probabilities, const GateScores& noise) {
    const float factor = balanceFactor(shape, balance);
    const float* const statistic = balance.kind == GateKind::Switch ? routes.asked : routes.sums;
    const std::int32_t* const rows = routes.rows;
    const unsigned blocks = tokenBlocks(shape);
    if (balance.kind == GateKind::GShard)
        launch("twoGrad", twoGradKernel, blocks, tokenThreads, *queue_, shape, factor, statistic, routes,
               weightGradient, probabilities.experts, noise.experts);
    else if (balance.kind == GateKind::Hierarchical)
        launch("inGroupsGrad", inGroupsGradKernel, blocks, tokenThreads, *queue_, shape, factor, statistic, rows,
               weightGradient, probabilities, noise);
    else
        launch("routeGrad", routeGradKernel, blocks, tokenThreads, *queue_, shape, factor, statistic, rows,
               weightGradient, probabilities.experts, noise.experts);
}

void CudaDevice::countLoad(const GateShape& shape, const float* asked, std::int32_t* tally) {
    launch("countLoad", countLoadKernel, static_cast<unsigned>(ceilDiv(shape.experts, 128)), 128, *queue_, shape, asked,
           tally);
}

}  // namespace shardlab::kernels::cuda
