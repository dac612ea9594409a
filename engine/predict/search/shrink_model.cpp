// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/shrink_model.h"

#include "engine/layout/attention_shape.h"

#include <algorithm>
#include <cmath>

namespace shardlab::predict {
namespace {

constexpr int headColumns = 16;   ///< of a head, and what every width is a multiple of
constexpr int sampleTokens = 64;  ///< of a sample
constexpr int tokenKinds = 256;   ///< kinds of tokens

/// `width` as a share of the model's hidden columns, in the small model.
int scaled(int width, const ModelSpec& model, int hidden) {
    const double share = static_cast<double>(width) / std::max(1, model.hidden);
    return headColumns * std::max(2, static_cast<int>(std::lround(share * hidden / headColumns)));
}

void shrinkBlock(BlockSpec& block, const ModelSpec& from, int heads) {
    const bool latent = latentAttention(from);
    // Heads that share keys share them two by two.
    if (!latent && block.kvHeads > 0) block.kvHeads = block.kvHeads < from.heads ? heads / 2 : heads;
    // Heads that are wider than hidden ÷ heads stay wider.
    if (block.headWidth > 0) {
        const bool wide = !latent && block.headWidth * from.heads > from.hidden;
        block.headWidth = wide ? 2 * headColumns : headColumns;
    }
    if (block.window > 0) block.window = sampleTokens / 4;
    if (!latent) return;
    block.kvRank = 2 * headColumns;
    if (block.queryRank > 0) block.queryRank = 3 * headColumns;
    block.ropeWidth = headColumns / 2;
    if (block.valueWidth > 0) block.valueWidth = headColumns;
}

void shrinkExperts(MoeSpec& experts, const ModelSpec& from) {
    experts.count = std::min(experts.count, 16);
    experts.groups = std::min(experts.groups, 4);
    experts.topGroups = std::min(experts.topGroups, 2);
    experts.topK = std::min(experts.topK, 4);
    if (hasGroups(from)) experts.topK = std::min(experts.topK, std::max(2, experts.count / experts.groups));
    experts.tokenExperts = std::min(experts.tokenExperts, 2);
    experts.shared = std::min(experts.shared, 1);
    experts.denseLayers = std::min(experts.denseLayers, 1);
    if (experts.width > 0) experts.width = 2 * headColumns;
}

}  // namespace

ModelSpec smallModel(const ModelSpec& model, const ParallelSpec& parallel, int layers) {
    ModelSpec small = model;
    small.layers = layers;
    small.weights.clear();
    if (readsImages(model)) {
        small.hidden = std::min(model.hidden, 8);
        small.cnn.image = 1 << std::max(layers, 4);  // each block halves it
        small.cnn.classes = std::min(model.cnn.classes, 10);
        return small;
    }
    const int sharers = parallel.tensor * (parallel.contextKind == ContextKind::Ulysses ? parallel.context : 1);
    small.heads = std::max(4, 2 * sharers);
    small.hidden = headColumns * small.heads;
    small.sequence = sampleTokens;
    small.vocabulary = tokenKinds;
    for (int& width : small.feedForward) width = scaled(width, model, small.hidden);
    if (small.feedForward.size() > 1 && static_cast<int>(small.feedForward.size()) != layers)
        small.feedForward.resize(1);
    shrinkBlock(small.block, model, small.heads);
    shrinkExperts(small.experts, model);
    return small;
}

}  // namespace shardlab::predict
