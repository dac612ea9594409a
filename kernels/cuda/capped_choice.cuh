// SPDX-License-Identifier: Apache-2.0
// Finds A of experts that choose with a cap (kernels/gate.h, GateRule), as cpu/capped_choice.cpp does: a block takes a
// sample, a warp an expert at a time and a thread a token.
#pragma once

#include "kernels/gate.h"

#include "kernels/cuda/reduce.cuh"

#include <cuda_runtime.h>

namespace shardlab::kernels::cuda {

constexpr int cappedThreads = 256;

/// A thread of the team goes through numbers first(), first() + stride … of a sum; sum() adds the parts of all threads.
struct WarpOf {
    __device__ static int first() { return static_cast<int>(threadIdx.x) % warpSize_; }
    static constexpr int stride = warpSize_;
    __device__ static float sum(float part) { return warpSum(part); }
};
struct ThreadOf {
    __device__ static int first() { return 0; }
    static constexpr int stride = 1;
    __device__ static float sum(float part) { return part; }
};

/// Not-a-number stays not-a-number.
__device__ inline float atMostOne(float x) { return x > 1 ? 1.0f : x; }

/// Finds f with Σ min(1, f·share(i)) = wanted by Newton's steps from below.
template <class Team, class Share>
__device__ float cappedFactor(int count, float wanted, Share share) {
    float sum = 0;
    for (int i = Team::first(); i < count; i += Team::stride) sum += share(i);
    float factor = wanted / Team::sum(sum);
    for (int step = 0; step < cappedSteps; ++step) {
        float full = 0, below = 0;
        for (int i = Team::first(); i < count; i += Team::stride) {
            const float one = share(i);
            if (factor * one >= 1) full += 1;
            else below += one;
        }
        below = Team::sum(below);
        const float next = (wanted - Team::sum(full)) / below;
        if (!(below > 0) || !(next > factor)) break;
        factor = next;
    }
    return factor;
}

/// `ofExperts` [samples, experts] and `ofTokens` [samples, sequence] are scratch.
__global__ void __launch_bounds__(cappedThreads)
    cappedKernel(GateShape shape, int tokenExperts, float entropy, const float* probabilities, float* ofExperts,
                 float* ofTokens, float* assigned, std::int32_t* allRounds) {
    const int sample = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
    const int experts = shape.experts, tokens = shape.sequence;
    const std::int64_t first = static_cast<std::int64_t>(sample) * tokens * experts;
    float* const shares = assigned + first;
    float* const u = ofExperts + static_cast<std::int64_t>(sample) * experts;
    float* const v = ofTokens + static_cast<std::int64_t>(sample) * tokens;
    const float places = static_cast<float>(shape.capacity), most = static_cast<float>(tokenExperts);
    const auto value = [&](int t, int e) { return atMostOne(u[e] * (v[t] * shares[t * experts + e])); };
    const auto relaxed = [](float own, float exact) { return own * powf(exact / own, cappedRelaxation); };

    for (int i = thread; i < tokens * experts; i += cappedThreads)
        shares[i] = expf((probabilities[first + i] - 1) / entropy);
    for (int e = thread; e < experts; e += cappedThreads) u[e] = 1;
    for (int t = thread; t < tokens; t += cappedThreads) v[t] = 1;
    __syncthreads();
    int rounds = 0;
    float worst = 0;
    do {
        for (int e = thread / warpSize_; e < experts; e += cappedThreads / warpSize_) {
            const float exact =
                cappedFactor<WarpOf>(tokens, places, [&](int t) { return v[t] * shares[t * experts + e]; });
            __syncwarp();
            if (WarpOf::first() == 0) u[e] = rounds == 0 ? exact : relaxed(u[e], exact);
        }
        __syncthreads();
        if (tokenExperts < experts)
            for (int t = thread; t < tokens; t += cappedThreads) {
                const float exact =
                    cappedFactor<ThreadOf>(experts, most, [&](int e) { return u[e] * shares[t * experts + e]; });
                v[t] = atMostOne(rounds == 0 ? exact : relaxed(v[t], exact));
            }
        __syncthreads();
        worst = 0;
        for (int e = thread / warpSize_; e < experts; e += cappedThreads / warpSize_) {
            float sum = 0;
            for (int t = WarpOf::first(); t < tokens; t += warpSize_) sum += value(t, e);
            worst = Largest{}(fabsf(warpSum(sum) - places) / places, worst);
        }
        for (int t = thread; t < tokens; t += cappedThreads) {
            float sum = 0;
            for (int e = 0; e < experts; ++e) sum += value(t, e);
            const float above = (sum - most) / most;
            worst = Largest{}(v[t] < 1 ? fabsf(above) : above, worst);
        }
        worst = blockMax<cappedThreads>(worst);
        ++rounds;
    } while (rounds < cappedRounds && worst > cappedTolerance);
    for (int t = thread; t < tokens; t += cappedThreads)
        for (int e = 0; e < experts; ++e) shares[t * experts + e] = value(t, e);
    if (thread == 0) allRounds[sample] = rounds;
}

}  // namespace shardlab::kernels::cuda
