// SPDX-License-Identifier: Apache-2.0
// A warp scores a token; then one thread for each expert of a sample goes through the sample's tokens in order and
// gives out rows.
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

/// Routes::asks. A block takes a sample, a thread every placeThreads-th expert.
__global__ void __launch_bounds__(placeThreads) asksKernel(GateShape shape, Routes routes) {
    const int sample = static_cast<int>(blockIdx.x), k = shape.choices, run = shape.runTokens();
    const std::int64_t first = static_cast<std::int64_t>(sample) * shape.sequence;
    for (int e = static_cast<int>(threadIdx.x); e < shape.experts; e += placeThreads)
        for (int j = 0; j < k; ++j)
            for (int half = 0; half < 2; ++half) {
                std::int32_t count = 0;
                for (int t = half * run; t < (half + 1) * run; ++t)
                    count += routes.rows[(first + t) * k + j] == withoutRow(e);
                routes.asks[((static_cast<std::int64_t>(sample) * k + j) * 2 + half) * shape.experts + e] = count;
            }
}

/// Packed: how many rows this rank's tokens of a sample have with an expert, [samples, experts]. A block takes a
/// sample, a thread every placeThreads-th expert. `theirs`: experts choose, and have.
__global__ void __launch_bounds__(placeThreads)
    heldKernel(GateShape shape, bool theirs, ToldChoices told, const std::int32_t* rows, std::int32_t* held) {
    const int sample = static_cast<int>(blockIdx.x), k = shape.choices;
    const std::int64_t ofSample = static_cast<std::int64_t>(shape.sequence) * k;
    for (int e = static_cast<int>(threadIdx.x); e < shape.experts; e += placeThreads) {
        int count = 0, before = 0;
        if (theirs) {
            for (std::int64_t i = sample * ofSample + e; i < (sample + 1) * ofSample; i += k) count += rows[i] >= 0;
        } else if (!shape.competes()) {
            for (std::int64_t i = sample * ofSample; i < (sample + 1) * ofSample; ++i)
                count += rows[i] == withoutRow(e);
        } else {
            for (int j = 0; j < k; ++j)
                for (int piece = 0; piece < shape.pieces(); ++piece) {
                    const int asking = told.asking(shape, sample, j, piece, e);
                    const int left = before < shape.capacity ? shape.capacity - before : 0;
                    if (shape.memberOf(piece) == shape.member) count += asking < left ? asking : left;
                    before += asking;
                }
        }
        held[sample * shape.experts + e] = count;
    }
}

/// Packed: where each expert's rows begin, by one block, which shares a number for each expert.
__global__ void __launch_bounds__(placeThreads)
    beginsKernel(GateShape shape, const std::int32_t* held, std::int32_t* begins) {
    auto* const totals = static_cast<std::int32_t*>(sharedMemory());
    for (int e = static_cast<int>(threadIdx.x); e < shape.experts; e += placeThreads) {
        std::int32_t total = 0;
        for (int sample = 0; sample < shape.samples; ++sample) total += held[sample * shape.experts + e];
        totals[e] = total;
    }
    __syncthreads();
    for (int e = static_cast<int>(threadIdx.x); e <= shape.experts; e += placeThreads) {
        std::int32_t begin = 0;
        for (int before = 0; before < e; ++before) begin += totals[before];
        begins[e] = begin;
    }
}

/// The first row of a sample with an expert; packed: `held` is heldKernel's.
__device__ std::int64_t firstRow(const GateShape& shape, const Routes& routes, const std::int32_t* held, int sample,
                                 int e) {
    if (!shape.packed()) return (static_cast<std::int64_t>(e) * shape.samples + sample) * shape.capacity;
    std::int64_t row = routes.begins[e];
    for (int before = 0; before < sample; ++before) row += held[before * shape.experts + e];
    return row;
}

/// A choice gets a row, which has the place `number` of those for its expert in the sample.
__device__ void take(const GateShape& shape, const Routes& routes, int sample, std::int64_t place, std::int64_t row,
                     int number) {
    routes.rows[place] = static_cast<std::int32_t>(row);
    routes.places[row] = static_cast<std::int32_t>(place);
    if (routes.numbers) routes.numbers[row] = shape.rowNumber(sample, place / shape.choices, number);
}

