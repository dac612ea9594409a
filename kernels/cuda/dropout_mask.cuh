// SPDX-License-Identifier: Apache-2.0
// The mask of cpu/dropout_mask.h, the same to the bit.
#pragma once

#include "kernels/dropout.h"

#include <cuda_runtime.h>

#include <cstdint>

namespace shardlab::kernels::cuda {

/// A mask as kernels take it. The host makes it, with the arithmetic of the CPU's kernels.
struct DropoutKeep {
    std::uint64_t key = 0;
    std::int64_t firstRow = 0;
    HeldRows rows;
    std::uint32_t firstColumn = 0;
    std::uint32_t least = 0;  ///< elements whose draw is below it are dropped: share · 2^32
    float factor = 1;         ///< of elements that are kept: 1 ÷ (1 − share)

    DropoutKeep() = default;
    explicit DropoutKeep(const DropoutMask& mask)
        : key(mask.key), firstRow(mask.firstRow), rows(mask.rows),
          firstColumn(static_cast<std::uint32_t>(mask.firstColumn)),
          least(static_cast<std::uint32_t>(static_cast<double>(mask.share) * 4294967296.0)),
          factor(1 / (1 - mask.share)) {}
};

/// The mask of row `firstRow + row`.
class DropoutRow {
public:
    __device__ DropoutRow(const DropoutKeep& keep, std::int64_t row) : least_(keep.least), factor_(keep.factor) {
        const auto number = static_cast<std::uint64_t>(keep.firstRow + keep.rows.of(row));
        const std::uint64_t word = mix(mix(keep.key + (number + 1) * 0x9E3779B97F4A7C15ull) ^ keep.key);
        low_ = static_cast<std::uint32_t>(word) + keep.firstColumn * ofColumn;
        high_ = static_cast<std::uint32_t>(word >> 32);
    }

    /// The factor of element `column`: 0 or 1 ÷ (1 − share).
    __device__ float operator()(std::uint32_t column) const {
        std::uint32_t x = low_ + column * ofColumn;
        x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
        x = ((x ^ (x >> 13)) + high_) * 0xC2B2AE35u;
        x ^= x >> 16;
        return x < least_ ? 0.0f : factor_;
    }

private:
    static constexpr std::uint32_t ofColumn = 0x9E3779B9u;
    __device__ static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    std::uint32_t least_;
    float factor_;
    std::uint32_t low_ = 0;
    std::uint32_t high_ = 0;
};

}  // namespace shardlab::kernels::cuda
