// SPDX-License-Identifier: Apache-2.0
// What a layer with experts (model/experts_layer.h, model/gate.h) allocates for one microbatch on one member of a
// tensor group, in bytes. Where rows are packed, without a limit of places or with one that a context group shares, and
// experts are spread over ranks or over the parts of a tensor group, there are as many rows as if all experts were
// chosen equally often; a rank that has all experts has memory for the most that there may be.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <cstdint>

namespace shardlab::predict {

struct ExpertBytes {
    std::int64_t gate = 0;        ///< held: scores and routes
    std::int64_t rows = 0;        ///< held, of all experts: what goes in and out, and between their products
    std::int64_t activated = 0;   ///< of those in `rows` and `shared`, what activations make
    std::int64_t floats = 0;      ///< the layer's tokens in fp32, for the gate; 0 where they are
    std::int64_t ownFloats = 0;   ///< of them, the member's own, for the gate's part of their gradient
    std::int64_t gateCopy = 0;    ///< a gate's weight in fp32, for its product; 0 where it is
    std::int64_t gatePart = 0;    ///< its gradient in fp32; 0 where it is
    std::int64_t expansion = 0;   ///< of the weight of one expert's first product, rounded; 0 where it is not
    std::int64_t projection = 0;  ///< of the weight of its second product, rounded; 0 where it is not
    /// Then in forward, until it is decided who goes where: with a cap who of all tokens and experts, and what members
    /// of a context group tell each other.
    std::int64_t deciding = 0;
    std::int64_t weights = 0;   ///< in inputGrad: gradient of the routes' weights
    std::int64_t scratch = 0;   ///< then of one expert, or where rows are packed of all
    std::int64_t gathered = 0;  ///< then the gradient of what went in
    std::int64_t sent = 0;      ///< on its way to or from the ranks of the experts; 0 where this is one for all
    std::int64_t numbers = 0;   ///< held, for dropout within experts: the numbers of rows that came from other ranks
    /// The block of the shared experts: held between its products, in inputGrad beside that, and copies of its weights.
    std::int64_t shared = 0, sharedScratch = 0, sharedExpansion = 0, sharedProjection = 0;
};

ExpertBytes expertBytes(const Layout& layout, int layer, const TensorShare& share);
/// What is dropped within experts follows the numbers of rows, in Shardlab's own layers.
bool dropsByNumber(const Layout& layout);
/// The tokens of other members of a context group compete for the places of experts, in Shardlab's own groups.
bool competesForPlaces(const Layout& layout);
/// What the members of a context group gather before places are given out, of all of them (parallel/context.h).
std::int64_t choicesBytes(const ModelSpec& model, std::int64_t samples, int members);
/// The bytes that count the load of experts in `layers` layers from `first` on, with the biases of their choice.
std::int64_t tallyBytes(const ModelSpec& model, int first, int layers);

}  // namespace shardlab::predict
