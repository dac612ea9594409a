// SPDX-License-Identifier: Apache-2.0
#include "kernels/sparse_floats.h"

#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"

#include <algorithm>
#include <numeric>

namespace shardlab::kernels {

namespace {

/// Calls function(the bits of the first number), as words of the numbers' size; T is const where `first` is.
template <class Void, class Function>
void withWords(DType type, Void* first, const Function& function) {
    constexpr bool reads = std::is_const_v<Void>;
    if (sizeOf(type) == 4) function(static_cast<std::conditional_t<reads, const std::uint32_t, std::uint32_t>*>(first));
    else function(static_cast<std::conditional_t<reads, const std::uint16_t, std::uint16_t>*>(first));
}

/// Calls work(row, its first number, how many it has) for each row.
template <class Work>
void bySparseRows(std::int64_t count, const Work& work) {
    cpu::shareOut(sparseRows(count), count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            work(row, row * sparseColumns, std::min<std::int64_t>(sparseColumns, count - row * sparseColumns));
    });
}

}  // namespace

void CpuDevice::countNonzeros(std::int64_t count, ConstArray from, std::int32_t* begins) {
    begins[0] = 0;
    withWords(from.type, from.data, [&](const auto* bits) {
        bySparseRows(count, [&](std::int64_t row, std::int64_t first, std::int64_t some) {
            begins[row + 1] = static_cast<std::int32_t>(
                some - std::count(bits + first, bits + first + some, std::remove_cvref_t<decltype(*bits)>{0}));
        });
    });
    std::inclusive_scan(begins, begins + sparseRows(count) + 1, begins);
}

void CpuDevice::packNonzeros(std::int64_t count, std::int64_t nonzeros, ConstArray from, const std::int32_t* begins,
                             std::uint8_t* packed) {
    withWords(from.type, from.data, [&](const auto* bits) {
        using Word = std::remove_cvref_t<decltype(*bits)>;
        auto* const values = reinterpret_cast<Word*>(packed);
        std::uint8_t* const columns = packed + nonzeros * static_cast<std::int64_t>(sizeof(Word));
        bySparseRows(count, [&](std::int64_t row, std::int64_t first, std::int64_t some) {
            std::int64_t at = begins[row];
            for (std::int64_t column = 0; column < some; ++column) {
                if (bits[first + column] == 0) continue;
                values[at] = bits[first + column];
                columns[at++] = static_cast<std::uint8_t>(column);
            }
        });
    });
}

void CpuDevice::unpackNonzeros(std::int64_t count, std::int64_t nonzeros, const std::int32_t* begins,
                               const std::uint8_t* packed, Array to) {
    withWords(to.type, to.data, [&](auto* bits) {
        using Word = std::remove_cvref_t<decltype(*bits)>;
        const auto* const values = reinterpret_cast<const Word*>(packed);
        const std::uint8_t* const columns = packed + nonzeros * static_cast<std::int64_t>(sizeof(Word));
        bySparseRows(count, [&](std::int64_t row, std::int64_t first, std::int64_t some) {
            std::fill_n(bits + first, some, Word{0});
            for (std::int64_t at = begins[row]; at < begins[row + 1]; ++at) bits[first + columns[at]] = values[at];
        });
    });
}

}  // namespace shardlab::kernels
