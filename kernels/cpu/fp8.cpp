// SPDX-License-Identifier: Apache-2.0
#include "kernels/fp8.h"

#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/products.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"
#include "kernels/fp8_code.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <vector>

namespace shardlab::kernels {

namespace {

/// Rows that a thread takes at a time where tiles do not say how many. Of codes that are turned they fill a line of a
/// cache.
constexpr int rowsTogether = 64;

/// Calls work(first row, rows) for groups of `each` rows.
template <class Work>
void byRowGroups(int rows, int columns, int each, const Work& work) {
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

/// The bits of the largest of `most` and of what is not negative in |x|; not-a-number is larger than all numbers.
SHARDLAB_HOT std::uint32_t largestBits(const float* x, int count, std::uint32_t most) {
    for (int i = 0; i < count; ++i) most = std::max(most, bitsOf(x[i]) & 0x7fffffffu);
    return most;
}

template <Fp8Format format>
SHARDLAB_INLINE Fp8Counts toCodes(const float* __restrict x, int count, float factor, std::uint8_t* __restrict codes) {
    std::int32_t saturated = 0, flushed = 0;
    for (int i = 0; i < count; ++i) {
        const float scaled = x[i] * factor;
        const std::uint32_t code = fp8Code(format, scaled);
        codes[i] = static_cast<std::uint8_t>(code);
        saturated += fp8Saturates(format, scaled) ? 1 : 0;
        flushed += ((code & 0x7fu) == 0) & (x[i] != 0) ? 1 : 0;
    }
    return {saturated, flushed};
}

/// The codes of factor · x, and how many of them are at the format's end and how many are zero though x is not.
SHARDLAB_HOT Fp8Counts roundToCodes(Fp8Format format, const float* x, int count, float factor, std::uint8_t* codes) {
    return format == Fp8Format::E4M3 ? toCodes<Fp8Format::E4M3>(x, count, factor, codes)
                                     : toCodes<Fp8Format::E5M2>(x, count, factor, codes);
}

std::array<float, 256> tableOf(Fp8Format format) {
    std::array<float, 256> table;
    for (std::size_t code = 0; code < table.size(); ++code)
        table[code] = ofFp8Code(format, static_cast<std::uint8_t>(code));
    return table;
}

/// Where the code of an element lies.
struct CodePlace {
    std::int64_t ofRow, ofColumn;
    CodePlace(int rows, int columns, bool turned) : ofRow(turned ? 1 : columns), ofColumn(turned ? rows : 1) {}
    std::int64_t operator()(int row, int column) const { return row * ofRow + column * ofColumn; }
};

/// What the codes stand for, where they lie.
void decode(const Fp8Matrix& matrix, float* values) {
    static const std::array<float, 256> tables[] = {tableOf(Fp8Format::E4M3), tableOf(Fp8Format::E5M2)};
    const std::array<float, 256>& table = tables[static_cast<std::size_t>(matrix.format)];
    const CodePlace place(matrix.rows, matrix.columns, matrix.turned);
    byRowGroups(matrix.rows, matrix.columns, rowsTogether, [&](int first, int some) {
        for (int row = first; row < first + some; ++row)
            throughTiles(row, matrix.columns, matrix.tiles, [&](std::int64_t tile, int column, int count) {
                const float share = fp8Share(matrix.scales, tile);
                std::int64_t at = place(row, column);
                for (int i = 0; i < count; ++i, at += place.ofColumn) values[at] = table[matrix.codes[at]] * share;
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
    // No group of rows reaches from one tile into the next.
    byRowGroups(rows, columns, tiles.rows == 0 ? rowsTogether : tiles.rows, [&](int first, int some) {
        const int across = tiles.across(columns);
        std::vector<std::uint32_t> own(static_cast<std::size_t>(across));
        for (int row = first; row < first + some; ++row) {
            const cpu::ConstFloats values(x + std::int64_t{row} * columns, columns);
            throughTiles(0, columns, tiles, [&](std::int64_t tile, int column, int count) {
                std::uint32_t& most = own[static_cast<std::size_t>(tile)];
                most = largestBits(values.data() + column, count, most);
            });
        }
        float* const to = largest + (tiles.rows == 0 ? 0 : std::int64_t{first / tiles.rows} * across);
        const std::lock_guard lock(merging);
        for (int tile = 0; tile < across; ++tile)
            to[tile] = largerOf(to[tile], std::bit_cast<float>(own[static_cast<std::size_t>(tile)]));
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
                         ConstArray scales, bool turned, std::uint8_t* codes, Fp8Counts* counts) {
    std::atomic<std::int32_t> saturated = 0, flushed = 0;
    const CodePlace place(rows, columns, turned);
    byRowGroups(rows, columns, rowsTogether, [&](int first, int some) {
        Fp8Counts all;
        std::vector<std::uint8_t> ofRow(turned ? static_cast<std::size_t>(columns) : 0);
        for (int row = first; row < first + some; ++row) {
            const cpu::ConstFloats values(x + std::int64_t{row} * columns, columns);
            std::uint8_t* const to = turned ? ofRow.data() : codes + place(row, 0);
            throughTiles(row, columns, tiles, [&](std::int64_t tile, int column, int count) {
                const Fp8Counts found =
                    roundToCodes(format, values.data() + column, count, fp8Factor(scales, tile), to + column);
                all.saturated += found.saturated;
                all.flushed += found.flushed;
            });
            for (int i = 0; turned && i < columns; ++i) codes[place(row, i)] = to[i];
        }
        saturated += all.saturated;
        flushed += all.flushed;
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
    cpu::product(m, n, k, 1, {left.data(), a.turned ? a.rows : a.columns, transposeA != a.turned},
                 {right.data(), b.turned ? b.rows : b.columns, transposeB != b.turned}, beta, out.data(), out.stride());
}

}  // namespace shardlab::kernels
