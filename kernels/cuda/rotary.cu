// SPDX-License-Identifier: Apache-2.0
// A warp takes all heads of a token that share a key, so that it computes each angle once for all of them; a lane takes
// every 32nd pair.
#include "kernels/rotary.h"

#include "kernels/cuda/column_sums.cuh"
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/rotary_pairs.cuh"

#include <algorithm>

namespace shardlab::kernels::cuda {

namespace {

template <class P>
struct Norms {
    const P* queries;
    const P* keys;
    float epsilon;
};

__device__ float dot(const LanePairs& a, const LanePairs& b) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < lanePairs; ++i) sum += a.low[i] * b.low[i] + a.high[i] * b.high[i];
    return warpSum(sum);
}

__device__ LanePairs product(const LanePairs& a, const LanePairs& b) {
    LanePairs c;
#pragma unroll
    for (int i = 0; i < lanePairs; ++i) {
        c.low[i] = a.low[i] * b.low[i];
        c.high[i] = a.high[i] * b.high[i];
    }
    return c;
}

__device__ float sizeFactor(const LanePairs& x, int width, float epsilon) {
    return 1.0f / sqrtf(dot(x, x) / static_cast<float>(width) + epsilon);
}

template <class T, class P>
__global__ void __launch_bounds__(rotaryWarps* warpSize_)
    rotaryKernel(RotaryShape shape, PairTurns pairs, const T* joined, Norms<P> norms, T* apart) {
    const std::int64_t group = static_cast<std::int64_t>(blockIdx.x) * rotaryWarps + threadIdx.x / warpSize_;
    if (group >= static_cast<std::int64_t>(shape.samples) * shape.sequence * shape.keyHeads) return;
    const GroupPlace place(shape, pairs, group);
    const int width = shape.width, together = shape.heads / shape.keyHeads, all = shape.heads * width;
    const T* from = joined + group * (together + 2) * width;
    T* to = apart + place.token * (3 * all) + place.key * together * width;
    const auto turnedHead = [&](const T* head, const P* gamma) {
        LanePairs x = place.load(head);
        if (gamma) x = scaled(product(x, place.load(gamma)), sizeFactor(x, width, norms.epsilon));
        return place.turned(x, 1);
    };
    for (int i = 0; i < together; ++i) place.store(turnedHead(from + i * width, norms.queries), to + i * width);
    const LanePairs key = turnedHead(from + together * width, norms.keys),
                    value = place.load(from + (together + 1) * width);
    for (int i = 0; i < together; ++i) {
        place.store(key, to + all + i * width);
        place.store(value, to + 2 * all + i * width);
    }
}

