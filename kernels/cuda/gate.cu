// SPDX-License-Identifier: Apache-2.0
// A warp scores a token; then one thread for each expert of a sample goes through the sample's tokens in order and
// gives out places.
#include "kernels/gate.h"

#include "kernels/cuda/capped_choice.cuh"
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/gate_choices.cuh"
#include "kernels/cuda/gate_gradients.cuh"
#include "kernels/cuda/gate_noise.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/reduce.cuh"

#include <algorithm>

namespace shardlab::kernels::cuda {

namespace {

constexpr int placeThreads = 128;

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

/// Dropless: how many of a sample's choices are an expert, [samples, experts]. A block takes a sample, a thread every
/// placeThreads-th expert.
__global__ void __launch_bounds__(placeThreads)
    askedKernel(GateShape shape, const std::int32_t* chosen, std::int32_t* asked) {
    const int sample = static_cast<int>(blockIdx.x);
    const std::int64_t ofSample = static_cast<std::int64_t>(shape.sequence) * shape.choices;
    for (int e = static_cast<int>(threadIdx.x); e < shape.experts; e += placeThreads) {
        int count = 0;
        for (std::int64_t i = sample * ofSample; i < (sample + 1) * ofSample; ++i) count += chosen[i] == e;
        asked[sample * shape.experts + e] = count;
    }
}

/// Dropless: where each expert's rows begin, by one block, which shares a number for each expert.
__global__ void __launch_bounds__(placeThreads)
    beginsKernel(GateShape shape, const std::int32_t* asked, std::int32_t* begins) {
    auto* const totals = static_cast<std::int32_t*>(sharedMemory());
    for (int e = static_cast<int>(threadIdx.x); e < shape.experts; e += placeThreads) {
        std::int32_t total = 0;
        for (int sample = 0; sample < shape.samples; ++sample) total += asked[sample * shape.experts + e];
        totals[e] = total;
    }
    __syncthreads();
    for (int e = static_cast<int>(threadIdx.x); e <= shape.experts; e += placeThreads) {
        std::int32_t begin = 0;
        for (int before = 0; before < e; ++before) begin += totals[before];
        begins[e] = begin;
    }
}

/// A block takes a sample, a thread every placeThreads-th expert. `shares`: sharesChosen; `allAsked`: where dropless,
/// that of askedKernel.
__global__ void __launch_bounds__(placeThreads)
    placesKernel(GateShape shape, bool firstChoices, bool shares, const float* probabilities,
                 const std::int32_t* chosen, const std::int32_t* allAsked, Routes routes) {
    const int sample = static_cast<int>(blockIdx.x);
    const std::int64_t first = static_cast<std::int64_t>(sample) * shape.sequence;
    for (int e = static_cast<int>(threadIdx.x); e < shape.experts; e += placeThreads) {
        std::int64_t row = (static_cast<std::int64_t>(e) * shape.samples + sample) * shape.capacity;
        int places = shape.capacity;
        if (shape.dropless) {
            row = routes.begins[e];
            for (int before = 0; before < sample; ++before) row += allAsked[before * shape.experts + e];
            places = allAsked[sample * shape.experts + e];
        }
        int asked = 0, firsts = 0;
        for (int j = 0; j < shape.choices; ++j) {
            for (int t = 0; t < shape.sequence; ++t) {
                const std::int64_t place = (first + t) * shape.choices + j;
                if (chosen[place] != e) continue;
                const bool free = asked < places;
                routes.rows[place] = free ? static_cast<std::int32_t>(row + asked) : shares ? -1 - e : -1;
                if (free) routes.places[row + asked] = static_cast<std::int32_t>(place);
                ++asked;
            }
            if (j == 0) firsts = asked;
        }
        for (int i = asked; i < places; ++i) routes.places[row + i] = -1;
        routes.asked[sample * shape.experts + e] = static_cast<float>(asked);
        float sum = 0;
        for (int t = 0; t < shape.sequence; ++t) sum += probabilities[(first + t) * shape.experts + e];
        routes.sums[sample * shape.experts + e] = firstChoices ? static_cast<float>(firsts) : sum;
    }
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

__global__ void countLoadKernel(GateShape shape, const float* asked, std::int32_t* tally) {
    const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= shape.experts) return;
    for (int sample = 0; sample < shape.samples; ++sample) {
        const int tokens = static_cast<int>(asked[sample * shape.experts + e]);
        tally[e] += tokens;
        if (!shape.dropless) tally[shape.experts + e] += tokens > shape.capacity ? tokens - shape.capacity : 0;
    }
}

__global__ void countTakenKernel(GateShape shape, Routes routes, std::int32_t* tally) {
    const int token = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (token >= shape.samples * shape.sequence) return;
    unsigned taken = 0;
    for (int choice = 0; choice < shape.choices; ++choice)
        taken += routes.rows[static_cast<std::int64_t>(token) * shape.choices + choice] >= 0 ? 1u : 0u;
    auto* const counts = reinterpret_cast<unsigned*>(tally);  // none is negative
    if (taken == 0) atomicAdd(&counts[0], 1u);
    atomicMax(&counts[1], taken);
    if (routes.rounds && token < shape.samples) atomicMax(&counts[2], static_cast<unsigned>(routes.rounds[token]));
}

unsigned tokenBlocks(const GateShape& shape) { return static_cast<unsigned>(ceilDiv(shape.tokens(), tokensOfBlock)); }

}  // namespace

void CudaDevice::gateNoise(int rows, int columns, std::uint64_t key, std::int64_t firstRow, float* noise,
                           float* logits) {
    launch("gateNoise", noiseKernel, elementBlocks(static_cast<std::int64_t>(rows) * columns, 1), elementThreads,
           *queue_, rows, columns, key, firstRow, noise, logits);
}

void CudaDevice::route(const GateShape& shape, const GateRule& rule, const GateScores& logits, const Routes& routes) {
    if (shape.tokens() == 0 && !shape.dropless) return;
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
    const auto tokens = static_cast<std::size_t>(shape.tokens());
    const std::size_t choices = tokens * static_cast<std::size_t>(shape.choices);
    const std::size_t ofSamples =
        shape.dropless ? static_cast<std::size_t>(shape.samples) * static_cast<std::size_t>(shape.experts) : 0;
    const bool sigmoid = rule.kind == GateKind::Sigmoid;
    auto* const chosen =
        scratch<std::int32_t>(choices + ofSamples + (sigmoid ? tokens * static_cast<std::size_t>(shape.groups) : 0));
    auto* const asked = chosen + choices;
    const bool two = rule.kind == GateKind::GShard;
    if (two)
        launch("tokens choose two", twoKernel, blocks, tokenThreads, *queue_, shape, rule.draws, rule.key,
               rule.firstRow, logits.experts, routes, chosen);
    else if (rule.kind == GateKind::Hierarchical)
        launch("tokens choose in groups", inGroupsKernel, blocks, tokenThreads, *queue_, shape, logits, routes.weights,
               chosen);
    else if (sigmoid)
        launch("tokens choose by sigmoid", sigmoidKernel, blocks, tokenThreads, *queue_, shape, rule.bias, rule.scale,
               logits.experts, reinterpret_cast<float*>(asked + ofSamples), routes.weights, chosen);
    else
        launch("tokens choose", chooseKernel, blocks, tokenThreads, *queue_, shape, rule.kind, logits.experts,
               routes.weights, chosen);
    const auto samples = static_cast<unsigned>(shape.samples);
    const std::int32_t* const allChosen = chosen;
    const std::int32_t* const allAsked = asked;
    if (shape.dropless) {
        launch("asked", askedKernel, samples, placeThreads, *queue_, shape, allChosen, asked);
        launchShared("begins", beginsKernel, 1, placeThreads,
                     static_cast<std::size_t>(shape.experts) * sizeof(std::int32_t), *queue_, shape, allAsked,
                     routes.begins);
    }
    launch("places", placesKernel, samples, placeThreads, *queue_, shape, two, sharesChosen(rule.kind),
           static_cast<const float*>(logits.experts), allChosen, allAsked, routes);
}

void CudaDevice::routeGrad(const GateShape& shape, const Balance& balance, const Routes& routes,
                           const float* weightGradient, const GateScores& probabilities, const GateScores& noise) {
    const float factor = balanceFactor(shape, balance);
    const float* const statistic = balancesAsked(balance.kind) ? routes.asked : routes.sums;
    const unsigned blocks = tokenBlocks(shape);
    if (balance.kind == GateKind::Hierarchical) {
        launch("inGroupsGrad", inGroupsGradKernel, blocks, tokenThreads, *queue_, shape, factor, statistic, routes,
               weightGradient, probabilities, noise);
        return;
    }
    auto* kernel = routeGradKernel;
    if (balance.kind == GateKind::GShard) kernel = twoGradKernel;
    if (balance.kind == GateKind::TopKSoftmax) kernel = chosenGradKernel;
    if (balance.kind == GateKind::Sigmoid) kernel = sigmoidGradKernel;
    launch("routeGrad", kernel, blocks, tokenThreads, *queue_, shape, factor, statistic, routes, weightGradient,
           probabilities.experts, noise.experts);
}

void CudaDevice::countLoad(const GateShape& shape, const float* asked, std::int32_t* tally) {
    launch("countLoad", countLoadKernel, static_cast<unsigned>(ceilDiv(shape.experts, 128)), 128, *queue_, shape, asked,
           tally);
}

void CudaDevice::countTaken(const GateShape& shape, const Routes& routes, std::int32_t* tally) {
    if (shape.tokens() == 0) return;
    launch("countTaken", countTakenKernel, static_cast<unsigned>(ceilDiv(shape.tokens(), 128)), 128, *queue_, shape,
           routes, tally);
}

}  // namespace shardlab::kernels::cuda
