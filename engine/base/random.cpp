// SPDX-License-Identifier: Apache-2.0
#include "engine/base/random.h"

#include <cmath>

namespace shardlab::base {
namespace {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ull;

/// Finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that spreads every input bit over all output bits.
constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

constexpr std::uint64_t draw(std::uint64_t key, std::uint64_t index) {
    return mix(mix(key + (index + 1) * golden) ^ key);
}

// A compiler may fuse a·b + c into one rounding where the processor can, and not elsewhere. Products that feed a sum go
// through this call, so that every machine rounds twice.
[[gnu::noinline]] double rounded(double a, double b) { return a * b; }

/// Natural logarithm of 0 < x < 1 from operations that IEEE 754 defines to the bit; relative error below 1e-14.
double logarithm(double x) {
    int exponent = 0;
    double mantissa = std::frexp(x, &exponent);  // [0.5, 1)
    if (mantissa < 0.70710678118654752) {
        mantissa *= 2;
        --exponent;
    }
    // ln m = 2 artanh f, f = (m − 1)/(m + 1), |f| < 0.172.
    const double f = (mantissa - 1) / (mantissa + 1);
    const double z = f * f;
    double series = 0;
    for (int power = 21; power >= 1; power -= 2) series = rounded(series, z) + 1.0 / power;
    return rounded(exponent, 0.69314718055994531) + rounded(2 * f, series);
}

}  // namespace

RandomStream::RandomStream(std::int64_t seed, std::string_view name) {
    std::uint64_t hash = 0xCBF29CE484222325ull;  // FNV-1a
    for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    key_ = mix(mix(static_cast<std::uint64_t>(seed) + golden) ^ hash);
    normalKey_ = mix(key_ ^ golden);
}

std::uint64_t RandomStream::bitsAt(std::uint64_t index) const { return draw(key_, index); }

double RandomStream::uniformAt(std::uint64_t index) const { return static_cast<double>(bitsAt(index) >> 11) * 0x1p-53; }

// Marsaglia's polar method; draws 2i and 2i + 1 are the two values of one point. The point lies on a grid of 2⁻²⁶, so
// that its squared radius is exact.
double RandomStream::normalAt(std::uint64_t index) const {
    for (std::uint64_t attempt = 0;; ++attempt) {
        const std::uint64_t word = draw(normalKey_ + attempt, index / 2);
        const auto u = static_cast<std::int64_t>(word >> 37) - (std::int64_t{1} << 26);
        const auto v = static_cast<std::int64_t>((word >> 10) & 0x7FFFFFF) - (std::int64_t{1} << 26);
        const std::int64_t square = u * u + v * v;
        if (square == 0 || square >= (std::int64_t{1} << 52)) continue;
        const double s = static_cast<double>(square) * 0x1p-52;
        const double radius = std::sqrt(-2 * logarithm(s) / s);
        return static_cast<double>(index % 2 == 0 ? u : v) * 0x1p-26 * radius;
    }
}

std::uint32_t RandomStream::below(std::uint32_t count) {
    // Multiply-shift of 32 bits; the bias of count ÷ 2³² is of no consequence to a sampler.
    return static_cast<std::uint32_t>(((bits() >> 32) * count) >> 32);
}

}  // namespace shardlab::base
