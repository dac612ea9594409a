// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/compute_costs.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/cnn_shape.h"
#include "engine/layout/formats.h"
#include "engine/layout/moment_blocks.h"
#include "engine/layout/recompute.h"
#include "engine/predict/plan/attention_bytes.h"
#include "engine/predict/plan/fp8_costs.h"
#include "engine/predict/plan/packed_activations.h"
#include "engine/predict/plan/stack_times.h"

#include <algorithm>
#include <vector>

namespace shardlab::predict {
namespace {

// Kernels of a forward: a norm, products, bias, scores, softmax … each counted once.
constexpr int attentionKernels = 7;  ///< of a gpt
constexpr int feedForwardKernels = 5;
constexpr int ownActivationKernels = 1;  ///< of an activation that no product does by the way
constexpr int kernelsOfSample = 2;       ///< of a cnn's convolution: patches and their product, sample by sample
constexpr int kernelsOfConvolution = 1;  ///< besides, ReLU
constexpr int poolKernels = 1;
constexpr int coreKernels = 3;
constexpr int routingKernels = 4;  ///< what decides, where tokens go, where they come back; on top of a block's
constexpr int expertKernels = 4;
constexpr int embeddingKernels = 1;
constexpr int outputKernels = 3;
constexpr int joinKernels = 8;  ///< of a module: three norms, an embedding, a product and three copies
constexpr int productsOfBranch = 2;

/// The number of kernels that a cnn's block starts.
int cnnBlockKernels(const Layout& layout) {
    return layout.model.cnn.convolutions * (kernelsOfSample * layout.batch.micro + kernelsOfConvolution) + poolKernels;
}

/// The bytes of the patches of a cnn's convolutions, which are written once and read once.
double patchBytes(const Layout& layout, const StageShape& stage) {
    if (!readsImages(layout.model)) return 0;
    std::int64_t floats = 0;
    for (int block = stage.firstLayer; block < stage.firstLayer + stage.layers; ++block)
        floats += layout.batch.micro * blockPatchFloats(layout.model, block);
    return static_cast<double>(numberFormats(layout.precision).activationBytes() * floats);
}

/// The bytes that the blocks' input gradients hand down.
double handedDownBytes(const Layout& layout, const StageShape& stage, const TensorShare& share) {
    std::int64_t floats = 0;
    for (int block = stage.firstLayer; block < stage.firstLayer + stage.layers; ++block)
        floats += boundaryFloats(layout.model, block, layout.batch.micro, share);
    const int ofBlock = hasAttention(layout.model) ? 2 : 1;
    if (stage.last) floats += boundaryFloats(layout.model, layout.model.layers, layout.batch.micro, share) / ofBlock;
    return static_cast<double>(numberFormats(layout.precision).activationBytes() * ofBlock * floats);
}

/// Products of an attention with its weights.
int attentionProducts(const ModelSpec& model) {
    return static_cast<int>(
        std::ranges::count_if(attentionTensors(model), [](const AttentionTensor& tensor) { return tensor.rows > 0; }));
}

/// Kernels of a latent attention that others do not have: more products, copies of parts of the down projection's
/// columns, the norms of latents, what queries and keys are made with, and where values are narrower than queries the
/// copy of the core's output.
int latentKernels(const ModelSpec& model) {
    if (!latentAttention(model)) return 0;
    const int latents = model.block.queryRank > 0 ? 2 : 1;
    const int narrower = valueWidth(model) < queryWidth(model) ? 1 : 0;
    return attentionProducts(model) - productsOfBranch + (latents + 1) + latents + 1 + narrower;
}

/// Floats that a latent attention writes in passing, besides what it makes for the core: the down projection's output,
/// and the core's where values are narrower than queries.
std::int64_t latentPassingFloats(const ModelSpec& model, int samples, const TensorShare& share) {
    if (!latentAttention(model)) return 0;
    const std::int64_t tokens = std::int64_t{samples} * model.sequence / share.context;
    const std::int64_t wide = valueWidth(model) < queryWidth(model) ? queryColumns(model, share) : 0;
    return tokens / (share.sequence ? share.size : 1) * downColumns(model) + tokens * wide;
}

/// The number of kernels that a feed-forward block starts. Rotary positions have a kernel of their own where a bias
/// goes with its product, and so has an activation other than the GELU that a product with a bias does by the way.
int secondHalfKernels(const ModelSpec& model) {
    const BlockParts parts = blockParts(model);
    const bool fused = parts.biases && parts.activation == ActivationKind::GeluTanh;
    return feedForwardKernels + (fused ? 0 : ownActivationKernels);
}

/// The number of kernels that a block without experts starts.
int blockKernels(const ModelSpec& model) {
    return (hasAttention(model) ? attentionKernels + latentKernels(model) : 0) + secondHalfKernels(model);
}

/// Tensors of the weights of a branch: a norm and two products.
int branchWeights(const BlockParts& parts) { return parts.normNumbers() + productsOfBranch * (parts.biases ? 2 : 1); }

/// The number of kernels of a gate, and of its tensors: one product for each of its matrices, and what adds a bias.
int gateKernels(const ModelSpec& model) {
    return static_cast<int>(gateWidths(model).size()) + (scoreBiases(model) > 0 ? 1 : 0);
}

/// The number of kernels that a block with experts starts beside those of a block without: an expert's for the rows of
/// each member of its group.
int expertsKernels(const ModelSpec& model, const TensorShare& share) {
    const int shared = model.experts.shared > 0 ? feedForwardKernels : 0;
    return routingKernels + gateKernels(model) + (model.experts.count / share.folds - 1) * expertKernels + shared;
}

/// Sum over a stage's blocks of a number for each: `dense` with a feed-forward block, `routed` with experts.
int overBlocks(const ModelSpec& model, const StageShape& stage, int dense, int routed) {
    if (!hasExperts(model)) return stage.layers * dense;
    int sum = 0;
    for (int layer = stage.firstLayer; layer < stage.firstLayer + stage.layers; ++layer)
        sum += hasExperts(model, layer) ? routed : dense;
    return sum;
}

double kernelSeconds(const DevicePreset& device, NumberFormat format, double flops, double bytes, int kernels) {
    return flops / (device.flops(format) * device.matmulEfficiency) + bytes / device.memoryBandwidth +
           kernels * device.kernelSeconds;
}

/// The matrices that make heads of latents, as one member of a tensor group has them.
struct HeadMatrices {
    std::int64_t elements = 0;
    int count = 0;
};
HeadMatrices headMatrices(const ModelSpec& model, const TensorShare& share) {
    HeadMatrices sum;
    for (const AttentionTensor& tensor : attentionTensors(model, share)) {
        if (tensor.rows == 0 || tensor.cut != AttentionTensor::Cut::Columns) continue;
        sum.elements += tensor.elements();
        ++sum.count;
    }
    return sum;
}

/// The time of making the queries, keys and values of one attention from its latents.
double headsSeconds(const Layout& layout, const TensorShare& share, const DevicePreset& device) {
    const ModelSpec& model = layout.model;
    const NumberFormats formats = numberFormats(layout.precision);
    const HeadMatrices matrices = headMatrices(model, share);
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * model.sequence / share.context;
    const std::int64_t made = tokens * (queryColumns(model, share) + expandedColumns(model, share));
    const double seconds = kernelSeconds(device, formats.activations, 2.0 * double(tokens) * double(matrices.elements),
                                         2 * static_cast<double>(formats.activationBytes() * made), matrices.count);
    if (!formats.castsWeights()) return seconds;
    const auto each = static_cast<double>(formats.weightBytes() + formats.activationBytes());
    return seconds + each * double(matrices.elements) / device.memoryBandwidth + matrices.count * device.kernelSeconds;
}

/// The time of norms of a layer of the model, and of its activation, read and written once each.
double pointwiseSeconds(const Layout& layout, int layer, const PointwiseAgain& again, const TensorShare& share,
                        const DevicePreset& device) {
    const ModelSpec& model = layout.model;
    const NumberFormats formats = numberFormats(layout.precision);
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * model.sequence / share.context;
    std::int64_t numbers = again.norms * 2 * tokens / (share.sequence ? share.size : 1) * model.hidden;
    int kernels = again.norms;
    if (again.activation) {
        const std::int64_t widths = blockParts(model).feedForwardMatrices();  // read, and what is written
        const std::int64_t width = ownWidth(model, layer, share);
        const bool experts = hasExperts(model, layer);
        numbers += widths * (experts ? expertRows(model, layout.batch.micro, share) * width +
                                           tokens * ownSharedWidth(model, layer, share)
                                     : tokens * width);
        kernels += experts ? model.experts.count / share.folds + (model.experts.shared > 0 ? 1 : 0) : 1;
    }
    return kernelSeconds(device, formats.activations, 0, static_cast<double>(formats.activationBytes() * numbers),
                         kernels);
}

/// The time of the last product of an attention, with the sum that ends this half.
double projectionSeconds(const Layout& layout, const TensorShare& share, const DevicePreset& device) {
    const ModelSpec& model = layout.model;
    const NumberFormats formats = numberFormats(layout.precision);
    constexpr int passes = 2;  // it reads what the sum adds, and writes it
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * model.sequence / share.context;
    const std::int64_t matrix = outputColumns(model, share) * model.hidden;
    const bool casts = formats.castsWeights();
    const std::int64_t rounded = casts ? (formats.weightBytes() + formats.activationBytes()) * matrix : 0;
    const std::int64_t bytes = passes * formats.activationBytes() * tokens * model.hidden + rounded;
    return kernelSeconds(device, formats.activations, 2.0 * double(tokens) * double(matrix), static_cast<double>(bytes),
                         casts ? 2 : 1);
}

/// Floats that are copied before and after each exchange of tokens for heads, besides what is kept of it: the queries,
/// keys and values that are sent, and the output.
std::int64_t exchangedFloats(const Layout& layout, const TensorShare& share) {
    if (!exchangesHeads(layout)) return 0;
    return std::int64_t{4} * layout.batch.micro * (layout.model.sequence / share.context) *
           queryColumns(layout.model, share);
}

/// The time of the copies around the exchange of queries, keys and values that a backward makes again: of each into a
/// block for each member, and out of two runs of each sample of each.
double exchangeAgainSeconds(const Layout& layout, const TensorShare& share, const DevicePreset& device) {
    if (!exchangesHeadsAgain(layout)) return 0;
    constexpr int queriesKeysValues = 3;
    const NumberFormat format = numberFormats(layout.precision).activations;
    const std::int64_t moved = queriesKeysValues * (exchangedFloats(layout, share) / 4);
    return kernelSeconds(device, format, 0, static_cast<double>(2 * 2 * bytesOf(format) * moved),
                         share.context * (queriesKeysValues + 2 * layout.batch.micro));
}

/// Floats that members of a tensor group who share heads of keys write to gather them, besides what an attention keeps:
/// what the product made, a member's block and those of all.
std::int64_t sharedKeyFloats(const Layout& layout, const TensorShare& share) {
    const ModelSpec& model = layout.model;
    const std::int64_t sent = sentKeyColumns(model, share);
    if (sent == 0) return 0;
    return std::int64_t{layout.batch.micro} * (model.sequence / share.context) *
           (queryColumns(model, share) + madeKeyColumns(model, share) + (1 + share.size) * sent);
}

/// Kernels that gather shared heads of keys: one clears the block, others copy the queries, into it and out of each
/// sharer's.
int sharedKeyKernels(const ModelSpec& model, const TensorShare& share) {
    const int sharers = keySharers(keyHeads(model), share.size);
    return sharers > 1 ? 3 + sharers : 0;
}

/// Kernels of an attention's core in a context group: a core's for each block of a ring; or one core's and the copies
/// of its two exchanges, of each part for each member and of two runs of each sample of each member.
int coreKernelsOf(const Layout& layout, const TensorShare& share) {
    if (!exchangesHeads(layout)) return coreKernels * share.context;
    return coreKernels + 4 * share.context * (1 + layout.batch.micro);
}

/// The bytes of an attention's core: what the core keeps for its backward, and its output.
double coreBytes(const Layout& layout, const TensorShare& share) {
    const double output = static_cast<double>(coreStoredFloats(layout.model, layout.batch.micro, share) -
                                              probabilityFloats(layout.model, layout.batch.micro, share) +
                                              exchangedFloats(layout, share));
    return static_cast<double>(attentionBytes(layout, share).kept) +
           static_cast<double>(numberFormats(layout.precision).activationBytes()) * output;
}

/// What a forward leaves for its backward, and an attention with rotary positions in passing. Statistics, under a
/// hundredth, count as activations.
double storedBytes(const Layout& layout, const StageShape& stage, const TensorShare& share) {
    const auto bytes = static_cast<double>(numberFormats(layout.precision).activationBytes());
    const int samples = layout.batch.micro;
    const double all = bytes * static_cast<double>(stageStoredFloats(layout.model, stage, samples, share));
    if (!hasAttention(layout.model)) return all;
    const double probabilities = bytes * static_cast<double>(probabilityFloats(layout.model, samples, share));
    const double passing = bytes * static_cast<double>(spreadAttentionFloats(layout.model, samples, share) +
                                                       latentPassingFloats(layout.model, samples, share) +
                                                       exchangedFloats(layout, share) + sharedKeyFloats(layout, share));
    return all + stage.layers * (static_cast<double>(attentionBytes(layout, share).kept) + passing - probabilities);
}

/// The time that rounding the weights of all products takes for one pass over them, or where `attention` is false of
/// all but those of attentions.
double roundingSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                       const DevicePreset& device, bool attention = true) {
    const NumberFormats formats = numberFormats(layout.precision);
    if (!formats.castsWeights()) return 0;
    const auto each = static_cast<double>(formats.weightBytes() + formats.activationBytes());
    if (roundsProducts(layout)) {  // linear layers round their weights to 8 bits instead
        if (!stage.last) return 0;
        const double table = static_cast<double>(productWeights(layout.model, {0, false, true, 0}, share));
        return each * table / device.memoryBandwidth + device.kernelSeconds;
    }
    const bool attends = hasAttention(layout.model);
    const int ofAttention = attention && attends ? attentionProducts(layout.model) : 0;
    const int ofDense = readsImages(layout.model) ? layout.model.cnn.convolutions : ofAttention + 2;
    const int blocksOfExperts = layout.model.experts.count / share.folds + (layout.model.experts.shared > 0 ? 1 : 0);
    const int kernels =
        overBlocks(layout.model, stage, ofDense, ofAttention + 2 * blocksOfExperts) + (stage.last ? 1 : 0);
    TensorShare used = share;
    used.expert = used.folds;  // an expert's are rounded for the rows of each member
    const std::int64_t leftOut =
        attends && !attention
            ? stage.layers * (cutAttentionWeights(layout.model, share) + wholeAttentionWeights(layout.model))
            : 0;
    return each * static_cast<double>(productWeights(layout.model, stage, used) - leftOut) / device.memoryBandwidth +
           kernels * device.kernelSeconds;
}

/// The time of the forward of the second half of a layer of the model.
double secondHalfSeconds(const Layout& layout, int layer, const TensorShare& share, const DevicePreset& device) {
    const ModelSpec& model = layout.model;
    const StageShape block{1, false, false, layer};
    const int samples = layout.batch.micro;
    const NumberFormats formats = numberFormats(layout.precision);
    const int dense = secondHalfKernels(model);
    return kernelSeconds(device, formats.activations,
                         layerShares(model, block, samples, share).back() *
                             stageForwardFlops(model, block, samples, share),
                         2 * static_cast<double>(formats.activationBytes() *
                                                 secondHalfStoredFloats(model, layer, samples, share)),
                         overBlocks(model, block, dense, dense + expertsKernels(model, share))) +
           roundingSeconds(layout, block, share, device, false) +
           fp8Seconds(layout, block, share, device, false).forward;
}

double logitsAgainSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                          const DevicePreset& device) {
    const int pieces = lossPieces(layout);
    if (pieces == 1 || !stage.last) return 0;
    const ModelSpec& model = layout.model;
    const NumberFormats formats = numberFormats(layout.precision);
    const int samples = layout.batch.micro, heads = 1 + predictionModules(model);
    const double flops = outputForwardFlops(model, samples, share);
    const double logits = flops / (2.0 * static_cast<double>(outputWidth(model)));
    return kernelSeconds(device, formats.activations, flops, static_cast<double>(formats.activationBytes()) * logits,
                         pieces * heads) +
           roundingSeconds(layout, {0, false, true, 0}, share, device);
}

}  // namespace

