// SPDX-License-Identifier: Apache-2.0
// Numbers kept in fewer bits until they are read again (delayed precision reduction, Gist, ISCA 2018). A number has a
// sign, an exponent and a fraction:
//   16 bits   5 bits of exponent, 10 of fraction
//   10 bits   5 and 4; three numbers share 32 bits
//    8 bits   4 and 3
// With an exponent of e bits the smallest normal number is 2^(2 − 2^(e−1)); below it steps are even, down to 0. There
// is no infinity: larger values and not-a-number become the largest number. With 5 bits of exponent the largest number
// is below 2^16, as that of fp16, so that fp16 has all of them; with 4 bits it is 480. Values are rounded to nearest,
// ties to even: with f bits of fraction, normal numbers are off by at most 2^(−f−1) of themselves.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

/// The fields of a packed number of 16, 10 or 8 bits.
struct PackedFormat {
    int exponent = 5;
    int fraction = 10;
    constexpr int bits() const { return 1 + exponent + fraction; }
    constexpr int leastExponent() const { return 2 - (1 << (exponent - 1)); }
    /// The code of the largest number, without a sign.
    constexpr std::uint32_t largestCode() const {
        return (1u << (exponent + fraction)) - 1 - (exponent == 5 ? 1u << fraction : 0);
    }
};
constexpr PackedFormat packedFormat(int bits) {
    return bits == 16 ? PackedFormat{5, 10} : bits == 10 ? PackedFormat{5, 4} : PackedFormat{4, 3};
}

/// How many numbers share a group of whole bytes, and how many bytes the group has.
constexpr int packedGroup(int bits) { return bits == 10 ? 3 : 1; }
constexpr int packedGroupBytes(int bits) { return bits == 10 ? 4 : bits / 8; }
constexpr std::int64_t packedBytes(std::int64_t count, int bits) {
    return (count + packedGroup(bits) - 1) / packedGroup(bits) * packedGroupBytes(bits);
}

struct PackedFloatOps {
    /// from: T; packed: packedBytes(count, bits).
    virtual void packFloats(std::int64_t count, int bits, ConstArray from, std::uint8_t* packed) = 0;
    static KernelWork packFloatsWork(std::int64_t count, int bits, ConstArray from, const std::uint8_t*) {
        return packedWork(count, bits, from);
    }

    /// to: T, exact in fp32.
    virtual void unpackFloats(std::int64_t count, int bits, const std::uint8_t* packed, Array to) = 0;
    static KernelWork unpackFloatsWork(std::int64_t count, int bits, const std::uint8_t*, Array to) {
        return packedWork(count, bits, to);
    }

protected:
    ~PackedFloatOps() = default;

private:
    static KernelWork packedWork(std::int64_t count, int bits, ConstArray unpacked) {
        return {KernelKind::Elementwise,
                bytesOf(unpacked, static_cast<double>(count)) + static_cast<double>(packedBytes(count, bits))};
    }
};

#define SHARDLAB_PACKED_FLOAT_OPS(operation)                                                                           \
    operation(PackedFloatOps, packFloats, 4) operation(PackedFloatOps, unpackFloats, 4)

}  // namespace shardlab::kernels
