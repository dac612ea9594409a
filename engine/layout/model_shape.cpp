// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/model_shape.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/cnn_shape.h"
#include "engine/layout/logit_rows.h"

#include <algorithm>
#include <numeric>

namespace shardlab::layout {
namespace {

std::int64_t tokens(const ModelSpec& model, int samples, const TensorShare& share = {}) {
    return std::int64_t{samples} * sampleTargets(model) / share.context;
}

std::int64_t ownTokens(const ModelSpec& model, int samples, const TensorShare& share) {
    return tokens(model, samples, share) / (share.sequence ? share.size : 1);
}

std::int64_t vocabularyOf(const ModelSpec& model, const TensorShare& share) { return share.of(targetKinds(model)); }

/// Sum over the stage's layers; one stands for those above it that are alike.
template <class T, class OfLayer>
T layerSum(const ModelSpec& model, const StageShape& stage, OfLayer ofLayer) {
    if (evenLayers(model)) return static_cast<T>(stage.layers) * ofLayer(stage.firstLayer);
    T sum = 0, each = 0;
    for (int layer = stage.firstLayer; layer < stage.firstLayer + stage.layers; ++layer, sum += each)
        if (layer == stage.firstLayer || !sameShapes(model, layer, layer - 1)) each = ofLayer(layer);
    return sum;
}

}  // namespace

int ownExperts(const ModelSpec& model, const TensorShare& share) { return model.experts.count / share.expert; }

bool hasAttention(const ModelSpec& model) { return traits(model.kind).attention; }

bool exchangesHeads(const Layout& layout) {
    return hasAttention(layout.model) && layout.parallel.context > 1 &&
           layout.parallel.contextKind == ContextKind::Ulysses;
}

bool embeds(const ModelSpec& model, const StageShape& stage) { return stage.first && !readsImages(model); }

std::int64_t outputWidth(const ModelSpec& model) {
    return readsImages(model) ? blockInputFloats(model, model.layers) : model.hidden;
}

int normNumbers(const ModelSpec& model) { return blockParts(model).normNumbers(); }

std::int64_t queryKeyNormParameters(const ModelSpec& model) {
    return blockParts(model).queryKeyNorms ? 2 * std::int64_t{headWidth(model)} : 0;
}

std::vector<int> gateWidths(const ModelSpec& model) {
    const std::size_t each = noisyGate(model) ? 2 : 1;
    std::vector<int> widths(each, model.experts.count);
    if (hasGroups(model)) widths.insert(widths.end(), each, model.experts.groups);
    return widths;
}

std::int64_t gateColumns(const ModelSpec& model) {
    const std::int64_t groups = hasGroups(model) ? model.experts.groups : 0;
    return (noisyGate(model) ? 2 : 1) * (model.experts.count + groups);
}

std::int64_t routedRows(const ModelSpec& model, int samples, const TensorShare& share) {
    const std::int64_t chosen = tokens(model, samples, share) * expertChoices(model);
    if (dropless(model)) return chosen;
    const std::int64_t ofEach = std::int64_t{model.experts.count} * samples;
    if (share.context == 1) return ofEach * expertCapacity(model);
    return std::min(chosen, ofEach * std::min(expertCapacity(model), model.sequence / share.context));
}

std::int64_t expertRows(const ModelSpec& model, int samples, const TensorShare& share) {
    std::int64_t rows = routedRows(model, samples, share);
    if (share.context > 1 && !dropless(model)) rows = std::min(rows, routedRows(model, samples, {}) / share.context);
    return rows / share.folds;
}

int layersOfBlock(const ModelSpec& model) { return hasAttention(model) ? 2 : 1; }

namespace {

std::int64_t normParameters(const ModelSpec& model) { return normNumbers(model) * outputWidth(model); }

/// Parameters of one feed-forward block, or of one expert, of width `f`.
std::int64_t blockParameters(const ModelSpec& model, std::int64_t f) {
    const BlockParts parts = blockParts(model);
    const std::int64_t h = model.hidden, matrices = parts.feedForwardMatrices();
    return matrices * f * h + (parts.biases ? (matrices - 1) * f + h : 0);
}

/// Columns of the queries, keys and values that one member of a tensor group keeps.
std::int64_t attentionColumns(const ModelSpec& model, const TensorShare& share) {
    return queryColumns(model, share) +
           (latentAttention(model) ? expandedColumns(model, share) : 2 * keyColumns(model, share));
}

/// Elements of the matrices of an attention's products.
std::int64_t attentionWeights(const ModelSpec& model, const TensorShare& share) {
    return cutAttentionWeights(model, share) + wholeAttentionWeights(model);
}

/// Columns of the latents behind their norms, and the norms' statistics, of a token.
std::int64_t latentColumns(const ModelSpec& model) {
    if (!latentAttention(model)) return 0;
    return std::int64_t{model.block.queryRank} + model.block.kvRank + (model.block.queryRank > 0 ? 2 : 1);
}

/// Norm, gate, shared and other experts, or the one block.
std::int64_t feedForwardParameters(const ModelSpec& model, int layer, const TensorShare& share) {
    const std::int64_t block = blockParameters(model, ownWidth(model, layer, share));
    if (!hasExperts(model, layer)) return normParameters(model) + block;
    const std::int64_t shared = ownSharedWidth(model, layer, share);
    return normParameters(model) + model.hidden * gateColumns(model) + scoreBiases(model) +
           (shared > 0 ? blockParameters(model, shared) : 0) + ownExperts(model, share) * block;
}

/// Parameters of a layer's experts, where other ranks hold other experts.
std::int64_t spreadParameters(const ModelSpec& model, int layer, const TensorShare& share) {
    if (share.spread() == 1 || !hasExperts(model, layer)) return 0;
    return ownExperts(model, share) * blockParameters(model, ownWidth(model, layer, share));
}

}  // namespace

std::int64_t ownWidth(const ModelSpec& model, int layer, const TensorShare& share) {
    const std::int64_t width = feedForwardWidth(model, layer);
    return hasExperts(model, layer) ? share.ofColumns(width) : share.of(width);
}

std::int64_t ownSharedWidth(const ModelSpec& model, int layer, const TensorShare& share) {
    return share.of(sharedWidth(model, layer));
}

namespace {

/// A block's attention, whose `elements` are the same in each block, with its norm and what joins a module.
std::int64_t attentionParameters(const ModelSpec& model, int layer, std::int64_t elements) {
    return normParameters(model) + joinWeights(model, layer) +
           (ofModule(model, layer) ? joinNorms * normParameters(model) : 0) + elements;
}

}  // namespace

std::int64_t layerParameters(const ModelSpec& model, int layer, const TensorShare& share) {
    if (readsImages(model)) return blockParameterCount(model, layer);
    const std::int64_t attention =
        hasAttention(model) ? attentionParameters(model, layer, attentionElements(model, share)) : 0;
    return feedForwardParameters(model, layer, share) + attention;
}

std::int64_t tableParameters(const ModelSpec& model, const TensorShare& share) {
    return vocabularyOf(model, share) * outputWidth(model);
}

std::int64_t embeddingParameters(const ModelSpec& model, const TensorShare& share) {
    if (readsImages(model)) return 0;
    const std::int64_t positions = blockParts(model).learnsPositions() ? model.sequence : 0;
    return tableParameters(model, share) + positions * model.hidden;
}

std::int64_t stageParameters(const ModelSpec& model, const StageShape& stage, const TensorShare& share) {
    auto sum = layerSum<std::int64_t>(model, stage, [&](int layer) { return layerParameters(model, layer, share); });
    if (stage.first) sum += embeddingParameters(model, share);
    const int tables = (moduleHasTable(model, stage) ? 1 : 0) + (outputHasTable(model, stage) ? 1 : 0);
    if (stage.last) sum += normParameters(model) + tables * tableParameters(model, share);
    return sum;
}

std::int64_t spreadParameters(const ModelSpec& model, const StageShape& stage, const TensorShare& share) {
    std::int64_t sum = 0;
    for (int layer = stage.firstLayer; layer < stage.firstLayer + stage.layers; ++layer)
        sum += spreadParameters(model, layer, share);
    return sum;
}

std::int64_t productWeights(const ModelSpec& model, const StageShape& stage, const TensorShare& share) {
    const std::int64_t h = model.hidden, attention = hasAttention(model) ? attentionWeights(model, share) : 0;
    const int matrices = blockParts(model).feedForwardMatrices();
    const auto layers = layerSum<std::int64_t>(model, stage, [&](int layer) {
        if (readsImages(model)) return blockWeights(model, layer);
        const std::int64_t blocks = hasExperts(model, layer) ? ownExperts(model, share) : 1;
        return attention + joinWeights(model, layer) +
               matrices * h * (blocks * ownWidth(model, layer, share) + ownSharedWidth(model, layer, share));
    });
    return layers + (stage.last ? (1 + predictionModules(model)) * tableParameters(model, share) : 0);
}

namespace {

std::vector<FlatUnit> declaredUnits(const ModelSpec& model, const StageShape& stage, const TensorShare& share) {
    const std::int64_t h = model.hidden;
    std::vector<FlatUnit> units;
    std::int64_t begin = 0;
    const auto add = [&](int layer, std::int64_t size, bool table = false) {
        units.push_back({layer, layer, begin, size, table});
        begin += size;
    };
    std::size_t embedding = stage.first ? 0 : ~std::size_t{0};
    const auto useEmbedding = [&](int layer) {  // of a module, or of a tied output
        if (embedding < units.size()) units[embedding].highestLayer = layer;
        else {
            embedding = units.size();
            add(layer, tableParameters(model, share), true);
        }
    };
    const std::int64_t attention = hasAttention(model) ? attentionElements(model, share) : 0;
    int layer = 0;
    if (embeds(model, stage)) {
        add(layer, tableParameters(model, share), true);
        if (blockParts(model).learnsPositions()) add(layer, model.sequence * h);
        ++layer;
    }
    for (int block = stage.firstLayer; block < stage.firstLayer + stage.layers; ++block) {
        if (readsImages(model)) {
            add(layer++, blockParameterCount(model, block));
            continue;
        }
        const std::int64_t feedForward = feedForwardParameters(model, block, share);
        if (ofModule(model, block)) useEmbedding(layer);
        if (hasAttention(model)) add(layer++, attentionParameters(model, block, attention));
        add(layer++, feedForward - spreadParameters(model, block, share));
    }
    if (stage.last) {
        add(layer, normParameters(model));
        if (tiesEmbedding(model)) useEmbedding(layer);
        else add(layer, tableParameters(model, share), true);
    }
    layer = embeds(model, stage) ? 1 : 0;
    for (int block = stage.firstLayer; block < stage.firstLayer + stage.layers; ++block) {
        layer += layersOfBlock(model);
        if (const std::int64_t size = spreadParameters(model, block, share); size > 0) {
            add(layer - 1, size);
            units.back().spread = share.spread();
        }
    }
    return units;
}

}  // namespace

std::vector<FlatUnit> stageUnits(const ModelSpec& model, const ParallelSpec& parallel, const StageShape& stage,
                                 const TensorShare& share) {
    std::vector<FlatUnit> units = declaredUnits(model, stage, share);
    const std::vector<FlatUnit> largest = declaredUnits(model, stage, share.largest());
    for (std::size_t i = 0; i < units.size(); ++i) units[i].most = largest[i].size;
    giveOwners(parallel, units);
    return units;
}

namespace {

/// Operations of an attention's core whose tokens attend to `seen` tokens each; those up to the own one count twice.
double coreFlops(const ModelSpec& model, double seen, int samples, const TensorShare& share) {
    return 2 * static_cast<double>(tokens(model, samples, share)) * seen *
           static_cast<double>(queryColumns(model, share) + outputColumns(model, share));
}

/// Tokens that a token attends to, on average over the layers.
double meanSeen(const ModelSpec& model) {
    double seen = 0;
    for (int layer = 0; layer < model.layers; ++layer) seen += attendedTokens(model, layer);
    return seen / model.layers;
}

/// Operations of a feed-forward block for `tokens` tokens, of which `rows` rows go through experts. Each member of a
/// tensor group computes the whole gate.
double feedForwardFlops(const ModelSpec& model, int layer, double tokens, double rows, const TensorShare& share = {}) {
    const double h = model.hidden, column = 2 * blockParts(model).feedForwardMatrices() * h;
    const bool experts = hasExperts(model, layer);
    const double each = column * static_cast<double>(ownWidth(model, layer, share));
    if (!experts) return tokens * each;
    return tokens * (2 * h * static_cast<double>(gateColumns(model)) +
                     column * static_cast<double>(ownSharedWidth(model, layer, share))) +
           rows * each;
}

}  // namespace

std::vector<double> layerShares(const ModelSpec& model, const StageShape& stage, int samples,
                                const TensorShare& share) {
    std::vector<double> flops;
    if (embeds(model, stage)) flops.push_back(0);  // a lookup
    const double n = static_cast<double>(tokens(model, samples, share));
    for (int block = stage.firstLayer; block < stage.firstLayer + stage.layers; ++block) {
        if (readsImages(model)) {
            flops.push_back(layerForwardFlops(model, block, samples, share));
            continue;
        }
        const double feedForward =
            feedForwardFlops(model, block, n, static_cast<double>(expertRows(model, samples, share)), share);
        if (hasAttention(model)) flops.push_back(layerForwardFlops(model, block, samples, share) - feedForward);
        flops.push_back(feedForward);
    }
    if (stage.last) flops.push_back(outputForwardFlops(model, samples, share));
    const double sum = std::accumulate(flops.begin(), flops.end(), 0.0);
    for (double& each : flops) each = sum > 0 ? each / sum : 1;  // a stage of the embedding alone has no operations
    return flops;
}

std::int64_t choiceBiases(const ModelSpec& model, const StageShape& stage) {
    std::int64_t sum = 0;
    for (int layer = stage.firstLayer; layer < stage.firstLayer + stage.layers; ++layer)
        if (biasesChoice(model) && hasExperts(model, layer)) sum += model.experts.count;
    return sum;
}

std::int64_t parametersOfExpert(const ModelSpec& model, int layer) {
    return blockParameters(model, feedForwardWidth(model, layer));
}

std::int64_t modelParameters(const ModelSpec& model) { return stageParameters(model, {blockCount(model), true, true}); }

double layerForwardFlops(const ModelSpec& model, int layer, int samples, const TensorShare& share) {
    if (readsImages(model)) return samples * blockFlops(model, layer);
    const double n = static_cast<double>(tokens(model, samples, share));
    const double feedForward =
        feedForwardFlops(model, layer, n, static_cast<double>(expertRows(model, samples, share)), share);
    if (!hasAttention(model)) return feedForward;
    const auto weights = static_cast<double>(cutAttentionWeights(model, share));
    const double whole = static_cast<double>(ownTokens(model, samples, share) *
                                             (wholeAttentionWeights(model) + joinWeights(model, layer)));
    return feedForward + 2 * n * weights + 2 * whole + coreFlops(model, attendedTokens(model, layer), samples, share);
}

double idleExpertFlops(const ModelSpec& model, const StageShape& stage, int samples) {
    const auto n = static_cast<double>(tokens(model, samples));
    const auto rows = static_cast<double>(expertRows(model, samples));
    if (!hasExperts(model) || expertsChoose(model)) return 0;
    const double asked = n * expertChoices(model);
    if (asked >= rows) return 0;
    double flops = 0;
    for (int layer = stage.firstLayer; layer < stage.firstLayer + stage.layers; ++layer)
        flops += feedForwardFlops(model, layer, n, rows) - feedForwardFlops(model, layer, n, asked);
    return flops;
}

double coreForwardFlops(const ModelSpec& model, int samples, const TensorShare& share) {
    return hasAttention(model) ? coreFlops(model, meanSeen(model), samples, share) : 0;
}

double paddedCoreFlops(const ModelSpec& model, int samples, const TensorShare& share) {
    if (!hasAttention(model)) return 0;
    return 2 * static_cast<double>(tokens(model, samples, share)) * meanSeen(model) *
           static_cast<double>(queryColumns(model, share) - outputColumns(model, share));
}

std::int64_t probabilityFloats(const ModelSpec& model, int samples, const TensorShare& share) {
    if (!hasAttention(model) || share.context > 1) return 0;
    const int scores = model.sequence + (blockParts(model).sinks ? 1 : 0);
    return tokens(model, samples, share) * ownHeads(model, share) * scores;
}

std::int64_t spreadAttentionFloats(const ModelSpec& model, int samples, const TensorShare& share) {
    return blockParts(model).rotary ? 3 * tokens(model, samples, share) * queryColumns(model, share) : 0;
}

std::int64_t coreStoredFloats(const ModelSpec& model, int samples, const TensorShare& share) {
    if (!hasAttention(model)) return 0;
    return probabilityFloats(model, samples, share) + tokens(model, samples, share) * outputColumns(model, share);
}

double outputForwardFlops(const ModelSpec& model, int samples, const TensorShare& share) {
    return 2.0 * (1 + predictionModules(model)) * static_cast<double>(tokens(model, samples, share)) *
           static_cast<double>(outputWidth(model)) * static_cast<double>(vocabularyOf(model, share));
}

double stageForwardFlops(const ModelSpec& model, const StageShape& stage, int samples, const TensorShare& share) {
    const auto layers =
        layerSum<double>(model, stage, [&](int layer) { return layerForwardFlops(model, layer, samples, share); });
    return layers + (stage.last ? outputForwardFlops(model, samples, share) : 0);
}

std::int64_t secondHalfStoredFloats(const ModelSpec& model, int layer, int samples, const TensorShare& share) {
    const std::int64_t n = tokens(model, samples, share);
    const std::int64_t own = ownTokens(model, samples, share);
    const std::int64_t h = model.hidden;
    const std::int64_t f = ownWidth(model, layer, share), rows = expertRows(model, samples, share);
    const std::int64_t routes = n * (gateColumns(model) + 2 * expertChoices(model)) +
                                routedRows(model, samples, share) + 2 * std::int64_t{samples} * model.experts.count;
    const std::int64_t statistics = normNumbers(model) * own,
                       widths = blockParts(model).feedForwardMatrices();  // f before and after a GELU or gate
    const std::int64_t experts =
        routes + rows * (2 * h + widths * f) + widths * n * ownSharedWidth(model, layer, share);
    return 2 * own * h + statistics + (hasExperts(model, layer) ? experts : widths * n * f);
}

std::int64_t layerStoredFloats(const ModelSpec& model, int layer, int samples, const TensorShare& share) {
    if (readsImages(model))
        return samples * (blockInputFloats(model, layer) + model.cnn.convolutions * blockMapFloats(model, layer));
    const std::int64_t secondHalf = secondHalfStoredFloats(model, layer, samples, share);
    if (!hasAttention(model)) return secondHalf;
    const std::int64_t n = tokens(model, samples, share), own = ownTokens(model, samples, share);
    const std::int64_t latents = latentAttention(model) ? own * (downColumns(model) + latentColumns(model)) : 0;
    const std::int64_t attention = 2 * own * model.hidden + normNumbers(model) * own + latents +
                                   n * (attentionColumns(model, share) + outputColumns(model, share)) +
                                   probabilityFloats(model, samples, share);
    const std::int64_t join = ofModule(model, layer) ? own * (5 * model.hidden + joinNorms * normNumbers(model)) : 0;
    return join + attention + secondHalf;
}

std::int64_t headStoredFloats(const ModelSpec& model, int samples, const TensorShare& share) {
    const std::int64_t own = ownTokens(model, samples, share), normed = own * outputWidth(model),
                       logits = tokens(model, samples, share) * logitStride(vocabularyOf(model, share));
    return normed + normNumbers(model) * own + (1 + predictionModules(model)) * (normed + logits);
}

std::int64_t stageStoredFloats(const ModelSpec& model, const StageShape& stage, int samples, const TensorShare& share) {
    const auto layers = layerSum<std::int64_t>(
        model, stage, [&](int layer) { return layerStoredFloats(model, layer, samples, share); });
    return layers + (stage.last ? headStoredFloats(model, samples, share) : 0);
}

std::int64_t boundaryFloats(const ModelSpec& model, int above, int samples, const TensorShare& share) {
    if (readsImages(model)) return samples * blockInputFloats(model, above);
    return ownTokens(model, samples, share) * model.hidden;
}

}  // namespace shardlab::layout