ComputeTimes computeTimes(const Layout& layout, const StageShape& stage, const TensorShare& share,
                          const DevicePreset& device) {
    if (const auto stack = stackOf(layout, device)) return stackTimes(layout, stage, share, device, *stack);
    const double forward = forwardSeconds(layout, stage, share, device);
    const double again = recomputeSeconds(layout, stage, share, device);
    const PackingSeconds packing = packingSeconds(layout, stage, device);
    const OverflowSeconds looking = overflowSeconds(layout, stage, share, device);
    const Fp8Seconds eight = fp8Seconds(layout, stage, share, device);
    const double other = forward - eight.forward;
    const double logits = logitsAgainSeconds(layout, stage, share, device);
    return {forward + packing.forward, other + eight.inputGrad + again + looking.inputGrad + packing.inputGrad + logits,
            other + eight.weightGrad + looking.weightGrad + logits, again, logits};
}

double forwardSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                      const DevicePreset& device) {
    const int ofBlock = readsImages(layout.model) ? cnnBlockKernels(layout) : blockKernels(layout.model);
    int kernels = overBlocks(layout.model, stage, ofBlock, ofBlock + expertsKernels(layout.model, share));
    if (hasAttention(layout.model))
        kernels += stage.layers * (coreKernelsOf(layout, share) - coreKernels + sharedKeyKernels(layout.model, share));
    if (stage.first) kernels += embeddingKernels;
    if (stage.last) {
        const int ofOutput = lossPieces(layout) * outputKernels;
        kernels += ofOutput + predictionModules(layout.model) * (ofOutput + joinKernels);
    }
    return kernelSeconds(device, numberFormats(layout.precision).activations,
                         stageForwardFlops(layout.model, stage, layout.batch.micro, share) +
                             stage.layers * paddedCoreFlops(layout.model, layout.batch.micro, share),
                         2 * (storedBytes(layout, stage, share) + patchBytes(layout, stage)), kernels) +
           roundingSeconds(layout, stage, share, device) + fp8Seconds(layout, stage, share, device).forward;
}

