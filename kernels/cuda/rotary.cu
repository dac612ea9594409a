// SPDX-License-Identifier: Apache-2.0
// A thread takes one pair of all heads that share a key, so that it computes the angle once for all of them. The angle
// is computed in double precision and reduced to one turn there, so that far positions keep their digits.
#include "kernels/rotary.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"

#include <cmath>

namespace shardlab::kernels::cuda {

namespace {

constexpr int rotaryThreads = 128;

struct Turn {
    float cosine;
    float sine;

    /// The turn of pair `pair` at `position`; `logBase` is log2 of the base.
    __device__ Turn(int position, int pair, int width, double logBase) {
        constexpr double turnsOfRadian = 0.15915494309189535;
        const double turns = position * exp2(-2.0 * pair / width * logBase) * turnsOfRadian;
        sincosf(static_cast<float>((turns - rint(turns)) / turnsOfRadian), &sine, &cosine);
    }
};

/// Where one thread works: a token, one of its key heads, and a pair in each head that shares the key.
struct PairPlace {
    std::int64_t token;
    int key;
    int pair;
    __device__ bool find(const RotaryShape& shape) {
        const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * rotaryThreads + threadIdx.x;
        const int half = shape.width / 2;
        pair = static_cast<int>(number % half);
        key = static_cast<int>(number / half % shape.keyHeads);
        token = number / half / shape.keyHeads;
        return token < static_cast<std::int64_t>(shape.samples) * shape.sequence;
    }
    __device__ int position(const RotaryShape& shape) const {
        const int at = static_cast<int>(token % shape.sequence);
        return at < shape.split ? shape.first + at : shape.second + at - shape.split;
    }
};

template <class T>
__global__ void __launch_bounds__(rotaryThreads)
    rotaryKernel(RotaryShape shape, double logBase, const T* joined, T* apart) {
    PairPlace place;
    if (!place.find(shape)) return;
    const int width = shape.width, half = width / 2, together = shape.heads / shape.keyHeads, all = shape.heads * width;
    const Turn turn(place.position(shape), place.pair, width, logBase);
    const T* group = joined + place.token * ((shape.heads + 2 * shape.keyHeads) * width) +
                     place.key * (together + 2) * width + place.pair;
    T* queries = apart + place.token * (3 * all) + place.key * together * width + place.pair;
    const auto turned = [&](const T* from, T* to) {
        const float low = toFloat(from[0]), high = toFloat(from[half]);
        to[0] = fromFloat<T>(low * turn.cosine - high * turn.sine);
        to[half] = fromFloat<T>(high * turn.cosine + low * turn.sine);
    };
    for (int i = 0; i < together; ++i) {
        turned(group + i * width, queries + i * width);
        turned(group + together * width, queries + all + i * width);
        const T* value = group + (together + 1) * width;
        queries[2 * all + i * width] = value[0];
        queries[2 * all + i * width + half] = value[half];
    }
}

template <class T>
__global__ void __launch_bounds__(rotaryThreads)
    rotaryGradKernel(RotaryShape shape, double logBase, const T* apart, T* joined) {
    PairPlace place;
    if (!place.find(shape)) return;
    const int width = shape.width, half = width / 2, together = shape.heads / shape.keyHeads, all = shape.heads * width;
    const Turn turn(place.position(shape), place.pair, width, logBase);
    T* group = joined + place.token * ((shape.heads + 2 * shape.keyHeads) * width) +
               place.key * (together + 2) * width + place.pair;
    const T* queries = apart + place.token * (3 * all) + place.key * together * width + place.pair;
    const auto turnedBack = [&](float low, float high, T* to) {
        to[0] = fromFloat<T>(low * turn.cosine + high * turn.sine);
        to[half] = fromFloat<T>(high * turn.cosine - low * turn.sine);
    };
    float keys[2] = {}, values[2] = {};
    for (int i = 0; i < together; ++i) {
        const T* query = queries + i * width;
        turnedBack(toFloat(query[0]), toFloat(query[half]), group + i * width);
        keys[0] += toFloat(query[all]);
        keys[1] += toFloat(query[all + half]);
        values[0] += toFloat(query[2 * all]);
        values[1] += toFloat(query[2 * all + half]);
    }
    turnedBack(keys[0], keys[1], group + together * width);
    group[(together + 1) * width] = fromFloat<T>(values[0]);
    group[(together + 1) * width + half] = fromFloat<T>(values[1]);
}

unsigned pairBlocks(const RotaryShape& shape) {
    const std::int64_t pairs = std::int64_t{shape.samples} * shape.sequence * shape.keyHeads * (shape.width / 2);
    return static_cast<unsigned>(ceilDiv(pairs, rotaryThreads));
}

}  // namespace

void CudaDevice::rotary(const RotaryShape& shape, ConstArray joined, Array apart) {
    withType(joined.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("rotary", rotaryKernel<T>, pairBlocks(shape), rotaryThreads, *queue_, shape, std::log2(shape.base),
               as<T>(joined), as<T>(apart));
    });
}

void CudaDevice::rotaryGrad(const RotaryShape& shape, ConstArray apartGradient, Array joinedGradient) {
    withType(apartGradient.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("rotaryGrad", rotaryGradKernel<T>, pairBlocks(shape), rotaryThreads, *queue_, shape,
               std::log2(shape.base), as<T>(apartGradient), as<T>(joinedGradient));
    });
}

}  // namespace shardlab::kernels::cuda