/// A block takes a sample, a thread every placeThreads-th expert.
__global__ void __launch_bounds__(placeThreads)
    placesKernel(GateShape shape, bool firstChoices, const float* probabilities, ToldChoices told,
                 const std::int32_t* held, Routes routes) {
    const int sample = static_cast<int>(blockIdx.x), run = shape.runTokens();
    const std::int64_t first = static_cast<std::int64_t>(sample) * shape.sequence;
    for (int e = static_cast<int>(threadIdx.x); e < shape.experts; e += placeThreads) {
        const std::int64_t row = firstRow(shape, routes, held, sample, e);
        int before = 0, asked = 0, taken = 0, firsts = 0;
        for (int j = 0; j < shape.choices; ++j) {
            for (int piece = 0; piece < shape.pieces(); ++piece) {
                if (shape.memberOf(piece) != shape.member) {
                    before += told.asking(shape, sample, j, piece, e);
                    continue;
                }
                const int begin = shape.runOf(piece) * run;
                for (int t = begin; t < begin + run; ++t) {
                    const std::int64_t place = (first + t) * shape.choices + j;
                    if (routes.rows[place] != withoutRow(e)) continue;
                    if (before < shape.capacity) take(shape, routes, sample, place, row + taken++, before);
                    ++before;
                    ++asked;
                }
            }
            if (j == 0) firsts = asked;
        }
        for (int i = taken; !shape.packed() && i < shape.capacity; ++i) routes.places[row + i] = -1;
        routes.asked[sample * shape.experts + e] = static_cast<float>(asked);
        float sum = 0;
        for (int t = 0; t < shape.sequence; ++t) sum += probabilities[(first + t) * shape.experts + e];
        routes.sums[sample * shape.experts + e] = firstChoices ? static_cast<float>(firsts) : sum;
    }
}

/// A block takes an expert and a sample. A token's place is the number of the sample's tokens that come before it, by
/// their ranks [samples · wholeSequence, experts]. Packed: it stands where the row will be.
__global__ void __launch_bounds__(placeThreads)
    takeKernel(GateShape shape, const float* probabilities, const float* ranks, Routes routes) {
    const int e = static_cast<int>(blockIdx.x);
    const int sample = static_cast<int>(blockIdx.y);
    const int whole = shape.wholeSequence();
    const RowPositions positions = shape.positions();
    const std::int64_t first = static_cast<std::int64_t>(sample) * shape.sequence;
    const std::int64_t row = (static_cast<std::int64_t>(e) * shape.samples + sample) * shape.capacity;
    const auto score = [&](int position) {
        return scoreOf(ranks[(static_cast<std::int64_t>(sample) * whole + position) * shape.experts + e]);
    };
    float sum = 0;
    for (int t = static_cast<int>(threadIdx.x); t < shape.sequence; t += placeThreads) {
        const int position = positions.of(t);
        const float own = score(position);
        int before = 0;
        for (int other = 0; other < whole; ++other) {
            const float its = score(other);
            if (its > own || (its == own && other < position)) ++before;
        }
        const std::int64_t place = (first + t) * shape.experts + e;
        if (before < shape.capacity) {
            if (shape.packed()) routes.rows[place] = before;
            else take(shape, routes, sample, place, row + before, before);
        }
        sum += probabilities[place];
    }
    sum = blockSum<placeThreads>(sum);
    if (threadIdx.x != 0) return;
    routes.asked[sample * shape.experts + e] = static_cast<float>(shape.capacity);
    routes.sums[sample * shape.experts + e] = sum;
}

/// What takeKernel left where rows will be becomes rows. A block takes a sample, a thread every placeThreads-th expert.
__global__ void __launch_bounds__(placeThreads) packKernel(GateShape shape, const std::int32_t* held, Routes routes) {
    const int sample = static_cast<int>(blockIdx.x);
    const std::int64_t first = static_cast<std::int64_t>(sample) * shape.sequence;
    for (int e = static_cast<int>(threadIdx.x); e < shape.experts; e += placeThreads) {
        std::int64_t row = firstRow(shape, routes, held, sample, e);
        for (int t = 0; t < shape.sequence; ++t) {
            const std::int64_t place = (first + t) * shape.experts + e;
            if (const int number = routes.rows[place]; number >= 0) take(shape, routes, sample, place, row++, number);
        }
        routes.asked[sample * shape.experts + e] = static_cast<float>(held[sample * shape.experts + e]);
    }
}

__global__ void countLoadKernel(GateShape shape, Routes routes, std::int32_t* tally) {
    const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= shape.experts) return;
    int asked = 0, dropped = 0;
    for (int sample = 0; sample < shape.samples; ++sample) {
        const int tokens = static_cast<int>(routes.asked[sample * shape.experts + e]);
        asked += tokens;
        dropped += tokens > shape.capacity ? tokens - shape.capacity : 0;
    }
    tally[e] += asked;
    tally[shape.experts + e] += shape.packed() ? asked - (routes.begins[e + 1] - routes.begins[e]) : dropped;
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

