// SPDX-License-Identifier: Apache-2.0
// Gradients in 8, 4 or 1 bit each. Blocks of gradientCodeBlock neighbouring elements share a scale s of fp32. For the
// numbers a of a block, and the codes c that stand for c·s:
//   8 and 4 bits  s = max|a| ÷ L, L = 127 and 7;  c = a ÷ s rounded to the nearest whole number, ties to even
//   1 bit         s = mean|a|, summed in double;  c = −1 where a < 0, else 1
// The quotient is a product with 1 ÷ s, rounded to fp32. A scale that is no normal number counts as 0, and so do the
// codes of 8 and 4 bits then. The scales of all blocks come first, then the codes: bytes of two's complement; halves of
// bytes, the lower first; bits, the lowest first, which are set where c = −1. Devices agree to the bit, but for the
// scale of 1 bit, whose sum each takes in an order of its own.
#pragma once

#include "kernels/work.h"

#include <tuple>

namespace shardlab::kernels {

inline constexpr std::int64_t gradientCodeBlock = 256;

/// The numbers of fp32 that hold the scales of so many elements, and their codes behind them.
constexpr std::int64_t gradientCodeWords(int bits, std::int64_t count) {
    return (count + gradientCodeBlock - 1) / gradientCodeBlock + (count * bits + 31) / 32;
}

/// `codes` has gradientCodeWords(). Several sources of as many elements each lie `stride` words apart, from `from` on.
struct GradientCodeOps {
    /// a := gradient + remainder; writes the codes of a, and remainder := a − what they stand for. Where a block has
    /// a number that is not finite, its scale is not-a-number, for all who read it, its codes are any, and its
    /// remainder stays as it was. gradient: G.
    virtual void encodeGradient(int bits, std::int64_t count, ConstArray gradient, float* remainder, float* codes) = 0;
    static KernelWork encodeGradientWork(int bits, std::int64_t count, ConstArray gradient, float*, float*) {
        return {KernelKind::Elementwise, bytesOf(gradient, static_cast<double>(count)) +
                                             sizeof(float) * (remainders(count) + words(bits, count))};
    }

    /// The sum, in fp32, of what the codes of each source stand for, in the order of the sources; takes the place of
    /// the gradient in encodeGradient().
    virtual void encodeCodedSum(int bits, std::int64_t count, int sources, std::int64_t stride, const float* from,
                                float* remainder, float* codes) = 0;
    static KernelWork encodeCodedSumWork(int bits, std::int64_t count, int sources, std::int64_t, const float*, float*,
                                         float*) {
        return {KernelKind::Elementwise, sizeof(float) * (remainders(count) + (sources + 1) * words(bits, count))};
    }

    /// Overwrites `sum`, G, with that sum.
    virtual void decodeCodedSum(int bits, std::int64_t count, int sources, std::int64_t stride, const float* from,
                                Array sum) = 0;
    static KernelWork decodeCodedSumWork(int bits, std::int64_t count, int sources, std::int64_t, const float*,
                                         Array sum) {
        return {KernelKind::Elementwise,
                bytesOf(sum, static_cast<double>(count)) + sizeof(float) * sources * words(bits, count)};
    }

protected:
    ~GradientCodeOps() = default;

private:
    /// They are read and written.
    static double remainders(std::int64_t count) { return 2.0 * static_cast<double>(count); }
    static double words(int bits, std::int64_t count) { return static_cast<double>(gradientCodeWords(bits, count)); }
};

#define SHARDLAB_GRADIENT_CODE_OPS(operation)                                                                          \
    operation(GradientCodeOps, encodeGradient, 5) operation(GradientCodeOps, encodeCodedSum, 7)                        \
        operation(GradientCodeOps, decodeCodedSum, 6)

}  // namespace shardlab::kernels
