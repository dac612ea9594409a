// SPDX-License-Identifier: Apache-2.0
// What follows from a model's sizes: parameters, operations and the floats kept for backward, per stage.
// A microbatch has b samples of s tokens, N = b·s; h is the hidden width, f the width of a layer's feed-forward block
// (4h where the layout lists none), a the number of heads, V the vocabulary. In a cnn (cnn_shape.h) a sample counts as
// one token, V is the number of classes, and h, above the blocks, that of features. An attention has q = a · head width
// columns of queries, which are h unless the layout says otherwise, and g of keys. Floats are numbers in whatever
// format; formats.h has their bytes. A member of a tensor group of t holds its range of f, of V and of the heads, with
// q and g (norms, gates, and the biases of products that are cut by rows, are whole), and where tokens are split N/t of
// what lies between the products. A member of a context group of c has N/c tokens, each of which attends
// to all s.
#pragma once

#include "engine/layout/attention_shape.h"
#include "engine/layout/flat_units.h"
#include "engine/layout/layout.h"
#include "engine/layout/tensor_share.h"

#include <cstdint>
#include <vector>

namespace shardlab::layout {

/// One stage: `layers` blocks, the embeddings where first, final norm, output and loss where last. The blocks of
/// modules (predictionModules) are the highest of the last stage.
struct StageShape {
    int layers = 0;
    bool first = true;
    bool last = true;
    int firstLayer = 0;  ///< its lowest block, counted over the whole model
    bool operator==(const StageShape&) const = default;
};

/// The stage's lowest layer turns tokens into activations; a cnn has no such layer.
bool embeds(const ModelSpec& model, const StageShape& stage);
/// Numbers of a token, or of an image, that the last stage's norm and projection take: h, or the features of a cnn.
std::int64_t outputWidth(const ModelSpec& model);
/// Blocks have an attention: those of mlp and cnn have none.
bool hasAttention(const ModelSpec& model);
/// Each attention exchanges tokens for heads within its context group (Ulysses).
bool exchangesHeads(const Layout& layout);
/// BlockParts::normNumbers() of the model.
int normNumbers(const ModelSpec& model);
/// Numbers that the norms of queries and keys learn: 2 · head width; 0 where there are none.
std::int64_t queryKeyNormParameters(const ModelSpec& model);
/// Columns of each matrix of a gate: the scores of experts, and the noise on them where there is some; then the same
/// for groups.
std::vector<int> gateWidths(const ModelSpec& model);
/// Columns of all matrices of a gate together.
std::int64_t gateColumns(const ModelSpec& model);
/// Numbers of the bias that a gate's scores of experts learn; 0 where they have none.
inline int scoreBiases(const ModelSpec& model) { return model.experts.scoreBias ? model.experts.count : 0; }
/// Columns of an expert's or a feed-forward block's activation, and of the shared block's, that a tensor member holds.
std::int64_t ownWidth(const ModelSpec& model, int layer, const TensorShare& share);
std::int64_t ownSharedWidth(const ModelSpec& model, int layer, const TensorShare& share);
/// Rows of all experts of a layer, for one microbatch: experts · b · places, which are computed whether taken or not; N
/// · choices where dropless. Where a context group shares the places, the most that the tokens of a member can have.
std::int64_t routedRows(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Rows of experts that a rank computes: its fold's part of all. Where a context group shares the places, and where
/// experts are spread over ranks and dropless, a rank has so many if all experts are chosen equally often.
std::int64_t expertRows(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Layers of each block: 2 in a gpt (attention and feed-forward), 1 in an mlp and in a cnn.
int layersOfBlock(const ModelSpec& model);

/// Weights of the product of 2h × h, which no tensor group cuts, by which a module's block (ofModule) joins what the
/// block below makes with the embedding of the token that is known by then (train/model/prediction_layer.h): 2h²; 0 in
/// other blocks.
inline std::int64_t joinWeights(const ModelSpec& model, int layer) {
    return ofModule(model, layer) ? std::int64_t{2} * model.hidden * model.hidden : 0;
}
/// Norms of that join.
inline constexpr int joinNorms = 3;

/// Shapes of the layout's stages; empty where layers do not divide (check.h).
std::vector<StageShape> stageShapes(const Layout& layout);

/// Parameters of one block. gpt: two norms 4h, qkv 3h² + 3h, attention output h² + h, fc fh + f, projection fh + h.
/// llama: two norms 2h, qkv h(q + 2g), output qh, gate and up 2fh, down fh. Other parts (block_parts.h) count likewise,
/// and those of a latent attention as attention_shape.h lists them.
/// mlp: one norm 2h, fc and projection. cnn: as cnn_shape.h says. With n experts: gate hn, as much again where it
/// has noise, n where its scores have a bias, and n times fc and projection; s shared experts are one block of width
/// sf.
std::int64_t layerParameters(const ModelSpec& model, int layer, const TensorShare& share = {});
/// Parameters of token and position embeddings, (V + s)·h; of tokens alone, V·h, where positions are not learned; none
/// in a cnn.
std::int64_t embeddingParameters(const ModelSpec& model, const TensorShare& share = {});
/// The stage's first module brings a copy of the token embedding, V·h.
inline bool moduleHasTable(const ModelSpec& model, const StageShape& stage) {
    return stage.last && !stage.first && predictionModules(model) > 0;
}
/// The stage's output brings a table of V·h: its own, or a copy of the token embedding.
inline bool outputHasTable(const ModelSpec& model, const StageShape& stage) {
    return stage.last && !(tiesEmbedding(model) && (stage.first || predictionModules(model) > 0));
}
/// Parameters that a stage stores. Where the output projection is the token embedding, or a module embeds tokens, a
/// last stage that is not first holds a copy, V·h; where it is not, the output projection is a matrix of its own.
std::int64_t stageParameters(const ModelSpec& model, const StageShape& stage, const TensorShare& share = {});
/// Parameters of a stage that belong to experts, where experts are spread over ranks; 0 where each rank holds all.
std::int64_t spreadParameters(const ModelSpec& model, const StageShape& stage, const TensorShare& share);
/// A stage's parameters as they lie, a unit for each layer; embeddings and output have one for each weight. Where
/// experts are spread over ranks, theirs are units of their own, behind all others.
std::vector<FlatUnit> stageUnits(const ModelSpec& model, const ParallelSpec& parallel, const StageShape& stage,
                                 const TensorShare& share = {});
/// Parameters of a stage that replica `replica` updates: its shards with ZeRO, otherwise all.
std::int64_t updatedParameters(const Layout& layout, const StageShape& stage, const TensorShare& share, int replica);
/// updatedParameters() of a layout with ZeRO, where the stage's units are known.
std::int64_t updatedParameters(const Layout& layout, const std::vector<FlatUnit>& units, int replica);
/// Share of the operations that each layer of a stage (embedding, attention and feed-forward of each block, output)
/// has.
std::vector<double> layerShares(const ModelSpec& model, const StageShape& stage, int samples,
                                const TensorShare& share = {});
/// Parameters of a stage that matrix products read: 2h(q + g) + 2hf in a block, hf more with a gate; Vh in the output,
/// for each of its products.
std::int64_t productWeights(const ModelSpec& model, const StageShape& stage, const TensorShare& share = {});
/// Numbers of a stage's biases of the choice (biasesChoice), which are no parameters: no gradient moves them.
std::int64_t choiceBiases(const ModelSpec& model, const StageShape& stage);
/// Experts of a layer that a member of an expert group holds.
int ownExperts(const ModelSpec& model, const TensorShare& share);
/// Parameters of one expert of a layer.
std::int64_t parametersOfExpert(const ModelSpec& model, int layer);
/// Parameters of the whole model; a tied embedding counts once.
std::int64_t modelParameters(const ModelSpec& model);
/// Parameters of the token embedding, which first and last stage share, or of an output projection of its own: V·h.
std::int64_t tableParameters(const ModelSpec& model, const TensorShare& share = {});

/// Floating point operations of one microbatch's forward; a product [m,k]·[k,n] counts 2mkn. Norms and GeLU, well
/// under a hundredth, are left out. Attention: 4Nh(q + g) + 4Nsq (scores and their product with the values, unmasked);
/// feed-forward block: 4Nhf, with a gate 6Nhf; with n experts that have R rows, and s shared ones, 2Nhn of the gate +
/// 4(R + sN)hf. A latent attention: 2N a weight, of which each member of a tensor group does those of the down
/// projection for its own tokens, and 2Ns(q + v) with v columns of values. Backward is twice the forward: as much for
/// inputs as for weights.
double layerForwardFlops(const ModelSpec& model, int layer, int samples, const TensorShare& share = {});
/// Operations of a stage's forward that experts spend on rows that no token asked for, where all tokens find a place.
double idleExpertFlops(const ModelSpec& model, const StageShape& stage, int samples);
/// Operations of an attention's core: scores and their product with the values, 4Nsq; with a window w in the place of
/// s. Where layers differ, their mean.
double coreForwardFlops(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Operations that Shardlab's own core does besides, where values are narrower than queries: its kernels take both as
/// wide, and the columns between are zeros. 2Nsq − 2Nsv.
double paddedCoreFlops(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Operations of the output projection, 2NhV, and as many for each module.
double outputForwardFlops(const ModelSpec& model, int samples, const TensorShare& share = {});
double stageForwardFlops(const ModelSpec& model, const StageShape& stage, int samples, const TensorShare& share = {});
/// Operations of a stage's forward on the tensor member that has most, for each that the members have on average.
double unevenness(const Layout& layout, const StageShape& stage);

/// Floats that a layer's forward leaves for its backward.
/// Block: input Nh, norm statistics 2N (N with RMSNorm) and output Nh, qkv N(q + 2g), attention probabilities bas²,
/// attention output Nq, residual Nh, second norm likewise, before the activation Nf (2Nf with a gate), after it Nf. mlp
/// block: input Nh, norm 2N and Nh, Nf, Nf. With n experts, instead of 2Nf:
/// scores Nn (twice with noise), routes of k choices 2Nk + R + 2bn, R rows of 2h + 2f (3f with a gate), and of s shared
/// experts N rows of 2sf (3sf). Latent attention, instead of qkv: what the down projection makes, the latents again
/// behind their norms, statistics of these, queries, keys and values.
std::int64_t layerStoredFloats(const ModelSpec& model, int layer, int samples, const TensorShare& share = {});
/// Floats of those that the second half of a block of text leaves, with its input: its feed-forward block or experts.
std::int64_t secondHalfStoredFloats(const ModelSpec& model, int layer, int samples, const TensorShare& share = {});
/// Floats of an attention's probabilities, bas², with sinks ba·s(s + 1); none where a context group divides the
/// attention.
std::int64_t probabilityFloats(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Floats that an attention with rotary positions makes from its queries, keys and values for as long as it reads them,
/// 3Nq: they are turned, and keys and values are there once for each head of queries, values as wide as queries. 0
/// where positions are not rotary: what is kept is read.
std::int64_t spreadAttentionFloats(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Floats among the stored ones that an attention's core writes: probabilities and attention output.
std::int64_t coreStoredFloats(const ModelSpec& model, int samples, const TensorShare& share = {});
/// Floats that the output leaves for its backward. Final norm: input Nh, statistics 2N, output Nh; logits, which their
/// gradient overwrites, NV, where a row of V takes logitStride(V). For each module Nh and NV more.
std::int64_t headStoredFloats(const ModelSpec& model, int samples, const TensorShare& share = {});
std::int64_t stageStoredFloats(const ModelSpec& model, const StageShape& stage, int samples,
                               const TensorShare& share = {});
/// Floats of one microbatch that block `above` takes from the one below, Nh: what goes between two stages. In a cnn
/// they are fewer the higher the block is.
std::int64_t boundaryFloats(const ModelSpec& model, int above, int samples, const TensorShare& share = {});

}  // namespace shardlab::layout
