// SPDX-License-Identifier: Apache-2.0
// Gradients in 8, 4 or 1 bit each, in the processor's memory. Blocks of layout::codeBlock neighbouring elements share a
// scale s of fp32. Of the numbers a of a block, and the codes c that stand for c·s:
//   8 and 4 bits  s = max|a| ÷ L, L = 127 and 7;  c = a ÷ s rounded to the nearest whole number, ties to even
//   1 bit         s = mean|a|, summed in double;  c = −1 where a < 0, else 1
// The quotient is a product with 1 ÷ s, rounded to fp32. A scale that is no normal number counts as 0, and so do the
// codes of 8 and 4 bits then. The scales of all blocks come first, then the codes: bytes of two's complement; halves of
// bytes, the lower first; bits, the lowest first, which are set where c = −1.
#pragma once

#include "engine/layout/coded_exchange.h"
#include "kernels/array.h"

#include <span>

namespace shardlab::train {

/// a := gradient + remainder; writes the codes of a, and remainder := a − what they stand for. `codes` has codeWords().
/// Where a block holds a number that is not finite, its scale is not-a-number, for all who read it, and its remainder
/// stays as it was.
void encode(ExchangeFormat format, ConstArraySpan gradient, std::span<float> remainder, std::span<float> codes);

using CodeSources = std::span<const std::span<const float>>;

/// The sum, in fp32, of what the codes of each source stand for, in the order of the sources; takes the place of the
/// gradient in encode().
void encodeSum(ExchangeFormat format, CodeSources sources, std::span<float> remainder, std::span<float> codes);

/// Overwrites `sum`, of any type, with that sum.
void decodeSum(ExchangeFormat format, CodeSources sources, ArraySpan sum);

}  // namespace shardlab::train
