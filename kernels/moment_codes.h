// SPDX-License-Identifier: Apache-2.0
// Moments of an optimizer in 8 bits (Dettmers et al., 8-bit Optimizers via Block-wise Quantization, 2110.02861): blocks
// of momentBlock elements share a scale, the largest magnitude among them, and each element is a code for its share of
// it.
//
// The codes are dynamic: the number of leading zero bits gives the decade, and the bits that are left cut it evenly, so
// that small numbers keep as many digits as the bits allow. In decade e, (10^−(e+1), 10^−e], there are the numbers
//   10^−e · (0.1 + 0.9·k/n),  k = 1 … n,  n = 2^(6−e), for unsigned codes 2^(7−e),  e = 0 … 6,
// and besides 0; signed codes have their negatives too. The paper puts a number in the middle of its step, this code at
// the end: 1 and −1 are codes then, a number read from a code becomes the same code again, and a checkpoint changes
// nothing. A signed number is off by at most 0.9/128 of its block's scale, an unsigned one by 0.9/256.
//
// The paper's blocks have 2048 elements; here they have 256, as its authors' library took up later. Where a shard or a
// member of a tensor group ends within a block, each side has a scale for its part: in short blocks fewer elements do,
// and vectors of some hundred elements, which have one block each, lose less to their largest. The price is 1/32 byte a
// parameter.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace shardlab::kernels {

inline constexpr int momentBlock = 256;

/// How many blocks the `count` elements from `begin` on touch; blocks are counted from the parameter's first element.
constexpr std::int64_t momentBlocks(std::int64_t begin, std::int64_t count) {
    return count == 0 ? 0 : (begin + count + momentBlock - 1) / momentBlock - begin / momentBlock;
}

/// Codes 0 to 254; 255 is none.
struct MomentCodes {
    static constexpr int most = 255;
    float values[most + 1] = {};   ///< ascending; the last repeats the one before
    float middles[most + 1] = {};  ///< between a value and the next; for the last code infinity
    int zero = 0;                  ///< the code of 0

    /// The code nearest to x in [−1, 1], or [0, 1]; half way between two, the lower one. Not-a-number gets the first
    /// code.
    constexpr std::uint8_t nearest(float x) const {
        int at = 0;
        for (int step = (most + 1) / 2; step > 0; step /= 2) at += x > middles[at + step - 1] ? step : 0;
        return static_cast<std::uint8_t>(at);
    }
};

constexpr MomentCodes makeMomentCodes(bool isSigned) {
    constexpr int decades = 7;
    MomentCodes codes;
    int at = 0;
    double power = 1e-6;
    std::array<double, 128 + 127> positive{};
    int count = 0;
    for (int e = decades - 1; e >= 0; --e) {
        const int steps = 1 << (isSigned ? decades - 1 - e : decades - e);
        for (int k = 1; k <= steps; ++k) positive[static_cast<std::size_t>(count++)] = power * (0.1 + 0.9 * k / steps);
        power = e == 1 ? 1 : power * 10;
    }
    if (isSigned)
        for (int i = count; i-- > 0;) codes.values[at++] = -static_cast<float>(positive[static_cast<std::size_t>(i)]);
    codes.zero = at;
    codes.values[at++] = 0;
    for (int i = 0; i < count; ++i) codes.values[at++] = static_cast<float>(positive[static_cast<std::size_t>(i)]);
    codes.values[at] = codes.values[at - 1];
    for (int i = 0; i + 1 < MomentCodes::most; ++i) codes.middles[i] = (codes.values[i] + codes.values[i + 1]) / 2;
    codes.middles[MomentCodes::most - 1] = codes.middles[MomentCodes::most] = std::numeric_limits<float>::infinity();
    return codes;
}

/// The codes of first moments, and of second moments. No second moment but 0 becomes 0, because an update divides by
/// its root.
inline constexpr MomentCodes signedMoments = makeMomentCodes(true);
inline constexpr MomentCodes unsignedMoments = makeMomentCodes(false);

/// The factor of a block's elements before their codes are looked up. A block whose largest magnitude is not a normal
/// number counts as zeros.
constexpr float shareOfScale(float scale) { return scale >= std::numeric_limits<float>::min() ? 1.0f / scale : 0.0f; }

constexpr std::uint8_t codeOfFirst(float moment, float share) { return signedMoments.nearest(moment * share); }
constexpr std::uint8_t codeOfSecond(float moment, float share) {
    const float x = moment * share;
    const std::uint8_t code = unsignedMoments.nearest(x);
    return code == 0 && x > 0 ? 1 : code;
}

}  // namespace shardlab::kernels
