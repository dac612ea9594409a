// SPDX-License-Identifier: Apache-2.0
// What the codes of gradients take that travel in 8 bits or less (precision.exchange): their arithmetic is in
// kernels/gradient_codes.h, who sends what to whom in train/parallel/coded_exchange.h.
#pragma once

#include "engine/layout/flat_units.h"
#include "engine/layout/formats.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/model_shape.h"

#include <algorithm>
#include <cstdint>

namespace shardlab::layout {

/// Neighbouring elements that share a scale of fp32.
inline constexpr std::int64_t codeBlock = 256;

inline bool codesExchange(const Layout& layout) { return layout.precision.exchange != ExchangeFormat::Full; }

/// Bits of an element's code.
constexpr int codeBits(ExchangeFormat format) {
    switch (format) {
    case ExchangeFormat::Full: return 32;
    case ExchangeFormat::Bits8: return 8;
    case ExchangeFormat::Bits4: return 4;
    case ExchangeFormat::Bits1: return 1;
    }
    return 32;
}

constexpr std::int64_t codeBlocks(std::int64_t elements) { return (elements + codeBlock - 1) / codeBlock; }

/// The numbers of fp32 that hold the scales of so many elements, and their codes behind them.
constexpr std::int64_t codeWords(ExchangeFormat format, std::int64_t elements) {
    return codeBlocks(elements) + (elements * codeBits(format) + 31) / 32;
}

/// Bytes of all parts of a bucket of `size` elements that `members` exchange: each part takes as much as the largest,
/// of ⌈size ÷ members⌉ elements. A member sends (members−1)/members of them in each half of an all-reduce.
constexpr std::int64_t codedBytes(ExchangeFormat format, std::int64_t size, int members) {
    return fp32Bytes * members * codeWords(format, (size + members - 1) / members);
}

/// How many replicas exchange a unit.
inline int exchanging(const ParallelSpec& parallel, const FlatUnit& unit) {
    return replicasOfCopy(parallel) / unit.spread;
}

/// Bytes of the codes of a unit's part that copies of what ZeRO divides exchange: for each part as much as for the
/// largest.
inline std::int64_t codedPartBytes(ExchangeFormat format, const ParallelSpec& parallel, const FlatUnit& unit) {
    const int parts = exchanging(parallel, unit);
    return codedBytes(format, (unit.size + parts - 1) / parts, copyCount(parallel));
}

/// Whether an owner codes its sums again, and keeps what that loses; with ZeRO it updates with them itself, or sums
/// them over the copies.
constexpr bool codesSums(const ParallelSpec& parallel) { return parallel.zero == 0; }

/// Whether what the exchanges of one layout left is of the same replicas and copies of weights as the other's.
inline bool exchangesAlike(const Layout& one, const Layout& other) {
    const auto tied = [](const Layout& layout) { return sharesEmbedding(layout.model) && stageCount(layout) > 1; };
    return codesExchange(one) && codesExchange(other) && codesSums(one.parallel) == codesSums(other.parallel) &&
           replicaCount(one.parallel) == replicaCount(other.parallel) &&
           copyCount(one.parallel) == copyCount(other.parallel) &&
           expertSpread(one.parallel) == expertSpread(other.parallel) && tied(one) == tied(other);
}

/// Elements of fp32 that `replica` keeps of what coding lost, of all of a stage's reductionUnits().
inline std::int64_t remainderNumbers(const ParallelSpec& parallel, const std::vector<FlatUnit>& reduced, int replica) {
    const int sharing = replicasOfCopy(parallel), copies = copyCount(parallel);
    std::int64_t numbers = codesSums(parallel) ? shardSize(reduced, replica, sharing) : 0;
    for (const FlatUnit& unit : reduced) {
        numbers += unit.size;
        if (copies == 1) continue;
        const std::int64_t part = partSize(unit, replica % sharing, sharing);
        numbers += part + rangeSize(part, copies, replica / sharing);
    }
    return numbers;
}

/// Bytes of the two buffers through which the buckets of a stage go one after another: what is sent, and what comes.
inline std::int64_t codeBufferBytes(ExchangeFormat format, const ParallelSpec& parallel,
                                    const std::vector<FlatUnit>& reduced) {
    std::int64_t most = 0;
    for (const FlatUnit& unit : reduced)
        most = std::max({most, codedBytes(format, unit.size, exchanging(parallel, unit)),
                         copyCount(parallel) > 1 ? codedPartBytes(format, parallel, unit) : 0});
    return 2 * most;
}

}  // namespace shardlab::layout
