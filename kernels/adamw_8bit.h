// SPDX-License-Identifier: Apache-2.0
// AdamW (adamw.h) whose moments are kept in 8 bits (moment_codes.h): one pass reads, updates and rounds them, and they
// never lie in memory in fp32. The update of the values takes the moments before they are rounded. The tolerance
// against double precision, from the same codes, is 1e-6 of the largest value a step; a new moment is off by the
// rounding of its code and 1e-6 of its block's largest.
#pragma once

#include "kernels/adamw.h"
#include "kernels/moment_codes.h"

namespace shardlab::kernels {

/// `count` elements of a parameter from its element `begin` on, which tells where the blocks end.
struct AdamW8BitPart {
    std::int64_t begin = 0;
    std::int64_t count = 0;
    float weightDecay = 0;           ///< 0 for parameters that do not decay
    ConstArray gradient;             ///< G
    Array value;                     ///< P
    float* master = nullptr;         ///< fp32; where given it is updated, and `value` becomes a rounded copy
    std::uint8_t* first = nullptr;   ///< a code of signedMoments for each element
    std::uint8_t* second = nullptr;  ///< a code of unsignedMoments for each element
    float* firstScales = nullptr;    ///< one for each of momentBlocks(begin, count); 0 where the whole block is 0
    float* secondScales = nullptr;
    auto memory() { return std::tie(gradient, value, master, first, second, firstScales, secondScales); }
};

struct AdamW8BitOps {
    /// Does to each part what adamw() does with moments code · scale, which then become codes of their block's new
    /// scale.
    virtual void adamw8Bit(const AdamWUpdate& update, std::span<const AdamW8BitPart> parts) = 0;
    static KernelWork adamw8BitWork(const AdamWUpdate&, std::span<const AdamW8BitPart> parts) {
        KernelWork work{KernelKind::Optimizer};
        for (const AdamW8BitPart& part : parts) {
            const auto elements = static_cast<double>(part.count);
            const auto blocks = static_cast<double>(momentBlocks(part.begin, part.count));
            work.bytes += updatedBytes(part.gradient, part.value, part.master, elements) + 4 * elements +
                          4 * sizeof(float) * blocks;
        }
        return work;
    }

protected:
    ~AdamW8BitOps() = default;
};

#define SHARDLAB_ADAMW_8BIT_OPS(operation) operation(AdamW8BitOps, adamw8Bit, 2)

}  // namespace shardlab::kernels
