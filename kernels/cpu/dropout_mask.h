// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cpu/vector.h"
#include "kernels/dropout.h"

namespace shardlab::kernels::cpu {

/// The mask of one row: the two words of a 64-bit hash of (key, row) seed a 32-bit hash of the column, which
/// vectorises.
class DropoutRow {
public:
    DropoutRow(const DropoutMask& mask, std::int64_t row)
        : least_(static_cast<std::uint32_t>(static_cast<double>(mask.share) * 0x1p32)), factor_(1 / (1 - mask.share)) {
        const auto number = static_cast<std::uint64_t>(mask.firstRow + mask.rows.of(row));
        const std::uint64_t word = mix(mix(mask.key + (number + 1) * 0x9E3779B97F4A7C15ull) ^ mask.key);
        low_ = static_cast<std::uint32_t>(word) + static_cast<std::uint32_t>(mask.firstColumn) * ofColumn;
        high_ = static_cast<std::uint32_t>(word >> 32);
    }

    /// The factor of element `column`: 0 or 1 ÷ (1 − share).
    SHARDLAB_INLINE float operator()(std::uint32_t column) const {
        // MurmurHash3's finaliser, with the high word between its rounds.
        std::uint32_t x = low_ + column * ofColumn;
        x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
        x = ((x ^ (x >> 13)) + high_) * 0xC2B2AE35u;
        x ^= x >> 16;
        return x < least_ ? 0.0f : factor_;
    }

private:
    static constexpr std::uint32_t ofColumn = 0x9E3779B9u;
    static constexpr std::uint64_t mix(std::uint64_t z) {  // SplitMix64's finaliser
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    std::uint32_t least_;
    float factor_;
    std::uint32_t low_ = 0;
    std::uint32_t high_ = 0;
};

}  // namespace shardlab::kernels::cpu
