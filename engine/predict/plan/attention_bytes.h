// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <cstdint>

namespace shardlab::predict {

/// What the attention of a layout's device needs beside its operands, in bytes: of one layer, one microbatch, one
/// member of a tensor group. b samples, s tokens, N = b·s, a of the member's heads, g of its columns.
///   cpu   keeps all probabilities, b·a·s², with sinks b·a·s(s + 1), in the format of activations; a head's gradients
///         are made apart, s² + s·width fp32, with a cap beside 64 rows of scores; forward masks with dropout 64 rows
///         of probabilities
///   cuda  keeps of each row the logarithm of its sum, b·a·s fp32, and makes the probabilities anew in backward, for
///         which it needs as much again, and 3N·g for the gradient of queries, keys and values
/// Where a context group of c shares it in a ring, N = b·s/c, all devices: log sums b·a·s/c fp32, kept. In passing keys
/// and values twice (the present ones and those that come), 2·2N·g; forward, where activations are not fp32, the output
/// N·g fp32; backward the queries' gradient N·g and that of keys and values three times (made, coming, leaving),
/// 3·2N·g, fp32. And what a block needs, of the CPU's 64 rows two times s/c fp32. Where the group exchanges tokens for
/// heads, what the device needs for all tokens of a/c heads, with the gradient made apart in passing. Besides it keeps
/// 4N·g: queries, keys, values and their output. In passing each exchange has twice what it moves, 3N·g or N·g, and
/// backward the output's gradient N·g while the device makes that of the others.
struct AttentionBytes {
    std::int64_t kept = 0;
    std::int64_t forwardScratch = 0;
    std::int64_t backwardScratch = 0;
    std::int64_t gradientApart = 0;  ///< 0: written over the queries, keys and values
    std::int64_t exchanged = 0;      ///< of kept: queries, keys, values and output of exchanged heads
};
AttentionBytes attentionBytes(const Layout& layout, const TensorShare& share);

}  // namespace shardlab::predict
