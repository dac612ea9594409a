// SPDX-License-Identifier: Apache-2.0
// The number formats that factors of products are rounded to: one table, a row each. fp8.h says what is rounded, and
// which format each factor of a linear layer has.
#pragma once

#include "engine/layout/kind_table.h"
#include "engine/layout/words.h"

#include <cstdint>

namespace shardlab::layout {

/// In which format the products of a block's linear layers read their factors. Sums are taken in fp32. Count is none.
enum class ProductFormat : std::uint8_t {
    Compute,    ///< that of the activations
    Fp8,        ///< E4M3, and E5M2 for gradients
    MxFp8,      ///< E4M3 (OCP MX 1.0)
    NvFp4,      ///< 4 bits
    Fp8Blocks,  ///< E4M3 (DeepSeek-V3, 2412.19437)
    Fp8Rows,    ///< E4M3 (torchao's recipe "rowwise")
    Count
};

/// How many numbers of a factor share a scale, along the product's sum and across it; 0 stands for all.
struct ScaleTile {
    int along = 0;
    int across = 0;
};

struct ProductTraits {
    std::string_view word;
    int bits = 16;               ///< of a number
    int scaleBits = 0;           ///< of a scale: fp32, or 8 that tensor cores read beside the codes
    ScaleTile tokens, weight;    ///< of an input or a gradient, and of a weight
    bool wideGradients = false;  ///< gradients are E5M2
    bool powers = true;          ///< scales are powers of two
    bool rounds = true;          ///< Shardlab's own engine rounds to it; of others it predicts times
};

inline constexpr KindTable<ProductFormat, ProductTraits> productTraits({
    {ProductFormat::Compute, {.word = "compute", .rounds = false}},
    {ProductFormat::Fp8, {.word = "fp8", .bits = 8, .scaleBits = 32, .wideGradients = true, .powers = false}},
    {ProductFormat::MxFp8, {.word = "mxfp8", .bits = 8, .scaleBits = 8, .tokens = {32, 1}, .weight = {32, 1}}},
    {ProductFormat::NvFp4,
     {.word = "nvfp4", .bits = 4, .scaleBits = 8, .tokens = {16, 1}, .weight = {16, 1}, .rounds = false}},
    {ProductFormat::Fp8Blocks,
     {.word = "fp8-blocks", .bits = 8, .scaleBits = 32, .tokens = {128, 1}, .weight = {128, 128}}},
    {ProductFormat::Fp8Rows, {.word = "fp8-rows", .bits = 8, .scaleBits = 32, .tokens = {0, 1}, .weight = {0, 1}}},
});
template <>
inline constexpr auto layoutWords<ProductFormat> = wordsOf(productTraits);

constexpr const ProductTraits& traits(ProductFormat format) { return productTraits[format]; }

/// Tensor cores read the scales of blocks beside the codes. Those that do multiply numbers of 4 bits too.
constexpr bool scalesInHardware(ProductFormat format) { return traits(format).scaleBits == 8; }

}  // namespace shardlab::layout
