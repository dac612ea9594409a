// SPDX-License-Identifier: Apache-2.0
#include "kernels/adafactor.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/tiles.cuh"

namespace shardlab::kernels::cuda {

namespace {

struct SumsTiles : TiledPart {
    const void* gradient = nullptr;
    float* rowPartial = nullptr;  ///< null: a vector
    float* columnPartial = nullptr;
};

template <class G>
__global__ void __launch_bounds__(partTileThreads)
    partialSquaresKernel(float factor, const __grid_constant__ PartTable<SumsTiles> table) {
    const int chunk = static_cast<int>(blockIdx.x);
    const int index = table.partOf(chunk);
    const SumsTiles& part = table.parts[index];
    const PartTile tile(part, chunk - table.firstChunk[index]);
    const G* const gradient = static_cast<const G*>(part.gradient);
    float sums[partTileOwn] = {};
    for (int row = tile.row + tile.warp; row < tile.rowEnd; row += partTileWarps) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < partTileOwn; ++k) {
            if (tile.own(k) >= part.columns) break;
            const float g = toFloat(gradient[static_cast<std::int64_t>(row) * part.columns + tile.own(k)]) * factor;
            sums[k] += g * g;
            sum += g * g;
        }
        sum = warpSum(sum);
        if (part.rowPartial && tile.lane == 0)
            part.rowPartial[static_cast<std::int64_t>(tile.across) * part.rows + row] = sum;
    }
    keepColumns<Sum>(tile, part.columns, sums, part.columnPartial);
}

/// *result = Σ values; each block takes a part.
template <class T>
struct WholePart {
    const T* values = nullptr;
    std::int64_t size = 0;
    float* result = nullptr;
    std::int64_t count = 1;
};

template <class T>
__global__ void __launch_bounds__(partTileThreads)
    sumPartsKernel(const __grid_constant__ PartTable<WholePart<T>> table) {
    const WholePart<T>& part = table.parts[blockIdx.x];
    double sum = 0;
    for (std::int64_t i = threadIdx.x; i < part.size; i += partTileThreads) sum += static_cast<double>(part.values[i]);
    sum = blockSum<partTileThreads>(sum);
    if (threadIdx.x == 0) *part.result = static_cast<float>(sum);
}

struct UpdateTiles : TiledPart {
    const void* gradient = nullptr;
    void* value = nullptr;
    float* master = nullptr;
    const float* rowSums = nullptr;
    const float* columnSums = nullptr;
    const float* total = nullptr;
    const float* squares = nullptr;
    double* partial = nullptr;  ///< ΣU² of each tile
    float wholeElements = 1;
    float keep = 1;  ///< 1 − rate · weight decay
};

/// √(1ᵀR ÷ R) of a row, 1 for a vector; times 1/√C of the column it is 1/√V.
__device__ float rowScale(const UpdateTiles& part, int row) {
    return part.rowSums ? sqrtf(*part.total) / sqrtf(part.rowSums[row]) : 1.0f;
}

__device__ void columnScales(const UpdateTiles& part, const PartTile& tile, float (&scales)[partTileOwn]) {
#pragma unroll
    for (int k = 0; k < partTileOwn; ++k)
        scales[k] = tile.own(k) < part.columns ? 1.0f / sqrtf(part.columnSums[tile.own(k)]) : 0.0f;
}

template <class G>
__global__ void __launch_bounds__(partTileThreads)
    updateSquaresKernel(float factor, const __grid_constant__ PartTable<UpdateTiles> table) {
    const int chunk = static_cast<int>(blockIdx.x);
    const int index = table.partOf(chunk);
    const UpdateTiles& part = table.parts[index];
    const int number = chunk - table.firstChunk[index];
    const PartTile tile(part, number);
    float scales[partTileOwn];
    columnScales(part, tile, scales);
    double squares = 0;
    for (int row = tile.row + tile.warp; row < tile.rowEnd; row += partTileWarps) {
        const G* const gradient = static_cast<const G*>(part.gradient) + static_cast<std::int64_t>(row) * part.columns;
        const float scale = factor * rowScale(part, row);
        float sum = 0;
#pragma unroll
        for (int k = 0; k < partTileOwn; ++k) {
            if (tile.own(k) >= part.columns) break;
            const float u = toFloat(gradient[tile.own(k)]) * scale * scales[k];
            sum += u * u;
        }
        squares += static_cast<double>(sum);
    }
    squares = blockSum<partTileThreads>(squares);
    if (threadIdx.x == 0) part.partial[number] = squares;
}

template <class G, class P>
__global__ void __launch_bounds__(partTileThreads)
    adafactorKernel(AdafactorUpdate update, const __grid_constant__ PartTable<UpdateTiles> table) {
    const int chunk = static_cast<int>(blockIdx.x);
    const int index = table.partOf(chunk);
    const UpdateTiles& part = table.parts[index];
    const PartTile tile(part, chunk - table.firstChunk[index]);
    float scales[partTileOwn];
    columnScales(part, tile, scales);
    const float excess = sqrtf(*part.squares / part.wholeElements) / update.clipThreshold;
    const float rate = update.learningRate / (excess > 1 ? excess : 1.0f) * update.gradientScale;
    for (int row = tile.row + tile.warp; row < tile.rowEnd; row += partTileWarps) {
        const float scale = rate * rowScale(part, row);
#pragma unroll
        for (int k = 0; k < partTileOwn; ++k) {
            if (tile.own(k) >= part.columns) break;
            const std::int64_t at = static_cast<std::int64_t>(row) * part.columns + tile.own(k);
            P& value = static_cast<P*>(part.value)[at];
            const float before = part.master ? part.master[at] : toFloat(value);
            const float w = part.keep * before - scale * toFloat(static_cast<const G*>(part.gradient)[at]) * scales[k];
            if (part.master) part.master[at] = w;
            value = fromFloat<P>(w);
        }
    }
}

