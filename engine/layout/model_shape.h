// SPDX-License-Identifier: Apache-2.0
// What follows from a model's sizes: parameters, operations and the floats kept for backward, per stage.
// b samples of a microbatch, s tokens each, N = b·s, h hidden, f width of a layer's feed-forward block (4h where the
// layout lists none), a heads, V vocabulary. Of a cnn (cnn_shape.h) a sample counts as one token, V is classes and h,
// above the blocks, its features. Floats are numbers in whatever format; formats.h tells their bytes. A member of a
// tensor group of t holds of all products' h, f and a 1/t (norms and the biases of products cut by rows are whole), of
// V its range, and where tokens are split N/t of what lies between the products. Of a context group of c each has N/c
// tokens, whose attention meets all s.
#pragma once

#include "engine/layout/flat_units.h"
#include "engine/layout/layout.h"

#include <cstdint>
#include <vector>

namespace shardlab {

/// Which part of a stage one rank holds: its share of the experts; of the rest member `part` of a tensor group of
/// `size`, which splits the tokens between its products too where `sequence`. The default is the whole. The last member
/// is one of those that hold most.
struct TensorShare {
    int size = 1;
    int part = 0;
    bool sequence = false;
    int context = 1;  ///< ranks that share each sample's tokens: N is b·s ÷ that
    int expert = 1;   ///< ranks that experts are spread over: of n experts it holds n ÷ that
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

/// Its lowest layer turns tokens into activations; of a cnn none does.
bool embeds(const ModelSpec& model, const StageShape& stage);
/// Numbers of a token, or of an image, that the last stage's norm and projection take: h, or a cnn's features.
std::int64_t outputWidth(const ModelSpec& model);
/// All but the blocks of mlp and cnn.
bool hasAttention(const ModelSpec& model);
/// Blocks of a llama: no biases, norms without a shift or a mean, no learned positions, gated feed-forward blocks,
/// rotated queries and keys.
bool isLlama(const ModelSpec& model);
/// Columns of an attention's keys, and of its values: g = h · key heads ÷ heads.
std::int64_t keyColumns(const ModelSpec& model);
/// Numbers a row that a norm keeps of it: mean and reciprocal deviation, or the latter alone; and a column that it
/// learns.
int normNumbers(const ModelSpec& model);
/// Columns of each matrix of a gate: of scores, and of the noise on them where there is some; of experts, then of
/// groups.
std::vector<int> gateWidths(const ModelSpec& model);
/// Of all of them.
std::int64_t gateColumns(const ModelSpec& model);
/// Rows of all experts of a layer, for one microbatch: experts · b · places. They are computed whether taken or not.
std::int64_t expertRows(const ModelSpec& model, int samples);
/// Of each block: attention and feed-forward of a gpt, feed-forward of an mlp, all of a cnn's block.
int layersOfBlock(const ModelSpec& model);

/// Shapes of the layout's stages; empty where layers do not divide (check.h).
std::vector<StageShape> stageShapes(const Layout& layout);

/// Of one block. gpt: two norms 4h, qkv 3h² + 3h, attention output h² + h, fc fh + f, projection fh + h.
/// llama: two norms 2h, qkv h(h + 2g), output h², gate and up 2fh, down fh; g columns of its keys, or values.
/// mlp: one norm 2h, fc and projection. cnn: as cnn_shape.h says. With n experts: gate hn, of noise another, and n
/// times fc and projection.
std::int64_t layerParameters(const ModelSpec& model, int layer, const TensorShare& share = {});
/// Token and position embeddings, (V + s)·h; llama's tokens alone, V·h; of a cnn none.
std::int64_t embeddingParameters(const ModelSpec& model, const TensorShare& share = {});
/// What a stage stores. The output projection is the token embedding: a last stage that is not first holds a copy, V·h.
/// Of llama it is a matrix of its own.
std::int64_t stageParameters(const ModelSpec& model, const StageShape& stage, const TensorShare& share = {});
/// Of it, what belongs to experts of which other ranks hold others; 0 where all are here.
std::int64_t spreadParameters(const ModelSpec& model, const StageShape& stage, const TensorShare& share);
/// A stage's parameters as they lie, a unit for each layer; embeddings and output have one for each weight. Where
/// experts are spread over ranks, theirs are units of their own, behind all others.
std::vector<FlatUnit> stageUnits(const ModelSpec& model, const ParallelSpec& parallel, const StageShape& stage,
                                 const TensorShare& share = {});
/// Of them, those that replica `replica` updates: its shards, without ZeRO all.
std::int64_t updatedParameters(const Layout& layout, const StageShape& stage, const TensorShare& share, int replica);
/// What Adafactor and SM3 count of a stage's parameters: rows and columns of its matrices, elements of its vectors.
struct FactoredNumbers {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t elements = 0;
    std::int64_t tensors = 0;  ///< matrices and vectors
    std::int64_t parts =
        0;                 ///< of a tensor group's members: rows of what is cut by columns, columns of what is by rows
    std::int64_t cut = 0;  ///< and how many of the tensors are cut

