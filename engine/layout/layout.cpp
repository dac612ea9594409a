// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/layout.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/exchange.h"
#include "engine/layout/mesh/axis.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardlab::layout {
namespace {

/// Product of positive factors, stopped at the largest int: degrees of a layout not yet checked may be anything.
int boundedProduct(std::initializer_list<int> factors) {
    std::int64_t result = 1;
    for (int factor : factors) {
        result *= std::max(factor, 0);
        result = std::min<std::int64_t>(result, std::numeric_limits<int>::max());
    }
    return static_cast<int>(result);
}

}  // namespace

int feedForwardWidth(const ModelSpec& model, int layer) {
    if (model.experts.width > 0 && hasExperts(model, layer)) return model.experts.width;
    const std::vector<int>& widths = model.feedForward;
    if (widths.empty()) return 4 * model.hidden;
    return widths.size() == 1 ? widths.front() : widths[std::min(static_cast<std::size_t>(layer), widths.size() - 1)];
}

int keyHeads(const ModelSpec& model) {
    const BlockParts parts = blockParts(model);
    return model.block.kvHeads > 0 && parts.rotary && !parts.latent ? model.block.kvHeads : model.heads;
}

int headWidth(const ModelSpec& model) {
    if (choosesParts(model) && model.block.headWidth > 0) return model.block.headWidth;
    return model.hidden / std::max(model.heads, 1);
}

int attendedTokens(const ModelSpec& model, int layer) {
    const BlockSpec& block = model.block;
    const bool full = block.fullEvery > 0 && (layer + 1) % block.fullEvery == 0;
    if (!choosesParts(model) || block.window == 0 || full) return model.sequence;
    return std::min(block.window, model.sequence);
}

double rotaryHigh(const RotarySpec& rotary) {
    if (rotary.high > 0) return rotary.high;
    return rotary.scaling == RotaryScaling::Yarn ? 32 : 4;
}

bool readsImages(const ModelSpec& model) { return traits(model.kind).images; }

int sampleInputs(const ModelSpec& model) {
    return readsImages(model) ? boundedProduct({model.cnn.image, model.cnn.image, model.cnn.channels}) : model.sequence;
}

int sampleTargets(const ModelSpec& model) { return readsImages(model) ? 1 : model.sequence; }

int targetKinds(const ModelSpec& model) { return readsImages(model) ? model.cnn.classes : model.vocabulary; }

bool readsTokenizer(const Layout& layout) {
    return layout.data.tokenizer != TokenizerKind::Byte && layout.data.kind != DataKind::Tokens &&
           !readsImages(layout.model);
}

bool tiesEmbedding(const ModelSpec& model) { return blockParts(model).tied && !readsImages(model); }

int predictionModules(const ModelSpec& model) {
    return choosesParts(model) ? std::clamp(model.predictedTokens, 0, mostPredictionModules) : 0;
}

int blockCount(const ModelSpec& model) {
    return static_cast<int>(
        std::min<std::int64_t>(std::int64_t{model.layers} + predictionModules(model), std::numeric_limits<int>::max()));
}

bool ofModule(const ModelSpec& model, int layer) { return predictionModules(model) > 0 && layer >= model.layers; }

bool sharesEmbedding(const ModelSpec& model) { return tiesEmbedding(model) || predictionModules(model) > 0; }

bool keepsVelocity(const OptimizerSpec& optimizer) {
    return optimizer.momentum > 0 && traits(optimizer.kind).takes("/optimizer/momentum");
}

bool offloadsOptimizer(const MemorySpec& memory) { return memory.offload != OffloadKind::None; }

bool offloadsParameters(const MemorySpec& memory) { return memory.offload == OffloadKind::Parameters; }
bool swapsActivations(const MemorySpec& memory) { return memory.swap == SwapKind::Activations; }
bool usesHost(const MemorySpec& memory) { return offloadsOptimizer(memory) || swapsActivations(memory); }

bool hasExperts(const ModelSpec& model) { return traits(model.kind).expertsEvery > 0; }

namespace {

/// Every so many blocks of a model with experts, one has them.
int expertPeriod(const ModelSpec& model) {
    return model.experts.every > 0 ? model.experts.every : traits(model.kind).expertsEvery;
}

/// How many layers have experts, as hasExperts() says of each.
int expertLayers(const ModelSpec& model) {
    if (!hasExperts(model)) return 0;
    const int every = expertPeriod(model), dense = std::clamp(model.experts.denseLayers, 0, std::max(0, model.layers));
    return model.layers / every - dense / every;
}

}  // namespace

bool hasExperts(const ModelSpec& model, int layer) {
    return hasExperts(model) && layer >= model.experts.denseLayers && (layer + 1) % expertPeriod(model) == 0;
}

