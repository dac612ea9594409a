// SPDX-License-Identifier: Apache-2.0
// How the linear layers of blocks round the factors of their products to 8 bits, and what that takes. A layer y = x·W,
// W [inputs, outputs], has three products: y itself, the input's gradient dy·Wᵀ and the weight's xᵀ·dy.
//
//              x, W in y   dy and W in dy·Wᵀ   x, dy in xᵀ·dy     scale of
//   fp8        E4M3        E5M2 and E4M3       E4M3 and E5M2      a tensor (Transformer Engine's HYBRID)
//   mxfp8      E4M3        E4M3                E4M3               32 numbers along the sum, E8M0 (OCP MX 1.0)
//   fp8-blocks E4M3        E4M3                E4M3               128 numbers along the sum; of W 128 × 128
//                                                                 (DeepSeek-V3, 2412.19437), powers of two
//   fp8-rows   E4M3        E4M3                E4M3               all numbers along the sum, powers of two (torchao's
//                                                                 recipe "rowwise")
//
// Embedding, output projection, norms, the core of attentions and routers of experts stay in the format of compute. A
// tensor, and its tiles, are what one rank holds: of a weight that a tensor group shares, its part.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <cstdint>

namespace shardlab::layout {

/// The engine rounds the factors of the products of linear layers.
bool roundsProducts(const Layout& layout);
bool roundsProducts(const ModelSpec& model, const PrecisionSpec& precision);
/// A tensor has one scale, which may come from the steps before.
bool scalesTensors(ProductFormat format);
/// A row of a factor has one scale, and its columns have others.
bool scalesRows(ProductFormat format);
/// Scales come from the steps before. It says nothing of whether products are rounded.
bool delaysScales(const PrecisionSpec& precision);

/// The numbers that share a scale; 0 stands for all of the matrix.
struct ScaledTile {
    int rows = 0;
    int columns = 0;
};
/// The tile of a factor. `weight`: it is a weight; `downRows`: the product sums over its rows, not its columns.
ScaledTile scaledTile(ProductFormat format, bool weight, bool downRows);

/// A linear layer of a rank: x is at most [rows, inputs].
struct LinearShape {
    std::int64_t rows = 0;
    std::int64_t inputs = 0;
    std::int64_t outputs = 0;
};
/// What a stage has for the two factors of one product at a time, the largest of all its products.
struct FactorRoom {
    std::int64_t codes = 0;  ///< bytes
    std::int64_t tiles = 0;

    void include(ProductFormat format, const LinearShape& layer);
    /// A byte for each code, and for each tile fp32, which is its scale; with E8M0 a byte besides.
    std::int64_t bytes(ProductFormat format) const;
};

/// Factors of a linear layer that have scales: x, W and dy.
inline constexpr int scaledFactors = 3;
/// fp32 of the scale and the history of one factor where scales are delayed; else 0.
std::int64_t historyNumbers(const PrecisionSpec& precision);
/// Bytes that a stage with so many linear layers keeps of each of their factors throughout: histories, the step's
/// largest magnitude, and for each of a step's microbatches how many numbers saturated and became 0.
std::int64_t factorStateBytes(const PrecisionSpec& precision, std::int64_t layers, std::int64_t microbatches);

}  // namespace shardlab::layout
