// SPDX-License-Identifier: Apache-2.0
// Numbers kept in fewer bits until they are read again (delayed precision reduction, Gist, ISCA 2018): a sign, and of
//   16 bits   5 of exponent, 10 of fraction
//   10 bits   5 and 4, three numbers in 32 bits
//    8 bits   4 and 3
// With an exponent of e bits the smallest normal number is 2^(2 − 2^(e−1)); below it steps are even, down to 0. There
// is no infinity: what is larger than the largest number, or none, becomes that. With 5 bits of exponent it is below
// 2^16, as fp16's, so that fp16 has all of them; with 4 bits it is 480. Rounded to nearest, ties to even: normal
// numbers are at most 2^(−f−1) of themselves off, f bits of fraction.
#pragma once

#include "kernels/array.h"

#include <cstddef>
#include <cstdint>

namespace shardlab {

/// Fields of a number of so many bits: 16, 10 or 8.
struct PackedFormat {
    int exponent = 5;
    int fraction = 10;
    constexpr int bits() const { return 1 + exponent + fraction; }
    constexpr int leastExponent() const { return 2 - (1 << (exponent - 1)); }
    /// Without its sign.
    constexpr std::uint32_t largestCode() const {
        return (1u << (exponent + fraction)) - 1 - (exponent == 5 ? 1u << fraction : 0);
    }
};
constexpr PackedFormat packedFormat(int bits) {
    return bits == 16 ? PackedFormat{5, 10} : bits == 10 ? PackedFormat{5, 4} : PackedFormat{4, 3};
}

/// Numbers that share a group of whole bytes, and how many bytes.
constexpr int packedGroup(int bits) { return bits == 10 ? 3 : 1; }
constexpr int packedGroupBytes(int bits) { return bits == 10 ? 4 : bits / 8; }
constexpr std::int64_t packedBytes(std::int64_t count, int bits) {
    return (count + packedGroup(bits) - 1) / packedGroup(bits) * packedGroupBytes(bits);
}

struct PackedFloatOps {
    /// from: T; packed: packedBytes(count, bits).
    virtual void packFloats(std::int64_t count, int bits, ConstArray from, std::uint8_t* packed) = 0;
    /// to: T, exact in fp32.
    virtual void unpackFloats(std::int64_t count, int bits, const std::uint8_t* packed, Array to) = 0;

protected:
    ~PackedFloatOps() = default;
};

}  // namespace shardlab