bool hasBlocks(const ModelSpec& model, bool experts) {
    for (int layer = 0; layer < model.layers + predictionModules(model); ++layer)
        if (hasExperts(model, layer) == experts) return true;
    return false;
}

int sharedWidth(const ModelSpec& model, int layer) {
    return hasExperts(model, layer) ? boundedProduct({model.experts.shared, feedForwardWidth(model, layer)}) : 0;
}

bool dropless(const ModelSpec& model) { return !(model.experts.capacity > 0); }

bool sameKind(const ModelSpec& model, int layer, int other) {
    if (readsImages(model)) return layer == other;  // each has other maps
    return ofModule(model, layer) == ofModule(model, other) && hasExperts(model, layer) == hasExperts(model, other) &&
           attendedTokens(model, layer) == attendedTokens(model, other);
}

bool sameShapes(const ModelSpec& model, int layer, int other) {
    return sameKind(model, layer, other) && feedForwardWidth(model, layer) == feedForwardWidth(model, other);
}

bool evenLayers(const ModelSpec& model) {
    const bool someSeeAll = choosesParts(model) && model.block.fullEvery > 1 && model.block.window > 0;
    const int withExperts = expertLayers(model);
    return model.feedForward.size() <= 1 && (withExperts == 0 || withExperts == model.layers) && !readsImages(model) &&
           !someSeeAll && predictionModules(model) == 0;
}

bool expertsChoose(const ModelSpec& model) { return traits(model.experts.gate).expertsChoose; }

bool capsTokens(const ModelSpec& model) { return traits(model.experts.gate).capsTokens; }

bool hasGroups(const ModelSpec& model) { return traits(model.experts.gate).groups; }

bool biasesChoice(const ModelSpec& model) {
    return hasExperts(model) && traits(model.experts.gate).scales && model.experts.biasRate > 0;
}

bool choosesInGroups(const ModelSpec& model) { return traits(model.experts.gate).inGroups; }

bool noisyGate(const ModelSpec& model) { return traits(model.experts.gate).noise; }

int expertChoices(const ModelSpec& model) {
    return expertsChoose(model) ? model.experts.count : expertsPerToken(model);
}

int expertsPerToken(const ModelSpec& model) {
    const GateTraits& gate = traits(model.experts.gate);
    const int each = gate.takesTopK ? model.experts.topK : gate.choices;
    return gate.groups ? boundedProduct({model.experts.topGroups, each}) : each;
}

int expertCapacity(const ModelSpec& model) {
    if (dropless(model)) return std::max(model.sequence, 1);
    const int asked = expertsPerToken(model);
    const double places =
        std::ceil(model.experts.capacity * asked * model.sequence / std::max(model.experts.count, 1) - 1e-9);
    if (!(places > 1)) return 1;  // not of what is no number either
    return static_cast<int>(std::min(places, static_cast<double>(std::max(model.sequence, 1))));
}

int rankCount(const Layout& layout) {
    int ranks = 1;
    for (const AxisTraits& axis : axisTraits)
        if (axis.placesRanks) ranks = boundedProduct({ranks, layout.parallel.*axis.degree});
    return ranks;
}

int stageCount(const Layout& layout) { return boundedProduct({layout.parallel.pipeline, layout.schedule.chunks}); }

int microbatches(const Layout& layout) {
    const int together = boundedProduct({workers(layout.parallel), layout.batch.micro});
    if (together < 1 || layout.batch.global < 1 || layout.batch.global % together != 0) return 0;
    return layout.batch.global / together;
}

std::vector<int> stageLayers(const Layout& layout) {
    if (!layout.schedule.stages.empty()) return layout.schedule.stages;
    const int stages = stageCount(layout);
    const bool ends = layout.schedule.countEnds && stages > 1;
    const int layers = layout.model.layers + (ends ? 2 : 0);
    // More stages than actions can number are no split worth its memory, and check() refuses them.
    if (stages < 1 || stages > 65536 || layout.model.layers < 1 || layers < stages || (!ends && layers % stages != 0))
        return {};
    std::vector<int> split(static_cast<std::size_t>(stages), layers / stages);
    const int left = layers % stages;
    for (int i = 0; i < left; ++i) ++split[static_cast<std::size_t>((stages - left) / 2 + i)];
    if (ends) {
        --split.front();
        --split.back();
    }
    return split;
}

std::string_view countedInputs(const ModelSpec& model) { return readsImages(model) ? "images" : "tokens"; }

std::int64_t tokensPerStep(const Layout& layout) {
    return std::int64_t{layout.batch.global} * sampleTargets(layout.model);
}

}  // namespace shardlab::layout