    std::int64_t sum() const { return rows + columns + elements; }
    FactoredNumbers& operator+=(const FactoredNumbers& other);
};
/// Of each of stageUnits(), in their order. The token embedding's parts are its h columns.
std::vector<FactoredNumbers> factoredUnits(const ModelSpec& model, const StageShape& stage,
                                           const TensorShare& share = {});
/// What each layer of a stage (embedding, attention and feed-forward of each block, output) takes of the operations.
std::vector<double> layerShares(const ModelSpec& model, const StageShape& stage, int samples,
                                const TensorShare& share = {});
/// Of it, the elements of those that products read: 4h² + 2hf a gpt block, Vh of the output.
std::int64_t productWeights(const ModelSpec& model, const StageShape& stage, const TensorShare& share = {});
/// Of the whole model, a tied embedding counted once.
std::int64_t modelParameters(const ModelSpec& model);
/// Of the token embedding, shared by first and last stage, or of the output projection of a llama or cnn: V·h.
std::int64_t tableParameters(const ModelSpec& model, const TensorShare& share = {});

/// Floating point operations of one microbatch's forward; a product [m,k]·[k,n] counts 2mkn. Norms and GeLU, well
/// under a hundredth, are left out. gpt block: 8Nh² + 4Nsh (scores and their product with the values, unmasked)
/// + 4Nhf; llama block: 4Nh² + 4Nhg + 4Nsh + 6Nhf; mlp block: 4Nhf; with n experts that have R rows 2Nhn of the gate +
/// 4Rhf. Backward is twice the forward: as much for inputs as for weights.
double layerForwardFlops(const ModelSpec& model, int layer, int samples, const TensorShare& share = {});
/// Of a stage's forward, what experts compute in rows that no token asked for, where all tokens find a place.
double idleExpertFlops(const ModelSpec& model, const StageShape& stage, int samples);
/// Of it, an attention's core: scores and their product with the values, 4Nsh.
double coreForwardFlops(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Output projection, 2NhV.
double outputForwardFlops(const ModelSpec& model, int samples, const TensorShare& share = {});
double stageForwardFlops(const ModelSpec& model, const StageShape& stage, int samples, const TensorShare& share = {});

/// Floats that a forward leaves for its backward.
/// gpt block: input Nh, norm statistics 2N and output Nh, qkv 3Nh, attention probabilities bas², attention output Nh,
/// residual Nh, second norm 2N and Nh, before GeLU Nf, after Nf. llama block: statistics N, qkv N(h + 2g), before the
/// gate 2Nf, after it Nf, else the same. mlp block: input Nh, norm 2N and Nh, Nf, Nf. With n experts, instead of 2Nf:
/// scores Nn (twice with noise), routes of k choices 2Nk + R + 2bn, R rows of 2h + 2f.
std::int64_t layerStoredFloats(const ModelSpec& model, int layer, int samples, const TensorShare& share = {});
/// Of it, an attention's probabilities bas²; none where a context group shares it.
std::int64_t probabilityFloats(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Beside it, what llama's attention makes of its queries, keys and values for as long as it reads them, 3Nh: rotated,
/// and keys and values once for each head of queries. 0 of other models, which keep them as they are read.
std::int64_t spreadAttentionFloats(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Of what is kept, what an attention's core writes: probabilities and attention output.
std::int64_t coreStoredFloats(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Final norm: input Nh, statistics 2N, output Nh; logits, overwritten by their gradient, NV.
std::int64_t headStoredFloats(const ModelSpec& model, int samples, const TensorShare& share = {});
std::int64_t stageStoredFloats(const ModelSpec& model, const StageShape& stage, int samples,
                               const TensorShare& share = {});
/// One microbatch's activation that block `above` takes from the one below, Nh: what goes between two stages. Of a cnn
/// it is smaller the higher they are.
std::int64_t boundaryFloats(const ModelSpec& model, int above, int samples, const TensorShare& share = {});

}  // namespace shardlab
