// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace shardlab::kernels::cpu {

/// The normal numbers of one row: the words of dropout_mask.h seed two 32-bit hashes of the column (Box and Muller).
class NoiseRow {
public:
    NoiseRow(std::uint64_t key, std::int64_t row) {
        const std::uint64_t word = mix(mix(key + (static_cast<std::uint64_t>(row) + 1) * 0x9E3779B97F4A7C15ull) ^ key);
        low_ = static_cast<std::uint32_t>(word);
        high_ = static_cast<std::uint32_t>(word >> 32);
    }
    float operator()(std::uint32_t column) const {
        const float radius = std::sqrt(-2.0f * std::log(uniform(hash(low_, high_, column))));
        return radius * std::cos(6.283185307f * uniform(hash(high_, low_, column)));
    }
    /// A draw for the whole row, uniform in [0, 1).
    float share() const { return static_cast<float>(high_ >> 8) * 0x1p-24f; }

private:
    static std::uint32_t hash(std::uint32_t low, std::uint32_t high, std::uint32_t column) {
        std::uint32_t x = low + column * 0x9E3779B9u;
        x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
        x = ((x ^ (x >> 13)) + high) * 0xC2B2AE35u;
        return x ^ (x >> 16);
    }
    /// A number in (0, 1).
    static float uniform(std::uint32_t bits) { return (static_cast<float>(bits >> 9) + 0.5f) * 0x1p-23f; }
    static constexpr std::uint64_t mix(std::uint64_t z) {  // SplitMix64's finaliser
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    std::uint32_t low_ = 0;
    std::uint32_t high_ = 0;
};

}  // namespace shardlab::kernels::cpu