double recomputeSeconds(const Layout& layout, int layer, bool ofSegment, const TensorShare& share,
                        const DevicePreset& device) {
    const ModelSpec& model = layout.model;
    const MemorySpec& memory = layout.memory;
    if (recomputesOperations(memory)) {
        if (!ofSegment) return 0;
        const bool halves = hasAttention(model) && makesHalvesAgain(memory, share.size);
        return pointwiseSeconds(layout, layer, {layersOfBlock(model), true}, share, device) +
               (halves ? projectionSeconds(layout, share, device) : 0);
    }
    double seconds = pointwiseSeconds(layout, layer, pointwiseAgain(model, memory, ofSegment), share, device);
    if (ofSegment)
        seconds += recomputesSecondHalves(memory) ? secondHalfSeconds(layout, layer, share, device)
                                                  : forwardSeconds(layout, {1, false, false, layer}, share, device);
    if (recomputesHeads(memory))
        seconds += headsSeconds(layout, share, device) + exchangeAgainSeconds(layout, share, device);
    if (recomputesCore(memory)) seconds += coreSeconds(layout, share, device);
    return seconds;
}

double recomputeSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                        const DevicePreset& device) {
    if (layout.memory.recompute == RecomputeKind::None) return 0;
    double sum = 0, ofBlock = 0;
    for (int block = 0; block < stage.layers; ++block) {
        const int layer = stage.firstLayer + block;
        const bool ofSegment = recomputesBlock(layout.model, layout.memory, stage, block);
        if (block == 0 || !sameShapes(layout.model, layer, layer - 1) ||
            ofSegment != recomputesBlock(layout.model, layout.memory, stage, block - 1))
            ofBlock = recomputeSeconds(layout, layer, ofSegment, share, device);
        sum += ofBlock;
    }
    return sum;
}

