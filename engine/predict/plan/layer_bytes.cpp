// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/layer_bytes.h"

#include "engine/base/ranges.h"
#include "engine/layout/block_parts.h"
#include "engine/layout/formats.h"
#include "engine/layout/fp8.h"
#include "engine/layout/logit_rows.h"
#include "engine/layout/recompute.h"
#include "engine/layout/stacks.h"

#include <algorithm>
#include <cmath>

namespace shardlab::predict {
namespace {

/// Bits of an operand in the format, with the scales of its blocks.
double operandBits(ProductFormat format) {
    const ProductTraits& of = traits(format);
    return of.bits + (of.tokens.along > 0 ? double(of.scaleBits) / of.tokens.along : 0);
}

/// What the stack's products keep of their operands: in fewer bits where they are rounded, of all tokens where a tensor
/// group gathered them.
void keepOperands(StageSizes& size, const Layout& layout, const SoftwareStack& stack, std::int64_t tokens,
                  std::int64_t own, std::int64_t queries) {
    const std::int64_t h = layout.model.hidden;
    if (stack.keepsGathered) size.normed = size.headNormed = size.all;
    if (!stack.keepsRounded || layout.precision.products == ProductFormat::Compute) return;
    const double bytes = operandBits(layout.precision.products) / 8;
    const auto of = [&](std::int64_t numbers) { return std::llround(bytes * static_cast<double>(numbers)); };
    size.normed = of((stack.keepsGathered ? tokens : own) * h);
    size.operand = of(tokens);
    size.copied = of(tokens * queries);
}

/// Where each matrix has a product of its own, keys are the second of a block, the first half's last product the
/// fourth, a gate's values the sixth and the second half's last product the seventh; without a gate that is the sixth.
/// The backward reads all kept outputs but the seventh, or the sum of the last product over a tensor group.
void splitProducts(StageSizes& size, const Layout& layout, const SoftwareStack& stack, const TensorShare& share) {
    const bool gated = blockParts(layout.model).gated();
    if (stack.splitsProducts && !latentAttention(layout.model)) size.keys = (size.joined - size.columns) / 2;
    if (stack.keepsUnread && (gated || share.size > 1)) size.unread = size.own;
}

}  // namespace

StageSizes stageSizes(const Layout& layout, const TensorShare& share) {
    constexpr std::int64_t fp32 = bytesOf(NumberFormat::Fp32);
    const ModelSpec& model = layout.model;
    const NumberFormats formats = numberFormats(layout.precision);
    const std::int64_t bytes = formats.activationBytes();
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * model.sequence / share.context;
    const std::int64_t own = tokens / (share.sequence ? share.size : 1);
    const std::int64_t h = model.hidden, vocabulary = share.of(model.vocabulary);
    StageSizes size{};
    size.own = bytes * own * h;
    size.all = bytes * tokens * h;
    size.normed = size.headNormed = size.own;
    size.operand = bytes * tokens;
    size.statistics = fp32 * normNumbers(model) * own;
    const std::int64_t queries = queryColumns(model, share);
    size.columns = bytes * tokens * queries;
    const std::int64_t made = queries + madeKeyColumns(model, share), sent = sentKeyColumns(model, share);
    size.joined = bytes * tokens * (queries + 2 * keyColumns(model, share));
    size.made = sent > 0 ? bytes * tokens * made : 0;
    size.sent = bytes * tokens * sent;
    size.spread = bytes * spreadAttentionFloats(model, layout.batch.micro, share);
    size.headWeights = fp32 * (queryKeyNormParameters(model) + (blockParts(model).sinks ? ownHeads(model, share) : 0));
    size.dropped =
        keepsExchangedHeads(layout) && queryKeyNormParameters(model) == 0 && !modelledStack(layout) ? size.joined : 0;
    size.attention = attentionBytes(layout, share);
    size.logits = bytes * tokens * logitStride(vocabulary);
    if (const SoftwareStack* stack = modelledStack(layout)) {
        size.spread = 0;
        keepOperands(size, layout, *stack, tokens, own, queries);
        splitProducts(size, layout, *stack, share);
        size.mask = model.dropout > 0 ? own * h : 0;
        const double each = share.size > 1 ? stack->splitLogitMemory : stack->logitMemory;
        size.logits = std::llround(each * static_cast<double>(tokens * vocabulary));
    }
    if (const int pieces = lossPieces(layout); pieces > 1) {
        const std::int64_t rows = (tokens + pieces - 1) / pieces;
        size.piece = size.logits / tokens * rows;
        size.logits = fp32 * 3 * tokens + static_cast<std::int64_t>(sizeof(std::int32_t)) * tokens;
    }
    size.loss = share.size > 1 ? fp32 * 3 * tokens : 0;
    size.number = bytes * tokens;
    size.tokens = static_cast<std::int64_t>(sizeof(std::int32_t)) * tokens;
    size.norm = share.sequence ? fp32 * normNumbers(model) * h : 0;
    if (share.context > 1 && blockParts(model).learnsPositions()) {
        size.positions = formats.weightBytes() * (model.sequence / share.context) * h;
        size.positionGradient = formats.gradientBytes() * (model.sequence / share.context) * h;
    }
    size.joinGradient = share.sequence ? fp32 * 2 * h * h : 0;
    if (!formats.castsWeights()) return size;
    size.join = bytes * 2 * h * h;
    size.table = bytes * h * vocabulary;
    if (roundsProducts(layout)) return size;  // linear layers round weights of their own type to 8 bits
    size.row = bytes * h;
    size.square = size.row * queries;
    size.triple = size.row * made;
    return size;
}

namespace {

LayerBytes attentionLayer(const StageSizes& size, const TensorShare& share) {
    const AttentionBytes& needs = size.attention;
    return {.first = size.statistics + size.normed + size.joined,
            .second = needs.kept + size.columns + size.copied + size.mask,
            .scratch = needs.forwardScratch,
            .spread = size.spread,
            .freedEarly = needs.kept,
            .gradient = size.columns,
            .temporary = needs.backwardScratch,
            .apart = needs.gradientApart,
            .headWeights = size.headWeights,
            .expansion = size.triple,
            .projection = size.square,
            .dropped = size.dropped,
            .made = size.made,
            .sent = size.sent,
            .gathered = share.size * size.sent,
            .narrowed = size.made > 0 ? size.joined - size.made : 0,
            .ofNorm = size.own,
            .again = size.normed + size.keys};
}

LayerBytes latentLayer(const Layout& layout, const TensorShare& share, const StageSizes& size) {
    const LatentBytes latent = latentBytes(layout, share);
    return {.first = latent.held(),
            .freedEarly = latent.attention.kept,
            .projection = size.row > 0 ? size.row * outputColumns(layout.model, share) : 0,
            .dropped = latent.dropped,
            .ofNorm = size.own,
            .again = size.own,
            .latent = latent};
}

/// `expansions`: first products, 2 where one of them is a gate.
LayerBytes feedForwardLayer(const StageSizes& size, std::int64_t width, int expansions) {
    const int valuesAgain = size.keys > 0 ? expansions - 1 : 0;
    return {.first = size.statistics + size.normed + width * (expansions * size.number + size.operand) + size.mask,
            .gradient = width * size.number,
            .expansion = expansions * width * size.row,
            .projection = width * size.row,
            .ofNorm = size.own,
            .ofActivation = width * size.number,
            .again = size.normed + width * (size.operand + valuesAgain * size.number) - size.unread};
}

LayerBytes expertsLayer(const StageSizes& size, const ExpertBytes& experts) {
    return {.first = size.statistics + size.own + experts.gate + experts.rows + experts.numbers,
            .second = experts.shared,
            .ofNorm = size.own,
            .ofActivation = experts.activated,
            .again = size.own + experts.activated,
            .experts = experts};
}

}  // namespace

std::vector<LayerBytes> layersOf(const Layout& layout, const StageShape& shape, const TensorShare& share) {
    const StageSizes size = stageSizes(layout, share);
    std::vector<LayerBytes> layers;
    for (int layer = 0; layer < shape.layers; ++layer) {
        if (hasAttention(layout.model))
            layers.push_back(latentAttention(layout.model) ? latentLayer(layout, share, size)
                                                           : attentionLayer(size, share));
        const int ofModel = shape.firstLayer + layer;
        if (ofModule(layout.model, ofModel)) layers.back().join = joinNorms * size.statistics + 5 * size.own;
        layers.push_back(hasExperts(layout.model, ofModel)
                             ? expertsLayer(size, expertBytes(layout, ofModel, share))
                             : feedForwardLayer(size, ownWidth(layout.model, ofModel, share),
                                                blockParts(layout.model).feedForwardMatrices() - 1));
    }
    return layers;
}

}  // namespace shardlab::predict
