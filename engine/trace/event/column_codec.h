// SPDX-License-Identifier: Apache-2.0
// A column of whole numbers as bytes: constant, differences or a dictionary, whichever suits. Written down in
// resources/manual/70-run-file.md.
#pragma once

#include "engine/base/bytes.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardlab::trace {

inline constexpr std::size_t largestColumn = 4096;  ///< values

/// 1 to largestColumn values. `mayRepeat` false: they are not worth looking for repetitions.
void writeColumn(ByteWriter& out, std::span<const std::int64_t> values, bool mayRepeat = true);
/// Fills `values`. False: this is no such column.
bool readColumn(ByteReader& in, std::span<std::int64_t> values);

inline std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrappingDifference(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// The bits of a double with the bytes reversed: sign, exponent and leading digits become the low, short part.
inline std::int64_t reversedBits(std::uint64_t bits) { return static_cast<std::int64_t>(__builtin_bswap64(bits)); }
inline std::uint64_t reversedBack(std::int64_t value) { return __builtin_bswap64(static_cast<std::uint64_t>(value)); }

}  // namespace shardlab::trace
