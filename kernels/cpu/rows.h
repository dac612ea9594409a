// SPDX-License-Identifier: Apache-2.0
// Loops of kernels over fp32, for operands of any type and on several threads.
#pragma once

#include "kernels/cpu/convert.h"
#include "kernels/cpu/floats.h"
#include "kernels/threads.h"

#include <omp.h>

#include <algorithm>

namespace shardlab::kernels::cpu {

/// How many elements of an operand are converted at a time, so that they stay in the first cache.
constexpr std::int64_t blockElements = 2048;

/// Calls body(begin, end) for a part of [0, count) on each thread, on the calling thread alone where `elements` are
/// few.
template <class Body>
void shareOut(std::int64_t count, std::int64_t elements, const Body& body) {
    constexpr std::int64_t worthAThread = 1 << 15;
    const std::int64_t useful = std::min({std::int64_t{kernelThreads()}, elements / worthAThread, count});
    if (useful <= 1 || omp_in_parallel()) {
        body(std::int64_t{0}, count);
        return;
    }
#pragma omp parallel num_threads(static_cast <int>(useful))
    {
        const std::int64_t threads = omp_get_num_threads();
        const std::int64_t thread = omp_get_thread_num();
        body(count * thread / threads, count * (thread + 1) / threads);
    }
}

/// An operand of byRows and byElements.
struct Reads {
    ConstArray array;
    ConstFloats open(std::int64_t first, std::int64_t count) const { return {array ? array + first : array, count}; }
};
struct Accesses {
    Array array;
    Floats::Access access;
    Floats open(std::int64_t first, std::int64_t count) const { return {array ? array + first : array, access, count}; }
};
inline Reads reads(ConstArray array) { return {array}; }
inline Accesses writes(Array array) { return {array, Floats::Access::Write}; }
inline Accesses updates(Array array) { return {array, Floats::Access::Update}; }

template <class Body, class... Operands>
void inBlocks(std::int64_t begin, std::int64_t end, std::int64_t block, std::int64_t columns, const Body& body,
              const Operands&... operands) {
    for (std::int64_t first = begin; first < end; first += block) {
        const std::int64_t count = std::min(block, end - first);
        body(first, count, operands.open(first * columns, count * columns).data()...);
    }
}

/// Calls body(firstRow, rows, pointer to the rows of each operand …) for all rows of operands [rows, columns].
template <class Body, class... Operands>
void byRows(std::int64_t rows, std::int64_t columns, const Body& body, const Operands&... operands) {
    const bool inPlace = ((operands.array.type == DType::F32) && ...);
    const std::int64_t block = std::max<std::int64_t>(inPlace ? rows : blockElements / columns, 1);
    shareOut(rows, rows * columns,
             [&](std::int64_t begin, std::int64_t end) { inBlocks(begin, end, block, columns, body, operands...); });
}

/// Calls body(first, count, pointer to those elements of each operand …) for all elements.
template <class Body, class... Operands>
void byElements(std::int64_t count, const Body& body, const Operands&... operands) {
    shareOut(count, count,
             [&](std::int64_t begin, std::int64_t end) { inBlocks(begin, end, blockElements, 1, body, operands...); });
}

/// Sums over the rows of matrices [rows, columns]. Calls body(place, firstColumn, columns, rows, matrix …), the
/// matrices as ConstFloats, for all columns and, in their order, all rows. Threads divide the columns among them, so
/// that any number of threads sums alike. open(firstColumn, columns) makes `place`, where the sums go.
template <class Open, class Body, class... Matrices>
void byColumns(std::int64_t rows, std::int64_t columns, const Open& open, const Body& body,
               const Matrices&... matrices) {
    constexpr std::int64_t line = 16;  // elements of a cache line, which two threads should not both write
    const bool inPlace = ((matrices.type == DType::F32) && ...);
    shareOut((columns + line - 1) / line, rows * columns, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t first = begin * line;
        const std::int64_t width = std::min(end * line, columns) - first;
        const std::int64_t block = inPlace ? rows : std::max<std::int64_t>(blockElements / width / 4 * 4, 4);
        const auto sums = open(first, width);
        for (std::int64_t row = 0; row < rows; row += block) {
            const std::int64_t count = std::min(block, rows - row);
            body(sums, width, row, count, ConstFloats(matrices + (row * columns + first), count, width, columns)...);
        }
    });
}

}  // namespace shardlab::kernels::cpu
