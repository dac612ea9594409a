// SPDX-License-Identifier: Apache-2.0
// The weights of an attention, and how wide its heads are. In most attentions queries, keys and values have heads of
// one width, and one product makes all three. A multi-head latent attention (DeepSeek-V2, 2405.04434) makes keys and
// values of all heads from one narrow latent of each token, and queries from another, or straight from the token:
//
//   [a, c, k] = W_down x          widths: query rank (may be 0), kv rank, rope width
//   q = W_q RMSNorm(a), or W_q x  head width + rope width columns a head, of which the last are turned
//   [k', v] = W_kv RMSNorm(c)     head width + value width columns a head
//
// A head's key is k' and the turned k, which all heads share; the output of a head is as wide as its value.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/tensor_share.h"

#include <cstdint>
#include <vector>

namespace shardlab::layout {

/// The model's attention is a multi-head latent attention.
bool latentAttention(const ModelSpec& model);
/// Columns of a head's query, and of its key.
int queryWidth(const ModelSpec& model);
/// Columns of a head's value.
int valueWidth(const ModelSpec& model);
/// How many neighbours of a tensor group share each head of keys, where the group has a multiple of so many members; 1
/// where each member has heads of its own. Sharers divide the queries that read the head. Each makes a range of the
/// columns of its key and value, and all gather these.
int keySharers(int keyHeads, int tensor);
/// Heads of keys that the queries of a member of a tensor group read, and its heads of queries. A member has whole
/// heads of keys with all queries that read them, or shares one with others.
std::int64_t ownKeyHeads(const ModelSpec& model, const TensorShare& share = {});
std::int64_t ownHeads(const ModelSpec& model, const TensorShare& share = {});
/// Columns of an attention's queries: heads · query width.
std::int64_t queryColumns(const ModelSpec& model, const TensorShare& share = {});
/// Columns of the keys that a member's queries read: key heads · query width.
std::int64_t keyColumns(const ModelSpec& model, const TensorShare& share = {});
/// Columns of keys and values together that a member's own product makes.
std::int64_t madeKeyColumns(const ModelSpec& model, const TensorShare& share = {});
/// Columns of them that each member sends where members share heads of keys: as many as the largest makes; 0 elsewhere.
std::int64_t sentKeyColumns(const ModelSpec& model, const TensorShare& share);
/// Columns of an attention's output: heads · value width.
std::int64_t outputColumns(const ModelSpec& model, const TensorShare& share = {});
/// Columns that the down projection of a latent attention makes: query rank + kv rank + rope width.
std::int64_t downColumns(const ModelSpec& model);
/// Columns that a latent attention makes from the latent of keys and values: heads · (head width + value width).
std::int64_t expandedColumns(const ModelSpec& model, const TensorShare& share = {});

/// A matrix of an attention, or a vector, which has no rows; as one member of a tensor group holds it.
struct AttentionTensor {
    enum class Cut : std::uint8_t { Whole, Columns, Rows };
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    Cut cut = Cut::Whole;

    std::int64_t elements() const { return rows > 0 ? rows * columns : columns; }
};
/// The weights of one attention behind its norm, in the order in which they are declared.
std::vector<AttentionTensor> attentionTensors(const ModelSpec& model, const TensorShare& share = {});
/// The elements of all weights of one attention behind its norm.
std::int64_t attentionElements(const ModelSpec& model, const TensorShare& share = {});
/// The elements of an attention's matrices that the members of a tensor group share, or of those that each has whole.
std::int64_t cutAttentionWeights(const ModelSpec& model, const TensorShare& share = {});
std::int64_t wholeAttentionWeights(const ModelSpec& model);

}  // namespace shardlab::layout
