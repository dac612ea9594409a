// SPDX-License-Identifier: Apache-2.0
// A row in a warp, which keeps it in registers where it is short enough.
#pragma once

#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/reduce.cuh"

namespace shardlab::kernels::cuda {

constexpr int rowsOfBlock = 4;  ///< one for each warp

/// A lane's share of a row: every 32nd pack. There are at most `Held`, which lie in registers where `keeps`; else they
/// are read again each time. With Held = 0 there are any number.
template <class T, int N, int Held, bool keeps = (Held > 0)>
class LaneRow {
public:
    __device__ LaneRow(const T* row, int groups) : row_(row) {
        if constexpr (keeps) {
#pragma unroll
            for (int i = 0; i < Held; ++i)
                if (const int group = i * warpSize_ + lane(); group < groups) packs_[i] = loadPack<N>(row + group * N);
        }
    }
    __device__ Pack<T, N> pack(int i, int group) const {
        if constexpr (keeps) return packs_[i];
        return loadPack<N>(row_ + group * N);
    }
    /// Calls function(i, group) for each pack of the lane.
    template <class Function>
    __device__ static void each(int groups, Function&& function) {
        if constexpr (Held > 0) {
#pragma unroll
            for (int i = 0; i < Held; ++i)
                if (const int group = i * warpSize_ + lane(); group < groups) function(i, group);
        } else {
            for (int group = lane(); group < groups; group += warpSize_) function(0, group);
        }
    }

private:
    __device__ static int lane() { return static_cast<int>(threadIdx.x) % warpSize_; }
    const T* row_;
    Pack<T, N> packs_[keeps ? Held : 1];
};

/// Calls function(Constant<N>{}, Constant<Held>{}).
template <class T, class Function, class... Pointers>
void withRows(int columns, Function&& function, Pointers... data) {
    withPacks<T>(
        columns,
        [&](auto n) {
            if constexpr (n() == 1) {
                function(n, Constant<0>{});
            } else {
                const int packs = columns / n();
                if (packs <= 4 * warpSize_) function(n, Constant<4>{});
                else if (packs <= 8 * warpSize_) function(n, Constant<8>{});
                else function(n, Constant<0>{});
            }
        },
        data...);
}

inline unsigned rowBlocks(int rows) { return static_cast<unsigned>(ceilDiv(rows, rowsOfBlock)); }

}  // namespace shardlab::kernels::cuda
