// SPDX-License-Identifier: Apache-2.0
// AdamW (adamw.h) whose moments are kept in 8 bits (moment_codes.h): read, updated and rounded again in one pass, in
// which they never lie in memory in fp32. The update itself takes them before they are rounded. Tolerance against
// double precision, from the same codes: 1e-6 of the largest value a step; of each new moment the rounding of its code
// and 1e-6 of its block's largest.
#pragma once

#include "kernels/adamw.h"
#include "kernels/moment_codes.h"

namespace shardlab {

/// `count` elements of a parameter, from its element `begin`, which tells where their blocks end.
struct AdamW8BitPart {
    std::int64_t begin = 0;
    std::int64_t count = 0;
    float weightDecay = 0;           ///< 0 for parameters that do not decay
    ConstArray gradient;             ///< G
    Array value;                     ///< P
    float* master = nullptr;         ///< fp32: what is updated where given; `value` is then a rounded copy of it
    std::uint8_t* first = nullptr;   ///< signedMoments, an element each
    std::uint8_t* second = nullptr;  ///< unsignedMoments
    float* firstScales = nullptr;    ///< a block each, momentBlocks(begin, count); 0 where all of it is
    float* secondScales = nullptr;
};

struct AdamW8BitOps {
    /// Of each part what adamw() does to moments code · scale, which then become codes of their block's new scale.
    virtual void adamw8Bit(const AdamWUpdate& update, std::span<const AdamW8BitPart> parts) = 0;

protected:
    ~AdamW8BitOps() = default;
};

}  // namespace shardlab
