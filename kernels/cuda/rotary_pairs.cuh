// SPDX-License-Identifier: Apache-2.0
// Pairs of a head that a warp turns; a lane takes every 32nd of them. The angle is computed in double precision and
// reduced to one turn there, so that far positions keep their digits.
#pragma once

#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/types.cuh"
#include "kernels/rotary.h"

#include <numbers>
#include <stdexcept>
#include <string>

namespace shardlab::kernels::cuda {

constexpr int rotaryWarps = 4;  ///< of a block
constexpr int lanePairs = 4;    ///< most pairs of a lane
constexpr int mostPairs = lanePairs * warpSize_;

/// What the angles of the pairs are at position 1, in whole turns, and what turned numbers are multiplied by.
struct PairTurns {
    double turns[mostPairs];
    float magnitude;
};

/// A number for each of a lane's pairs.
struct LanePairs {
    float low[lanePairs] = {};
    float high[lanePairs] = {};
};

/// A token and one of its key heads, with the cosine and sine of each of the lane's pairs.
struct GroupPlace {
    std::int64_t token;
    int key;
    int half;
    LanePairs turn;  ///< cosines in `low`, sines in `high`

    __device__ GroupPlace(const RotaryShape& shape, const PairTurns& pairs, std::int64_t group)
        : token(group / shape.keyHeads), key(static_cast<int>(group % shape.keyHeads)), half(shape.width / 2) {
        const int at = static_cast<int>(token % shape.sequence);
        const int position = at < shape.split ? shape.first + at : shape.second + at - shape.split;
        each([&](int i, int pair) {
            constexpr double radiansOfTurn = 6.283185307179586;
            const double turns = position * pairs.turns[pair];
            sincosf(static_cast<float>((turns - rint(turns)) * radiansOfTurn), &turn.high[i], &turn.low[i]);
            turn.low[i] *= pairs.magnitude;
            turn.high[i] *= pairs.magnitude;
        });
    }
    /// Calls function(i, pair) for each pair of the lane.
    template <class Function>
    __device__ void each(Function&& function) const {
        const int lane = static_cast<int>(threadIdx.x) % warpSize_;
#pragma unroll
        for (int i = 0; i < lanePairs; ++i)
            if (const int pair = i * warpSize_ + lane; pair < half) function(i, pair);
    }
    template <class T>
    __device__ LanePairs load(const T* head) const {
        LanePairs x;
        each([&](int i, int pair) {
            x.low[i] = toFloat(head[pair]);
            x.high[i] = toFloat(head[pair + half]);
        });
        return x;
    }
    template <class T>
    __device__ void store(const LanePairs& x, T* head) const {
        each([&](int i, int pair) {
            head[pair] = fromFloat<T>(x.low[i]);
            head[pair + half] = fromFloat<T>(x.high[i]);
        });
    }
    /// The turned head; `sign` −1 turns it back.
    __device__ LanePairs turned(const LanePairs& x, float sign) const {
        LanePairs y;
#pragma unroll
        for (int i = 0; i < lanePairs; ++i) {
            y.low[i] = x.low[i] * turn.low[i] - x.high[i] * (sign * turn.high[i]);
            y.high[i] = x.high[i] * turn.low[i] + x.low[i] * (sign * turn.high[i]);
        }
        return y;
    }
};

__device__ inline LanePairs scaled(const LanePairs& a, float factor) {
    LanePairs b;
#pragma unroll
    for (int i = 0; i < lanePairs; ++i) {
        b.low[i] = a.low[i] * factor;
        b.high[i] = a.high[i] * factor;
    }
    return b;
}

/// to += from·factor.
__device__ inline void addScaled(const LanePairs& from, float factor, LanePairs& to) {
#pragma unroll
    for (int i = 0; i < lanePairs; ++i) {
        to.low[i] += from.low[i] * factor;
        to.high[i] += from.high[i] * factor;
    }
}

inline PairTurns turnsOf(const RotaryShape& shape) {
    if (shape.width > 2 * mostPairs)
        throw std::runtime_error("CUDA: heads are " + std::to_string(shape.width) +
                                 " wide; rotary kernels are made for up to " + std::to_string(2 * mostPairs));
    PairTurns pairs{};
    for (int pair = 0; pair < shape.width / 2; ++pair)
        pairs.turns[pair] = shape.angles.of(pair, shape.width) / (2 * std::numbers::pi);
    pairs.magnitude = static_cast<float>(shape.angles.magnitude());
    return pairs;
}

}  // namespace shardlab::kernels::cuda
