// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/attention_shape.h"

#include "engine/layout/block_parts.h"

namespace shardlab::layout {

bool latentAttention(const ModelSpec& model) { return blockParts(model).latent; }

int queryWidth(const ModelSpec& model) {
    return headWidth(model) + (latentAttention(model) ? model.block.ropeWidth : 0);
}

int valueWidth(const ModelSpec& model) {
    return latentAttention(model) && model.block.valueWidth > 0 ? model.block.valueWidth : headWidth(model);
}

int keySharers(int keyHeads, int tensor) {
    return keyHeads > 0 && tensor > keyHeads && tensor % keyHeads == 0 ? tensor / keyHeads : 1;
}

std::int64_t ownKeyHeads(const ModelSpec& model, const TensorShare& share) {
    const int keys = keyHeads(model);
    return keySharers(keys, share.size) > 1 ? 1 : share.of(keys);
}

std::int64_t ownHeads(const ModelSpec& model, const TensorShare& share) {
    return share.of(model.heads, keySharers(keyHeads(model), share.size) > 1 ? 1 : queriesOfKey(model));
}

std::int64_t queryColumns(const ModelSpec& model, const TensorShare& share) {
    return queryWidth(model) * ownHeads(model, share);
}

std::int64_t keyColumns(const ModelSpec& model, const TensorShare& share) {
    return queryWidth(model) * ownKeyHeads(model, share);
}

std::int64_t madeKeyColumns(const ModelSpec& model, const TensorShare& share) {
    const int sharers = keySharers(keyHeads(model), share.size);
    const std::int64_t read = 2 * keyColumns(model, share);
    return rangeSize(read, sharers, share.part % sharers);
}

std::int64_t sentKeyColumns(const ModelSpec& model, const TensorShare& share) {
    return keySharers(keyHeads(model), share.size) > 1 ? madeKeyColumns(model, share.largest()) : 0;
}

std::int64_t outputColumns(const ModelSpec& model, const TensorShare& share) {
    return valueWidth(model) * ownHeads(model, share);
}

std::int64_t downColumns(const ModelSpec& model) {
    return std::int64_t{model.block.queryRank} + model.block.kvRank + model.block.ropeWidth;
}

std::int64_t expandedColumns(const ModelSpec& model, const TensorShare& share) {
    return (headWidth(model) + valueWidth(model)) * ownHeads(model, share);
}

std::vector<AttentionTensor> attentionTensors(const ModelSpec& model, const TensorShare& share) {
    using enum AttentionTensor::Cut;
    const BlockParts parts = blockParts(model);
    const BlockSpec& block = model.block;
    const std::int64_t h = model.hidden, queries = queryColumns(model, share), out = outputColumns(model, share);
    std::vector<AttentionTensor> all;
    all.reserve(8);
    if (parts.latent) {
        all.push_back({h, downColumns(model), Whole});
        if (block.queryRank > 0) all.push_back({0, block.queryRank, Whole});
        all.push_back({block.queryRank > 0 ? block.queryRank : h, queries, Columns});
        all.push_back({0, block.kvRank, Whole});
        all.push_back({block.kvRank, expandedColumns(model, share), Columns});
        if (parts.sinks) all.push_back({0, ownHeads(model, share), Columns});
        all.push_back({out, h, Rows});
        return all;
    }
    const std::int64_t joined = queries + madeKeyColumns(model, share);
    all.push_back({h, joined, Columns});
    if (parts.qkvBias) all.push_back({0, joined, Columns});
    if (parts.queryKeyNorms) all.insert(all.end(), 2, {0, headWidth(model), Whole});
    if (parts.sinks) all.push_back({0, ownHeads(model, share), Columns});
    all.push_back({out, h, Rows});
    if (parts.biases) all.push_back({0, h, Whole});
    return all;
}

std::int64_t attentionElements(const ModelSpec& model, const TensorShare& share) {
    std::int64_t sum = 0;
    for (const AttentionTensor& tensor : attentionTensors(model, share)) sum += tensor.elements();
    return sum;
}

std::int64_t cutAttentionWeights(const ModelSpec& model, const TensorShare& share) {
    std::int64_t sum = 0;
    for (const AttentionTensor& tensor : attentionTensors(model, share))
        if (tensor.rows > 0 && tensor.cut != AttentionTensor::Cut::Whole) sum += tensor.elements();
    return sum;
}

std::int64_t wholeAttentionWeights(const ModelSpec& model) {
    std::int64_t sum = 0;
    for (const AttentionTensor& tensor : attentionTensors(model))
        if (tensor.rows > 0 && tensor.cut == AttentionTensor::Cut::Whole) sum += tensor.elements();
    return sum;
}

}  // namespace shardlab::layout