constexpr DType types[] = {DType::F32, DType::BF16, DType::F16};

UpdateTiles updateTiles(const AdafactorUpdate& update, const AdafactorPart& part) {
    UpdateTiles tiles;
    static_cast<TiledPart&>(tiles) = TiledPart(part.rows, part.columns);
    tiles.gradient = part.gradient.data;
    tiles.value = part.value.data;
    tiles.master = part.master;
    tiles.rowSums = part.rowSums;
    tiles.columnSums = part.columnSums;
    tiles.total = part.total;
    tiles.squares = part.squares;
    tiles.wholeElements = static_cast<float>(part.elements);
    tiles.keep = 1.0f - update.learningRate * part.weightDecay;
    return tiles;
}

}  // namespace

void CudaDevice::adafactorSums(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) {
    std::int64_t partials = 0;
    for (const AdafactorPart& part : parts)
        partials += TiledPart(part.rows, part.columns).partials(part.rowSums != nullptr);
    PartialRoom room(scratch<float>(static_cast<std::size_t>(partials)));
    const auto take = [&](float* sums, std::int64_t count, int each, bool fresh, int summed) {
        return room.take({sums, nullptr, count, each, fresh ? 0.0f : update.beta2, 1.0f - update.beta2,
                          adafactorEpsilon * static_cast<float>(summed)});
    };
    std::vector<std::pair<DType, SumsTiles>> all;
    for (const AdafactorPart& part : parts) {
        SumsTiles tiles;
        static_cast<TiledPart&>(tiles) = TiledPart(part.rows, part.columns);
        tiles.gradient = part.gradient.data;
        if (part.rowSums) tiles.rowPartial = take(part.rowSums, part.rows, tiles.across, part.freshRows, part.columns);
        tiles.columnPartial = take(part.columnSums, part.columns, tiles.down(), part.freshColumns, part.rows);
        all.emplace_back(part.gradient.type, tiles);
    }
    std::vector<SumsTiles> alike;
    for (const DType gradients : types) {
        alike.clear();
        for (const auto& [type, tiles] : all)
            if (type == gradients) alike.push_back(tiles);
        withType(gradients, [&](auto g) {
            using G = typename decltype(g)::Type;
            withTables<SumsTiles>(alike, 1, [&](const PartTable<SumsTiles>& table, unsigned chunks) {
                launch("adafactor squares", partialSquaresKernel<G>, chunks, partTileThreads, *queue_,
                       update.gradientScale, table);
            });
        });
    }
    launchCombine<Sum>("adafactor sums", room.taken(), *queue_);
}

void CudaDevice::adafactorNorms(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) {
    std::int64_t tiles = 0;
    for (const AdafactorPart& part : parts) tiles += TiledPart(part.rows, part.columns).count;
    double* partial = scratch<double>(static_cast<std::size_t>(tiles));
    std::vector<WholePart<float>> totals;
    std::vector<WholePart<double>> squares;
    std::vector<std::pair<DType, UpdateTiles>> all;
    for (const AdafactorPart& part : parts) {
        const bool ofColumns = part.rowsAreParts || !part.rowSums;
        totals.push_back(
            {ofColumns ? part.columnSums : part.rowSums, ofColumns ? part.columns : part.rows, part.total});
        all.emplace_back(part.gradient.type, updateTiles(update, part));
        UpdateTiles& own = all.back().second;
        own.partial = partial;
        squares.push_back({partial, own.count, part.squares});
        partial += own.count;
    }
    const auto sumParts = [&]<class T>(const std::vector<WholePart<T>>& wholes) {
        withTables<WholePart<T>>(wholes, 1, [&](const PartTable<WholePart<T>>& table, unsigned chunks) {
            launch("adafactor totals", sumPartsKernel<T>, chunks, partTileThreads, *queue_, table);
        });
    };
    sumParts(totals);
    std::vector<UpdateTiles> alike;
    for (const DType gradients : types) {
        alike.clear();
        for (const auto& [type, own] : all)
            if (type == gradients) alike.push_back(own);
        withType(gradients, [&](auto g) {
            using G = typename decltype(g)::Type;
            withTables<UpdateTiles>(alike, 1, [&](const PartTable<UpdateTiles>& table, unsigned chunks) {
                launch("adafactor norms", updateSquaresKernel<G>, chunks, partTileThreads, *queue_,
                       update.gradientScale, table);
            });
        });
    }
    sumParts(squares);
}

void CudaDevice::adafactor(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) {
    std::vector<UpdateTiles> alike;
    for (const DType gradients : types)
        for (const DType values : types) {
            alike.clear();
            for (const AdafactorPart& part : parts)
                if (part.gradient.type == gradients && part.value.type == values)
                    alike.push_back(updateTiles(update, part));
            if (alike.empty()) continue;
            withStateTypes(gradients, values, [&](auto g, auto p) {
                using G = typename decltype(g)::Type;
                using P = typename decltype(p)::Type;
                withTables<UpdateTiles>(alike, 1, [&](const PartTable<UpdateTiles>& table, unsigned chunks) {
                    launch("adafactor", adafactorKernel<G, P>, chunks, partTileThreads, *queue_, update, table);
                });
            });
        }
}

}  // namespace shardlab::kernels::cuda