void CudaDevice::chooseExperts(const GateShape& shape, const GateRule& rule, const GateScores& logits,
                               const Routes& routes) {
    const unsigned blocks = tokenBlocks(shape);
    if (expertsChoose(rule.kind)) {
        launch("scores", scoreKernel, blocks, tokenThreads, *queue_, shape, logits.experts, routes);
        return;
    }
    if (rule.kind == GateKind::GShard)
        launch("tokens choose two", twoKernel, blocks, tokenThreads, *queue_, shape, rule.draws, rule.key,
               rule.firstRow, logits.experts, routes);
    else if (rule.kind == GateKind::Hierarchical)
        launch("tokens choose in groups", inGroupsKernel, blocks, tokenThreads, *queue_, shape, logits, routes.weights,
               routes.rows);
    else if (rule.kind == GateKind::Sigmoid)
        launch("tokens choose by sigmoid", sigmoidKernel, blocks, tokenThreads, *queue_, shape, rule.bias, rule.scale,
               logits.experts,
               scratch<float>(static_cast<std::size_t>(shape.tokens()) * static_cast<std::size_t>(shape.groups)),
               routes.weights, routes.rows);
    else
        launch("tokens choose", chooseKernel, blocks, tokenThreads, *queue_, shape, rule.kind, logits.experts,
               routes.weights, routes.rows);
    if (routes.asks)
        launch("asks", asksKernel, static_cast<unsigned>(shape.samples), placeThreads, *queue_, shape, routes);
}

void CudaDevice::placeTokens(const GateShape& shape, const GateRule& rule, const float* probabilities,
                             const ToldChoices& told, const Routes& routes) {
    if (shape.tokens() == 0 && !shape.packed()) return;
    const auto samples = static_cast<unsigned>(shape.samples);
    const bool theirs = expertsChoose(rule.kind), capped = rule.kind == GateKind::CappedChoice;
    const auto ofExperts = static_cast<std::size_t>(shape.samples) * static_cast<std::size_t>(shape.experts);
    const auto allTokens = static_cast<std::size_t>(shape.whole().tokens());
    auto* const numbers = scratch<std::int32_t>(ofExperts + (capped ? ofExperts + allTokens : 0));
    const std::int32_t* const held = numbers;
    if (theirs) {
        const float* const ofAll = told.probabilities ? told.probabilities : probabilities;
        if (capped) {
            auto* const factors = reinterpret_cast<float*>(numbers + ofExperts);
            launch("capped", cappedKernel, samples, cappedThreads, *queue_, shape.whole(), rule.tokenExperts,
                   rule.entropy, ofAll, factors, factors + ofExperts, routes.assigned, routes.rounds);
        }
        launch("experts choose", takeKernel, dim3(static_cast<unsigned>(shape.experts), samples), placeThreads, *queue_,
               shape, probabilities, capped ? static_cast<const float*>(routes.assigned) : ofAll, routes);
    }
    if (shape.packed()) {
        launch("held rows", heldKernel, samples, placeThreads, *queue_, shape, theirs, told,
               static_cast<const std::int32_t*>(routes.rows), numbers);
        launchShared("begins", beginsKernel, 1, placeThreads,
                     static_cast<std::size_t>(shape.experts) * sizeof(std::int32_t), *queue_, shape, held,
                     routes.begins);
    }
    if (!theirs)
        launch("places", placesKernel, samples, placeThreads, *queue_, shape, rule.kind == GateKind::GShard,
               probabilities, told, held, routes);
    else if (shape.packed()) launch("packed rows", packKernel, samples, placeThreads, *queue_, shape, held, routes);
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

void CudaDevice::countLoad(const GateShape& shape, const Routes& routes, std::int32_t* tally) {
    launch("countLoad", countLoadKernel, static_cast<unsigned>(ceilDiv(shape.experts, 128)), 128, *queue_, shape,
           routes, tally);
}

void CudaDevice::countTaken(const GateShape& shape, const Routes& routes, std::int32_t* tally) {
    if (shape.tokens() == 0) return;
    launch("countTaken", countTakenKernel, static_cast<unsigned>(ceilDiv(shape.tokens(), 128)), 128, *queue_, shape,
           routes, tally);
}

}  // namespace shardlab::kernels::cuda
