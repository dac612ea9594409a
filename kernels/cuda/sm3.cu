// SPDX-License-Identifier: Apache-2.0
#include "kernels/sm3.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/tiles.cuh"

namespace shardlab::kernels::cuda {

namespace {

struct Sm3Tiles : TiledPart {
    const void* gradient = nullptr;
    void* value = nullptr;
    float* master = nullptr;
    float* moment = nullptr;
    const float* row = nullptr;
    const float* column = nullptr;
    float* rowPartial = nullptr;
    float* columnPartial = nullptr;
    float keep = 1;  ///< 1 − rate · weight decay
};

template <class G, class P>
__global__ void __launch_bounds__(partTileThreads)
    sm3Kernel(Sm3Update update, const __grid_constant__ PartTable<Sm3Tiles> table) {
    const int chunk = static_cast<int>(blockIdx.x);
    const int index = table.partOf(chunk);
    const Sm3Tiles& part = table.parts[index];
    const PartTile tile(part, chunk - table.firstChunk[index]);
    const G* const gradient = static_cast<const G*>(part.gradient);
    P* const value = static_cast<P*>(part.value);
    float largest[partTileOwn] = {};
    for (int row = tile.row + tile.warp; row < tile.rowEnd; row += partTileWarps) {
        const float ofRow = part.row ? part.row[row] : INFINITY;
        float most = 0;
#pragma unroll
        for (int k = 0; k < partTileOwn; ++k) {
            const int column = tile.own(k);
            if (column >= part.columns) break;
            const std::int64_t at = static_cast<std::int64_t>(row) * part.columns + column;
            const float g = toFloat(gradient[at]) * update.gradientScale;
            const float ofColumn = part.column[column];
            const float v = (ofRow < ofColumn ? ofRow : ofColumn) + g * g;
            float step = v == 0 ? 0.0f : g / sqrtf(v);
            if (part.moment) {
                step = update.momentum * part.moment[at] + (1.0f - update.momentum) * step;
                part.moment[at] = step;
            }
            const float w =
                part.keep * (part.master ? part.master[at] : toFloat(value[at])) - update.learningRate * step;
            if (part.master) part.master[at] = w;
            value[at] = fromFloat<P>(w);
            largest[k] = Largest{}(largest[k], v);
            most = Largest{}(most, v);
        }
        most = warpMax(most);
        if (part.row && tile.lane == 0)
            part.rowPartial[static_cast<std::int64_t>(tile.across) * part.rows + row] = most;
    }
    keepColumns<Largest>(tile, part.columns, largest, part.columnPartial);
}

}  // namespace

void CudaDevice::sm3(const Sm3Update& update, std::span<const Sm3Part> parts) {
    std::int64_t partials = 0;
    for (const Sm3Part& part : parts)
        partials += TiledPart(part.rows, part.columns).partials(part.rowLargest != nullptr);
    PartialRoom room(scratch<float>(static_cast<std::size_t>(partials)));
    std::vector<std::pair<const Sm3Part*, Sm3Tiles>> all;
    for (const Sm3Part& part : parts) {
        if (part.columns == 0) continue;
        Sm3Tiles tiles;
        static_cast<TiledPart&>(tiles) = TiledPart(part.rows, part.columns);
        tiles.gradient = part.gradient.data;
        tiles.value = part.value.data;
        tiles.master = part.master;
        tiles.moment = part.moment;
        tiles.row = part.rowLargest;
        tiles.column = part.columnLargest;
        if (part.rowLargest) tiles.rowPartial = room.take({part.rowLargest, nullptr, part.rows, tiles.across});
        tiles.columnPartial = room.take({part.columnLargest, nullptr, part.columns, tiles.down()});
        tiles.keep = 1.0f - update.learningRate * part.weightDecay;
        all.emplace_back(&part, tiles);
    }
    constexpr DType types[] = {DType::F32, DType::BF16, DType::F16};
    std::vector<Sm3Tiles> alike;
    for (const DType gradients : types)
        for (const DType values : types) {
            alike.clear();
            for (const auto& [part, tiles] : all)
                if (part->gradient.type == gradients && part->value.type == values) alike.push_back(tiles);
            if (alike.empty()) continue;
            withStateTypes(gradients, values, [&](auto g, auto p) {
                using G = typename decltype(g)::Type;
                using P = typename decltype(p)::Type;
                withTables<Sm3Tiles>(alike, 1, [&](const PartTable<Sm3Tiles>& table, unsigned chunks) {
                    launch("sm3", sm3Kernel<G, P>, chunks, partTileThreads, *queue_, update, table);
                });
            });
        }
    launchCombine<Largest>("sm3 accumulators", room.taken(), *queue_);
}

}  // namespace shardlab::kernels::cuda