double coreSeconds(const Layout& layout, const TensorShare& share, const DevicePreset& device) {
    if (const auto stack = stackOf(layout, device)) return stackAttentionSeconds(layout, share, device, *stack);
    return kernelSeconds(device, numberFormats(layout.precision).activations,
                         coreForwardFlops(layout.model, layout.batch.micro, share) +
                             paddedCoreFlops(layout.model, layout.batch.micro, share),
                         2 * coreBytes(layout, share), coreKernelsOf(layout, share));
}

OverflowSeconds overflowSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                                const DevicePreset& device) {
    if (!scalesLoss(layout.precision)) return {};
    const NumberFormats formats = numberFormats(layout.precision);
    const int branches = stage.layers * (hasAttention(layout.model) ? 2 : 1);
    const int layers = branches + (stage.last ? 1 : 0);
    const BlockParts parts = blockParts(layout.model);
    const int blocksOfExperts =
        layout.model.experts.count / share.expert - 1 + (layout.model.experts.shared > 0 ? 1 : 0);
    const int ofExperts = gateKernels(layout.model) + blocksOfExperts * productsOfBranch * (parts.biases ? 2 : 1);
    const int ofAttentions = hasAttention(layout.model)
                                 ? stage.layers * (static_cast<int>(attentionTensors(layout.model).size()) -
                                                   productsOfBranch * (parts.biases ? 2 : 1))
                                 : 0;
    const int ofBlocks = readsImages(layout.model) ? 2 * layout.model.cnn.convolutions * stage.layers
                                                   : branchWeights(parts) * branches + ofAttentions +
                                                         overBlocks(layout.model, stage, 0, ofExperts);
    const int weights = ofBlocks + (embeds(layout.model, stage) ? (parts.learnsPositions() ? 2 : 1) : 0) +
                        (stage.last ? parts.normNumbers() + 1 : 0);
    const auto gradients = static_cast<double>(formats.gradientBytes() * stageParameters(layout.model, stage, share));
    return {handedDownBytes(layout, stage, share) / device.memoryBandwidth + layers * device.kernelSeconds,
            gradients / device.memoryBandwidth + weights * device.kernelSeconds};
}

double updateBytes(const Layout& layout) {
    const NumberFormats formats = numberFormats(layout.precision);
    const OptimizerTraits& optimizer = traits(layout.optimizer.kind);
    // Numbers a row and a column are few.
    const double bytesOfMoment =
        optimizer.codesMoments ? 1 + double(fp32Bytes) / elementsOfMomentBlock : double(fp32Bytes);
    const double remembered = optimizer.moments * bytesOfMoment + (keepsVelocity(layout.optimizer) ? fp32Bytes : 0);
    const auto weight = static_cast<double>(formats.weightBytes());
    // Where there is a copy in fp32Bytes, it is read and written, and the weight written anew.
    const double weights = formats.master ? 2 * fp32Bytes + weight : 2 * weight;
    return optimizer.readings * static_cast<double>(formats.gradientBytes()) + weights + 2 * remembered;
}

}  // namespace shardlab::predict
