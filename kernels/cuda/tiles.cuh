// SPDX-License-Identifier: Apache-2.0
// Many matrices in one launch, cut into tiles. A block takes one tile, a warp one row at a time, and a lane every 32nd
// column of it. Numbers of whole rows and columns are first computed for each tile and then combined in the order of
// the tiles, so that every call gives the same bits.
#pragma once

#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/reduce.cuh"

#include <cstdint>
#include <utility>
#include <vector>

namespace shardlab::kernels::cuda {

constexpr int partTileThreads = 256;
constexpr int partTileRows = 64;
constexpr int partTileColumns = 256;
constexpr int partTileWarps = partTileThreads / warpSize_;
constexpr int partTileOwn = partTileColumns / warpSize_;  ///< columns of a lane

/// The members that all parts of a table have.
struct TiledPart {
    std::int64_t count = 0;  ///< tiles
    int rows = 0;
    int columns = 0;
    int across = 0;  ///< tiles beside each other

    TiledPart() = default;
    TiledPart(int ofRows, int ofColumns)
        : count(ceilDiv(ofRows, partTileRows) * ceilDiv(ofColumns, partTileColumns)), rows(ofRows), columns(ofColumns),
          across(static_cast<int>(ceilDiv(ofColumns, partTileColumns))) {}
    int down() const { return across == 0 ? 0 : static_cast<int>(count / across); }
    /// How many numbers all tiles need, with one for each row or one for each column of a tile.
    std::int64_t partials(bool ofRows) const {
        return (ofRows ? std::int64_t{across} * rows : 0) + std::int64_t{down()} * columns;
    }
};

/// The tile of a block.
struct PartTile {
    int down, across;  ///< its place among the tiles
    int row, rowEnd, column;
    int lane, warp;

    __device__ PartTile(const TiledPart& part, int number)
        : down(number / part.across), across(number % part.across), row(down * partTileRows),
          rowEnd(row + partTileRows < part.rows ? row + partTileRows : part.rows), column(across * partTileColumns),
          lane(static_cast<int>(threadIdx.x) % warpSize_), warp(static_cast<int>(threadIdx.x) / warpSize_) {}
    /// Column k of this lane's partTileOwn columns.
    __device__ int own(int k) const { return column + lane + k * warpSize_; }
};

/// partial[column] = the combined value of all warps for the column; all threads of the block call it.
template <class Operation>
__device__ void keepColumns(const PartTile& tile, int columns, const float (&own)[partTileOwn], float* partial) {
    __shared__ float parts[partTileWarps][partTileColumns];
#pragma unroll
    for (int k = 0; k < partTileOwn; ++k) parts[tile.warp][tile.lane + k * warpSize_] = own[k];
    __syncthreads();
    const int at = static_cast<int>(threadIdx.x);
    if (tile.column + at >= columns) return;
    float all = parts[0][at];
#pragma unroll
    for (int warp = 1; warp < partTileWarps; ++warp) all = Operation{}(all, parts[warp][at]);
    partial[static_cast<std::int64_t>(tile.down) * columns + tile.column + at] = all;
}

/// Numbers of rows or of columns, each combined from `partials` numbers: partial[i · count + number].
struct CombinedPart {
    float* numbers = nullptr;
    const float* partial = nullptr;
    std::int64_t count = 0;
    int partials = 0;
    float keep = 0;   ///< factor of the numbers as they were
    float rest = 1;   ///< factor of the combined numbers
    float added = 0;  ///< added to the combined numbers before that
};

/// Memory for the numbers that tiles make, handed out from its front, with what is to be combined from each piece.
class PartialRoom {
public:
    explicit PartialRoom(float* room) : next_(room) {}
    /// Hands out the memory of `part`, and sets its `partial`.
    float* take(CombinedPart part) {
        part.partial = next_;
        taken_.push_back(part);
        return std::exchange(next_, next_ + part.count * part.partials);
    }
    const std::vector<CombinedPart>& taken() const { return taken_; }

private:
    float* next_;
    std::vector<CombinedPart> taken_;
};

template <class Operation>
__device__ float combined(const CombinedPart& part, std::int64_t number) {
    float all = 0;  // no number is negative
    for (int i = 0; i < part.partials; ++i) all = Operation{}(all, part.partial[i * part.count + number]);
    return all;
}

/// numbers = keep·numbers + rest·(combined + added).
template <class Operation>
__global__ void __launch_bounds__(partTileThreads)
    combineKernel(const __grid_constant__ PartTable<CombinedPart> table) {
    const int chunk = static_cast<int>(blockIdx.x);
    const int index = table.partOf(chunk);
    const CombinedPart part = table.parts[index];
    const std::int64_t number = std::int64_t{chunk - table.firstChunk[index]} * partTileThreads + threadIdx.x;
    if (number >= part.count) return;
    const float made = part.rest * (combined<Operation>(part, number) + part.added);
    part.numbers[number] = part.keep == 0 ? made : part.keep * part.numbers[number] + made;
}

template <class Operation>
void launchCombine(const char* name, const std::vector<CombinedPart>& parts, LaunchQueue& queue) {
    withTables<CombinedPart>(parts, partTileThreads, [&](const PartTable<CombinedPart>& table, unsigned chunks) {
        launch(name, combineKernel<Operation>, chunks, partTileThreads, queue, table);
    });
}

}  // namespace shardlab::kernels::cuda
