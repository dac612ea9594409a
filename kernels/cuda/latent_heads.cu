// SPDX-License-Identifier: Apache-2.0
// A warp takes all heads of a token, which share the angles of its position and the turned columns of their keys; a
// lane takes every 32nd pair of the turned columns, and every 32nd of the others.
#include "kernels/latent_heads.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/rotary_pairs.cuh"

namespace shardlab::kernels::cuda {

namespace {

/// What a warp knows of the heads of its token.
struct LatentPlace {
    GroupPlace place;
    int heads, plain, turned, values, width, all;
    float factor;

    __device__ LatentPlace(const RotaryShape& rotation, const PairTurns& pairs, int ofPlain, int ofValues,
                           float queryFactor, std::int64_t token)
        : place(rotation, pairs, token), heads(rotation.heads), plain(ofPlain), turned(rotation.width),
          values(ofValues), width(ofPlain + rotation.width), all(rotation.heads * (ofPlain + rotation.width)),
          factor(queryFactor) {}

    /// Calls function(column) for those of `count` columns that are the lane's.
    template <class Function>
    __device__ static void each(int count, Function&& function) {
        for (int i = static_cast<int>(threadIdx.x) % warpSize_; i < count; i += warpSize_) function(i);
    }
};

template <class T>
__global__ void __launch_bounds__(rotaryWarps* warpSize_)
    latentHeadsKernel(RotaryShape rotation, PairTurns pairs, int plain, int values, float factor, const T* queries,
                      const T* expanded, const T* sharedKey, T* apart) {
    const std::int64_t token = static_cast<std::int64_t>(blockIdx.x) * rotaryWarps + threadIdx.x / warpSize_;
    if (token >= static_cast<std::int64_t>(rotation.samples) * rotation.sequence) return;
    const LatentPlace at(rotation, pairs, plain, values, factor, token);
    const LanePairs shared = at.place.turned(at.place.load(sharedKey + token * at.turned), 1);
    for (int head = 0; head < at.heads; ++head) {
        const T* query = queries + token * at.all + head * at.width;
        const T* from = expanded + (token * at.heads + head) * (at.plain + at.values);
        T* toQuery = apart + token * 3 * at.all + head * at.width;
        T *toKey = toQuery + at.all, *toValue = toKey + at.all;
        LatentPlace::each(at.plain, [&](int i) {
            toQuery[i] = fromFloat<T>(toFloat(query[i]) * at.factor);
            toKey[i] = from[i];
        });
        at.place.store(scaled(at.place.turned(at.place.load(query + at.plain), 1), at.factor), toQuery + at.plain);
        at.place.store(shared, toKey + at.plain);
        LatentPlace::each(at.width, [&](int i) { toValue[i] = i < at.values ? from[at.plain + i] : fromFloat<T>(0); });
    }
}

template <class T>
__global__ void __launch_bounds__(rotaryWarps* warpSize_)
    latentHeadsGradKernel(RotaryShape rotation, PairTurns pairs, int plain, int values, float factor, const T* apart,
                          T* queries, T* expanded, T* sharedKey) {
    const std::int64_t token = static_cast<std::int64_t>(blockIdx.x) * rotaryWarps + threadIdx.x / warpSize_;
    if (token >= static_cast<std::int64_t>(rotation.samples) * rotation.sequence) return;
    const LatentPlace at(rotation, pairs, plain, values, factor, token);
    LanePairs shared;
    for (int head = 0; head < at.heads; ++head) {
        const T* query = apart + token * 3 * at.all + head * at.width;
        const T *key = query + at.all, *value = key + at.all;
        T* toQuery = queries + token * at.all + head * at.width;
        T* to = expanded + (token * at.heads + head) * (at.plain + at.values);
        LatentPlace::each(at.plain, [&](int i) {
            toQuery[i] = fromFloat<T>(toFloat(query[i]) * at.factor);
            to[i] = key[i];
        });
        at.place.store(scaled(at.place.turned(at.place.load(query + at.plain), -1), at.factor), toQuery + at.plain);
        addScaled(at.place.load(key + at.plain), 1, shared);
        LatentPlace::each(at.values, [&](int i) { to[at.plain + i] = value[i]; });
    }
    at.place.store(at.place.turned(shared, -1), sharedKey + token * at.turned);
}

/// Angles without Yarn's factor, which the queries take.
PairTurns latentTurns(const LatentShape& shape) {
    PairTurns pairs = turnsOf(shape.rotation());
    pairs.magnitude = 1;
    return pairs;
}

unsigned latentBlocks(const LatentShape& shape) {
    return static_cast<unsigned>(ceilDiv(std::int64_t{shape.samples} * shape.sequence, std::int64_t{rotaryWarps}));
}

}  // namespace

void CudaDevice::latentHeads(const LatentShape& shape, ConstArray queries, ConstArray expanded, ConstArray sharedKey,
                             Array apart) {
    withType(queries.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("latentHeads", latentHeadsKernel<T>, latentBlocks(shape), rotaryWarps * warpSize_, *queue_,
               shape.rotation(), latentTurns(shape), shape.plain, shape.values, shape.queryFactor(), as<T>(queries),
               as<T>(expanded), as<T>(sharedKey), as<T>(apart));
    });
}

void CudaDevice::latentHeadsGrad(const LatentShape& shape, ConstArray apartGradient, Array queries, Array expanded,
                                 Array sharedKey) {
    withType(queries.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("latentHeadsGrad", latentHeadsGradKernel<T>, latentBlocks(shape), rotaryWarps * warpSize_, *queue_,
               shape.rotation(), latentTurns(shape), shape.plain, shape.values, shape.queryFactor(),
               as<T>(apartGradient), as<T>(queries), as<T>(expanded), as<T>(sharedKey));
    });
}

}  // namespace shardlab::kernels::cuda
