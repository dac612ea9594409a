// SPDX-License-Identifier: Apache-2.0
// The backward of gates: a warp takes a token.
#pragma once

#include "kernels/gate.h"

#include "kernels/cuda/gate_choices.cuh"
#include "kernels/cuda/reduce.cuh"

#include <cuda_runtime.h>

namespace shardlab::kernels::cuda {

/// The backward of a token: where its numbers lie, and the gradients of its weights and of G.
struct TokenGrad {
    const GateShape& shape;
    float factor;
    const float* ofSample;
    const std::int32_t* begins;
    const std::int32_t* rows;
    const float* weights;
    const float* weightGradient;

    __device__ TokenGrad(const GateShape& of, int token, float balance, const float* statistic, const Routes& routes,
                         const float* gradients)
        : shape(of), factor(balance), ofSample(statistic + static_cast<std::int64_t>(token / of.sequence) * of.experts),
          begins(routes.begins), rows(routes.rows + static_cast<std::int64_t>(token) * of.choices),
          weights(routes.weights + static_cast<std::int64_t>(token) * of.choices),
          weightGradient(gradients + static_cast<std::int64_t>(token) * of.choices) {}

    __device__ float ofBalance(int e) const { return factor * ofSample[e]; }
    __device__ float ofWeight(int choice) const { return rows[choice] >= 0 ? weightGradient[choice] : 0.0f; }
    /// Whether a choice with a row is expert e.
    __device__ bool has(int choice, int e) const {
        const int row = rows[choice];
        if (shape.packed()) return row >= begins[e] && row < begins[e + 1];
        return row >= 0 && row / (shape.samples * shape.capacity) == e;
    }
    /// The choice that is expert e, with a row or without, where sharesChosen; −1: none.
    __device__ int choiceOf(int e) const {
        for (int j = 0; j < shape.choices; ++j)
            if (has(j, e) || rows[j] == -1 - e) return j;
        return -1;
    }
    __device__ float operator()(int e) const {
        float sum = ofBalance(e);
        for (int j = 0; j < shape.choices; ++j)
            if (has(j, e)) sum += weightGradient[j];
        return sum;
    }
};

__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    routeGradKernel(GateShape shape, float factor, const float* statistic, Routes routes, const float* weightGradient,
                    float* probabilities, float* noise) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    const TokenGrad gradient(shape, token, factor, statistic, routes, weightGradient);
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
    const TokenGrad gradient(shape, token, factor, statistic, routes, weightGradient);
    const std::int64_t at = static_cast<std::int64_t>(token) * shape.experts;
    float* const g = probabilities + at;
    const float* const weights = gradient.weights;
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

/// TopKSoftmax: the weights come from a softmax over the chosen experts, the balance loss from a softmax over all.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    chosenGradKernel(GateShape shape, float factor, const float* statistic, Routes routes, const float* weightGradient,
                     float* probabilities, float* noise) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    const TokenGrad gradient(shape, token, factor, statistic, routes, weightGradient);
    const std::int64_t at = static_cast<std::int64_t>(token) * shape.experts;
    float* const g = probabilities + at;
    float mean = 0, meanOfChosen = 0;
    for (int j = 0; j < shape.choices; ++j) meanOfChosen += gradient.weights[j] * gradient.ofWeight(j);
    for (int e = laneOf(); e < shape.experts; e += warpSize_) mean += g[e] * gradient.ofBalance(e);
    mean = warpSum(mean);
    for (int e = laneOf(); e < shape.experts; e += warpSize_) {
        float result = g[e] * (gradient.ofBalance(e) - mean);
        const int j = gradient.choiceOf(e);
        if (j >= 0) result += gradient.weights[j] * (gradient.ofWeight(j) - meanOfChosen);
        g[e] = result;
        if (noise) noise[at + e] *= result;
    }
}

/// Sigmoid: with D the gradient of the weights w, their G and the sum S of these give w·(D − Σ G·D ÷ S) ÷ G as the
/// gradient of G; with B that of p = G ÷ Σ G, p·(B − Σ p·B) ÷ G. That of H is G·(1 − G) times their sum.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    sigmoidGradKernel(GateShape shape, float factor, const float* statistic, Routes routes, const float* weightGradient,
                      float* probabilities, float* noise) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    const TokenGrad gradient(shape, token, factor, statistic, routes, weightGradient);
    const std::int64_t at = static_cast<std::int64_t>(token) * shape.experts;
    float* const g = probabilities + at;
    float all = 0, ofAll = 0, sum = 0, ofChosen = 0;
    for (int e = laneOf(); e < shape.experts; e += warpSize_) {
        all += g[e];
        ofAll += g[e] * gradient.ofBalance(e);
        const int j = gradient.choiceOf(e);
        if (j < 0) continue;
        sum += g[e];
        ofChosen += g[e] * gradient.ofWeight(j);
    }
    all = warpSum(all);
    const float mean = warpSum(ofAll) / all;
    sum = warpSum(sum);
    const float meanOfChosen = warpSum(ofChosen) / sum;
    for (int e = laneOf(); e < shape.experts; e += warpSize_) {
        const float own = g[e];
        float result = own / all * (gradient.ofBalance(e) - mean);
        const int j = gradient.choiceOf(e);
        if (j >= 0) result += gradient.weights[j] * (gradient.ofWeight(j) - meanOfChosen);
        result *= 1.0f - own;
        g[e] = result;
        if (noise) noise[at + e] *= result;
    }
}

/// Hierarchical: with D the gradient of G and S the sum of G·D over a group, the gradient of H is G·(D − S ÷ P), that
/// of U is S − P·Σ S.
__global__ void __launch_bounds__(tokensOfBlock* warpSize_)
    inGroupsGradKernel(GateShape shape, float factor, const float* statistic, Routes routes,
                       const float* weightGradient, GateScores probabilities, GateScores noise) {
    const int token = tokenOf(shape);
    if (token < 0) return;
    const TokenGrad gradient(shape, token, factor, statistic, routes, weightGradient);
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

}  // namespace shardlab::kernels::cuda
