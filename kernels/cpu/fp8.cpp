// SPDX-License-Identifier: Apache-2.0
#include "kernels/fp8.h"

#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/products.h"
#include "kernels/cpu/rows.h"
#include "kernels/fp8_code.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <vector>

namespace shardlab::kernels {

namespace {

constexpr int rowsOfWhole = 64;  ///< rows that a thread takes at a time where one tile has all

/// Calls work(first row, rows) for groups of rows, none of which reaches from one tile into the next.
template <class Work>
void byTileRows(int rows, int columns, const Fp8Tiles& tiles, const Work& work) {
    const int each = tiles.rows == 0 ? rowsOfWhole : tiles.rows;
    cpu::shareOut((rows + each - 1) / each, std::int64_t{rows} * columns, [&](std::int64_t begin, std::int64_t end) {
        for (auto group = static_cast<int>(begin); group < static_cast<int>(end); ++group)
            work(group * each, std::min(each, rows - group * each));
    });
}

/// Calls work(tile, first column, columns) for the tiles that a row goes through.
template <class Work>
void throughTiles(int row, int columns, const Fp8Tiles& tiles, const Work& work) {
    const int width = tiles.columns == 0 ? columns : tiles.columns, across = tiles.across(columns);
    const std::int64_t first = tiles.rows == 0 ? 0 : std::int64_t{row / tiles.rows} * across;
    for (int tile = 0; tile < across; ++tile) work(first + tile, tile * width, std::min(width, columns - tile * width));
}

float largerOf(float largest, float x) { return x > largest || x != x ? x : largest; }

std::array<float, 256> tableOf(Fp8Format format) {
    std::array<float, 256> table;
    for (std::size_t code = 0; code < table.size(); ++code)
        table[code] = ofFp8Code(format, static_cast<std::uint8_t>(code));
    return table;
}

/// What the codes stand for.
void decode(const Fp8Matrix& matrix, float* values) {
    static const std::array<float, 256> tables[] = {tableOf(Fp8Format::E4M3), tableOf(Fp8Format::E5M2)};
    const std::array<float, 256>& table = tables[static_cast<std::size_t>(matrix.format)];
    byTileRows(matrix.rows, matrix.columns, matrix.tiles, [&](int first, int some) {
        for (int row = first; row < first + some; ++row)
            throughTiles(row, matrix.columns, matrix.tiles, [&](std::int64_t tile, int column, int count) {
                const float share = fp8Share(matrix.scales, tile);
                const std::int64_t at = std::int64_t{row} * matrix.columns + column;
                for (int i = 0; i < count; ++i) values[at + i] = table[matrix.codes[at + i]] * share;
            });
    });
}

std::size_t numbersOf(const Fp8Matrix& matrix) {
    return static_cast<std::size_t>(matrix.rows) * static_cast<std::size_t>(matrix.columns);
}

}  // namespace

void CpuDevice::fp8Largest(int rows, int columns, ConstArray x, const Fp8Tiles& tiles, bool more, float* largest) {
    if (!more) std::fill_n(largest, tiles.count(rows, columns), 0.0f);
    std::mutex merging;
    byTileRows(rows, columns, tiles, [&](int first, int some) {
        const int across = tiles.across(columns);
        std::vector<float> own(static_cast<std::size_t>(across));
        for (int row = first; row < first + some; ++row) {
            const cpu::ConstFloats values(x + std::int64_t{row} * columns, columns);
            throughTiles(0, columns, tiles, [&](std::int64_t tile, int column, int count) {
                float most = own[static_cast<std::size_t>(tile)];
                for (int i = column; i < column + count; ++i) most = largerOf(most, std::fabs(values.data()[i]));
                own[static_cast<std::size_t>(tile)] = most;
            });
        }
        float* const to = largest + (tiles.rows == 0 ? 0 : std::int64_t{first / tiles.rows} * across);
        const std::lock_guard lock(merging);
        for (int tile = 0; tile < across; ++tile) to[tile] = largerOf(to[tile], own[static_cast<std::size_t>(tile)]);
    });
}

void CpuDevice::fp8Scales(std::int64_t count, Fp8Format format, bool powers, const float* largest, Array scales) {
    if (scales.type == DType::U8)
        for (std::int64_t i = 0; i < count; ++i)
            static_cast<std::uint8_t*>(scales.data)[i] = fp8ScaleByte(format, largest[i]);
    else
        for (std::int64_t i = 0; i < count; ++i) scales.floats()[i] = fp8Scale(format, powers, largest[i]);
}

void CpuDevice::fp8Round(int rows, int columns, ConstArray x, const Fp8Tiles& tiles, Fp8Format format,
                         ConstArray scales, std::uint8_t* codes, Fp8Counts* counts) {
    std::atomic<std::int32_t> saturated = 0, flushed = 0;
    byTileRows(rows, columns, tiles, [&](int first, int some) {
        std::int32_t beyond = 0, zeros = 0;
        for (int row = first; row < first + some; ++row) {
            const std::int64_t begin = std::int64_t{row} * columns;
            const cpu::ConstFloats values(x + begin, columns);
            throughTiles(row, columns, tiles, [&](std::int64_t tile, int column, int count) {
                const float factor = fp8Factor(scales, tile);
                for (int i = column; i < column + count; ++i) {
                    const float value = values.data()[i], scaled = value * factor;
                    const std::uint8_t code = fp8Code(format, scaled);
                    codes[begin + i] = code;
                    beyond += fp8Saturates(format, scaled) ? 1 : 0;
                    zeros += (code & 0x7f) == 0 && value != 0 ? 1 : 0;
                }
            });
        }
        saturated += beyond;
        flushed += zeros;
    });
    if (!counts) return;
    counts->saturated += saturated;
    counts->flushed += flushed;
}

void CpuDevice::gemmFp8(int m, int n, int k, const Fp8Matrix& a, bool transposeA, const Fp8Matrix& b, bool transposeB,
                        float beta, Array c) {
    const cpu::Scratch left(numbersOf(a)), right(numbersOf(b));
    decode(a, left.data());
    decode(b, right.data());
    const cpu::Floats out(c, beta == 0 ? cpu::Floats::Access::Write : cpu::Floats::Access::Update, m, n, n);
    cpu::product(m, n, k, 1, {left.data(), a.columns, transposeA}, {right.data(), b.columns, transposeB}, beta,
                 out.data(), out.stride());
}

}  // namespace shardlab::kernels