/// With norms `partial` gets, for each warp of the grid, the sums of the gradients of both norms' factors.
template <class T, class P>
__global__ void __launch_bounds__(rotaryWarps* warpSize_)
    rotaryGradKernel(RotaryShape shape, PairTurns pairs, const T* apart, Norms<P> norms, T* joined, float* partial) {
    const int width = shape.width, together = shape.heads / shape.keyHeads, all = shape.heads * width;
    const std::int64_t groups = static_cast<std::int64_t>(shape.samples) * shape.sequence * shape.keyHeads;
    const std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * rotaryWarps + threadIdx.x / warpSize_,
                       warps = static_cast<std::int64_t>(gridDim.x) * rotaryWarps;
    LanePairs querySums, keySums;
    for (std::int64_t group = warp; group < groups; group += warps) {
        const GroupPlace place(shape, pairs, group);
        T* to = joined + group * (together + 2) * width;
        const T* from = apart + place.token * (3 * all) + place.key * together * width;
        // With n = x·factor and g = dy·gamma: dx = factor·(g − n·mean(g·n)).
        const auto headGrad = [&](const LanePairs& turned, const P* gamma, T* head, LanePairs& sums) {
            const LanePairs dy = place.turned(turned, -1);
            if (!gamma) return place.store(dy, head);
            const LanePairs x = place.load(head);
            const float factor = sizeFactor(x, width, norms.epsilon);
            const LanePairs n = scaled(x, factor), g = product(dy, place.load(gamma));
            addScaled(product(dy, n), 1, sums);
            LanePairs dx = scaled(g, factor);
            addScaled(n, -factor * dot(g, n) / static_cast<float>(width), dx);
            place.store(dx, head);
        };
        LanePairs keys, values;
        for (int i = 0; i < together; ++i) {
            headGrad(place.load(from + i * width), norms.queries, to + i * width, querySums);
            addScaled(place.load(from + all + i * width), 1, keys);
            addScaled(place.load(from + 2 * all + i * width), 1, values);
        }
        headGrad(keys, norms.keys, to + together * width, keySums);
        place.store(values, to + (together + 1) * width);
    }
    if (!norms.queries) return;
    const int half = width / 2, lane = static_cast<int>(threadIdx.x) % warpSize_;
    float* sums = partial + warp * 2 * width;
#pragma unroll
    for (int i = 0; i < lanePairs; ++i) {
        const int pair = i * warpSize_ + lane;
        if (pair >= half) continue;
        sums[pair] = querySums.low[i];
        sums[pair + half] = querySums.high[i];
        sums[pair + width] = keySums.low[i];
        sums[pair + half + width] = keySums.high[i];
    }
}

std::int64_t rotaryBlocks(const RotaryShape& shape) {
    return ceilDiv(std::int64_t{shape.samples} * shape.sequence * shape.keyHeads, std::int64_t{rotaryWarps});
}

template <class P>
Norms<P> normsOf(const HeadNorms& norms) {
    return {as<P>(norms.queries), as<P>(norms.keys), norms.epsilon};
}

}  // namespace

void CudaDevice::rotary(const RotaryShape& shape, ConstArray joined, const HeadNorms& norms, Array apart) {
    withTypes(joined.type, norms.queries.type, [&](auto t, auto p) {
        using T = typename decltype(t)::Type;
        using P = typename decltype(p)::Type;
        launch("rotary", rotaryKernel<T, P>, static_cast<unsigned>(rotaryBlocks(shape)), rotaryWarps * warpSize_,
               *queue_, shape, turnsOf(shape), as<T>(joined), normsOf<P>(norms), as<T>(apart));
    });
}

void CudaDevice::rotaryGrad(const RotaryShape& shape, ConstArray apartGradient, const HeadNorms& norms, Array joined,
                            float* normGradients) {
    // With norms each warp takes several groups, so that there are few sums to add up.
    const std::int64_t most = norms ? 8 * std::int64_t{properties_.multiProcessorCount} : rotaryBlocks(shape);
    const auto blocks = static_cast<unsigned>(std::min(rotaryBlocks(shape), most));
    const int chunks = static_cast<int>(blocks) * rotaryWarps, columns = 2 * shape.width;
    float* const partial =
        norms ? scratch<float>(static_cast<std::size_t>(chunks) * static_cast<std::size_t>(columns)) : nullptr;
    withTypes(apartGradient.type, norms.queries.type, [&](auto t, auto p) {
        using T = typename decltype(t)::Type;
        using P = typename decltype(p)::Type;
        launch("rotaryGrad", rotaryGradKernel<T, P>, blocks, rotaryWarps * warpSize_, *queue_, shape, turnsOf(shape),
               as<T>(apartGradient), normsOf<P>(norms), as<T>(joined), partial);
    });
    if (norms)
        launch("column sums", addPartialSumsKernel<1, float>,
               dim3(static_cast<unsigned>(ceilDiv(columns, tileColumns)), 1), tileThreads, *queue_, columns, chunks,
               static_cast<const float*>(partial), ColumnTargets<float, 1>{{normGradients}});
}

}  // namespace shardlab::kernels::cuda
