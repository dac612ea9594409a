// SPDX-License-Identifier: Apache-2.0
// What follows from a model's sizes: parameters, operations and the floats kept for backward, per stage.
// b samples of a microbatch, s tokens each, N = b·s, h hidden, f width of a layer's feed-forward block (4h where the
// layout lists none), a heads, V vocabulary. Floats are numbers in whatever format; formats.h tells their bytes. A member of a tensor group of t holds of all products' h, f
// and a 1/t (norms and the biases of products cut by rows are whole), of V its range, and where tokens are split N/t of
// what lies between the products.
#pragma once

#include "engine/layout/flat_units.h"
#include "engine/layout/layout.h"

#include <cstdint>
#include <vector>

namespace shardlab {

/// Which part of a stage one rank holds: member `part` of a tensor group of `size`, which splits the tokens between its
/// products too where `sequence`. The default is the whole. The last member is one of those that hold most.
struct TensorShare {
    int size = 1;
    int part = 0;
    bool sequence = false;
};
/// Of member `part`; of the last, the largest, where none is named.
TensorShare tensorShare(const Layout& layout, int part = -1);

/// One stage: `layers` blocks, the embeddings where first, final norm, output and loss where last.
struct StageShape {
    int layers = 0;
    bool first = true;
    bool last = true;
    int firstLayer = 0;  ///< of the whole model
    bool operator==(const StageShape&) const = default;
};

/// Of each block: attention and feed-forward of a gpt, feed-forward of an mlp.
int layersOfBlock(const ModelSpec& model);

/// Shapes of the layout's stages; empty where layers do not divide (check.h).
std::vector<StageShape> stageShapes(const Layout& layout);

/// Of one block. gpt: two norms 4h, qkv 3h² + 3h, attention output h² + h, fc fh + f, projection fh + h.
/// mlp: one norm 2h, fc and projection.
std::int64_t layerParameters(const ModelSpec& model, int layer, const TensorShare& share = {});
/// Token and position embeddings, (V + s)·h.
std::int64_t embeddingParameters(const ModelSpec& model, const TensorShare& share = {});
/// What a stage stores. The output projection is the token embedding: a last stage that is not first holds a copy, V·h.
std::int64_t stageParameters(const ModelSpec& model, const StageShape& stage, const TensorShare& share = {});
/// A stage's parameters in order of declaration, a unit for each layer; embeddings and output have one for each weight.
std::vector<FlatUnit> stageUnits(const ModelSpec& model, const ParallelSpec& parallel, const StageShape& stage,
                                 const TensorShare& share = {});
/// What each layer of a stage (embedding, attention and feed-forward of each block, output) takes of the operations.
std::vector<double> layerShares(const ModelSpec& model, const StageShape& stage, int samples,
                                const TensorShare& share = {});
/// Of it, the elements of those that products read: 4h² + 2hf a gpt block, Vh of the output.
std::int64_t productWeights(const ModelSpec& model, const StageShape& stage, const TensorShare& share = {});
/// Of the whole model, the tied embedding counted once.
std::int64_t modelParameters(const ModelSpec& model);
/// Of the token embedding, shared by first and last stage: V·h.
std::int64_t tiedParameters(const ModelSpec& model, const TensorShare& share = {});

/// Floating point operations of one microbatch's forward; a product [m,k]·[k,n] counts 2mkn. Norms and GeLU, well
/// under a hundredth, are left out. gpt block: 8Nh² + 4Nsh (scores and their product with the values, unmasked)
/// + 4Nhf; mlp block: 4Nhf. Backward is twice the forward: as much for inputs as for weights.
double layerForwardFlops(const ModelSpec& model, int layer, int samples, const TensorShare& share = {});
/// Of it, an attention's core: scores and their product with the values, 4Nsh.
double coreForwardFlops(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Output projection, 2NhV.
double outputForwardFlops(const ModelSpec& model, int samples, const TensorShare& share = {});
double stageForwardFlops(const ModelSpec& model, const StageShape& stage, int samples,
                         const TensorShare& share = {});

/// Floats that a forward leaves for its backward.
/// gpt block: input Nh, norm statistics 2N and output Nh, qkv 3Nh, attention probabilities bas², attention output Nh,
/// residual Nh, second norm 2N and Nh, before GeLU Nf, after Nf. mlp block: input Nh, norm 2N and Nh, Nf, Nf.
std::int64_t layerStoredFloats(const ModelSpec& model, int layer, int samples, const TensorShare& share = {});
/// Of it, an attention's probabilities bas².
std::int64_t probabilityFloats(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Of it, what an attention's core writes: probabilities and attention output.
std::int64_t coreStoredFloats(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Final norm: input Nh, statistics 2N, output Nh; logits, overwritten by their gradient, NV.
std::int64_t headStoredFloats(const ModelSpec& model, int samples, const TensorShare& share = {});
std::int64_t stageStoredFloats(const ModelSpec& model, const StageShape& stage, int samples,
                               const TensorShare& share = {});
/// One microbatch's activation between two stages, Nh.
std::int64_t boundaryFloats(const ModelSpec& model, int samples, const TensorShare& share = {});

}  // namespace shardlab
