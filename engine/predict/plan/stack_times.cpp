// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/stack_times.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/formats.h"
#include "engine/layout/fp8.h"
#include "engine/layout/recompute.h"
#include "engine/layout/mesh/replicas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace shardlab::predict {
namespace {

// Kernels of a block beside its products and its attention, where nothing is fused.
constexpr double forwardPassKernels = 10;
constexpr double backwardPassKernels = 14;
constexpr double backwardFactor = 2;   ///< of passes over memory: each reads the gradient and what the forward kept
constexpr double maskedShare = 0.5;    ///< of the scores that flash attention computes, where tokens see earlier ones
constexpr double fullHeadWidth = 128;  ///< from which kernels of attention reach their rate
constexpr std::int64_t alignedHeadWidth = 8;  ///< numbers of 16 bits that tensor cores take at once
// The first flash kernels, with small tiles for wide heads, are as quick on narrow ones.
constexpr double headWidthExponent = 0.35;
constexpr double rampTokens = 512;  ///< of a sequence, which take a flash kernel as long as its beginning and end
// Bytes of each score that a materialised attention moves: scores, softmax, dropout with its mask, product.
constexpr double scoreBytesForward = 13, scoreBytesBackward = 20;
constexpr double scoreKernelsForward = 5, scoreKernelsBackward = 8;
constexpr double flashKernelsForward = 2, flashKernelsBackward = 3;

constexpr double permutations = 2;  ///< of rows: in order of experts, and back
// Megatron-Core adds the bias of each expert's second product times its rows' weights in fp32
// (TEGroupedMLP._apply_bias): a product and a sum of each expert, a copy of all experts' rows and a cast. The backward
// casts the gradient, and sums up its products with either factor. So many bytes of a number, and kernels of an expert.
constexpr double expertBiasBytesForward = 28, expertBiasBytesBackward = 40;
constexpr double expertBiasKernelsForward = 2, expertBiasKernelsBackward = 6;
// PyTorch's own operations, one kernel after the other. RMSNorm: to fp32, square, mean, times, back, times its weights.
// Turned positions: times cosines, half negated, joined, times sines, sum. A gate: its activation, times values.
constexpr double eagerNormNumbers = 4, eagerNormBytes = 28;  ///< numbers in the activations' format, bytes of fp32
constexpr double eagerTurnNumbers = 10, eagerGateNumbers = 5;
constexpr double gradientWays = 4.0 / 3;  ///< of a gradient that is read once and written in 8 bits twice
constexpr double resultBytes = 2;         ///< products leave 16 bits

double operandBytes(ProductFormat format) { return traits(format).bits / 8.0; }

double statedPeak(ProductFormat format, const DevicePreset& device) {
    const int bits = traits(format).bits;
    return bits == 16 ? device.bf16Flops : bits == 8 ? device.fp8Flops : device.fp4Flops;
}

/// The peak, with the share of it that products in the format reach relative to those in 16 bits.
double productPeak(ProductFormat format, const DevicePreset& device, const Architecture& architecture) {
    const int bits = traits(format).bits;
    const double scales = scalesRows(format)                ? architecture.rowShare
                          : traits(format).tokens.along > 0 ? architecture.blockShare
                                                            : 1;
    return statedPeak(format, device) * (bits == 16  ? 1
                                         : bits == 8 ? architecture.fp8Share * scales
                                                     : architecture.fp4Share);
}

/// Seconds of a microbatch in one block.
struct BlockTimes {
    double forward = 0, input = 0, weight = 0;
    double again = 0;       ///< of what a recomputed block does again
    double partsAgain = 0;  ///< of what any other does again
};

/// Both halves of a backward.
struct Halves {
    double input = 0, weight = 0;
};

/// Times a stage's work on one device.
class StackClock {
public:
    StackClock(const Layout& layout, const TensorShare& share, const DevicePreset& device, const StackOnDevice& on)
        : model_(layout.model), share_(share), device_(device), stack_(*on.stack), architecture_(*on.architecture),
          format_(numberFormats(layout.precision).activations),
          bytes_(static_cast<double>(numberFormats(layout.precision).activationBytes())), samples_(layout.batch.micro),
          rows_(double(layout.batch.micro) * layout.model.sequence / share.context), parts_(blockParts(layout.model)),
          members_(share.size), splits_(share.sequence), memory_(device.memoryBandwidth) {}

    double forward(const std::vector<MatrixProduct>& products, ProductFormat format) const {
        double sum = 0;
        for (const MatrixProduct& each : products)
            sum += one(each, format) + rounding(each.rows * each.inner * each.count, format);
        return sum;
    }
    /// What the forward rounded is kept for the weight's gradient; the output's gradient is rounded both ways round.
    /// Scales of rows are no scales of columns: both factors of the weight's gradient, which sums over tokens, are read
    /// for their largest magnitudes and rounded anew.
    Halves backward(const std::vector<MatrixProduct>& products, ProductFormat format) const {
        Halves sum;
        for (const MatrixProduct& each : products) {
            const double gradient = each.rows * each.columns * each.count, kept = each.rows * each.inner * each.count;
            sum.input += one({each.rows, each.inner, each.columns, each.count}, format);
            sum.weight += one({each.columns, each.inner, each.rows, each.count}, format);
            if (scalesRows(format)) {
                sum.input += rounding(gradient, format);
                sum.weight += rounding(gradient + kept, format) + (gradient + kept) * bytes_ / memory_;
            } else {
                sum.input += rounding(gradient, format) * gradientWays;
            }
        }
        return sum;
    }

    std::vector<MatrixProduct> block(int layer) const {
        std::vector<MatrixProduct> products = attentionProducts();
        if (ofModule(model_, layer)) products.push_back({rows_, double(model_.hidden), 2.0 * model_.hidden});
        const std::vector<MatrixProduct> others = secondHalf(layer);
        products.insert(products.end(), others.begin(), others.end());
        return products;
    }
    /// The products of a block's feed-forward block or experts.
    std::vector<MatrixProduct> secondHalf(int layer) const {
        const double hidden = model_.hidden;
        std::vector<MatrixProduct> products;
        const auto feedForward = [&](double rows, double width, double blocks) {
            products.push_back({rows, (parts_.gated() ? 2 : 1) * width, hidden, blocks});
            products.push_back({rows, hidden, width, blocks});
        };
        const double width = ownWidth(layer);
        if (!hasExperts(model_, layer)) {
            feedForward(rows_, width, 1);
            return products;
        }
        products.push_back({rows_, static_cast<double>(gateColumns(model_)), hidden});
        if (const std::int64_t shared = ownSharedWidth(model_, layer, share_); shared > 0)
            feedForward(rows_, double(shared), 1);
        const double own = double(model_.experts.count) / share_.expert;
        feedForward(expertRows() / own, width, own);
        return products;
    }
    /// One product makes queries, keys and values. In a latent attention queries, and keys with values, have a down
    /// projection each, which a member does for its own tokens, and what makes heads of them.
    std::vector<MatrixProduct> attentionProducts() const {
        const double hidden = model_.hidden, queries = double(queryColumns(model_, share_));
        const MatrixProduct output{rows_, hidden, double(outputColumns(model_, share_))};
        if (!latentAttention(model_))
            return {{rows_, queries + double(madeKeyColumns(model_, share_)), hidden}, output};
        const double own = rows_ / (splits_ ? members_ : 1), rank = model_.block.queryRank;
        const std::vector<MatrixProduct> heads = headProducts();
        std::vector<MatrixProduct> products;
        if (rank > 0) products.push_back({own, rank, hidden});
        products.push_back(heads.front());
        products.push_back({own, double(model_.block.kvRank) + model_.block.ropeWidth, hidden});
        products.push_back(heads.back());
        products.push_back(output);
        return products;
    }
    /// The products of a latent attention that make heads of latents.
    std::vector<MatrixProduct> headProducts() const {
        const double queries = double(queryColumns(model_, share_)), rank = model_.block.queryRank;
        return {{rows_, queries, rank > 0 ? rank : double(model_.hidden)},
                {rows_, double(expandedColumns(model_, share_)), double(model_.block.kvRank)}};
    }
    /// The products of a block that recompute operations does again (recompute.h); the first half's last product with
    /// `halves`.
    std::vector<MatrixProduct> everySecond(int layer, bool halves) const {
        std::vector<MatrixProduct> products;
        if (stack_.splitsProducts && !latentAttention(model_))
            products.push_back({rows_, double(madeKeyColumns(model_, share_)) / 2, double(model_.hidden)});
        if (halves && hasAttention(model_)) products.push_back(attentionProducts().back());
        if (stack_.splitsProducts && parts_.gated() && !hasExperts(model_, layer))
            products.push_back({rows_, ownWidth(layer), double(model_.hidden)});
        return products;
    }
    std::vector<MatrixProduct> output() const {
        const MatrixProduct product{rows_, double(targetKinds(model_)) / members_, double(outputWidth(model_))};
        return std::vector(static_cast<std::size_t>(1 + predictionModules(model_)), product);
    }

    bool materialises() const { return stack_.attention == AttentionKernel::Materialised; }
    /// Operations of an attention's core: a flash kernel leaves out the scores that are masked, and its backward has
    /// five products for the forward's two: three as wide as queries, two as wide as values.
    double attentionOperations(bool backward) const {
        const double flops = coreForwardFlops(model_, samples_, share_);
        if (materialises()) return backward ? 2 * flops : flops;
        const auto width = double(queryWidth(model_));
        const double products = (3 * width + 2 * valueWidth(model_)) / (width + valueWidth(model_));
        return maskedShare * flops * (backward ? products : 1);
    }
    double attention(bool backward) const {
        const auto width = double(queryWidth(model_));
        // Rows of a head that tensor cores cannot take are left to the other units.
        const bool aligned = !materialises() || queryWidth(model_) % alignedHeadWidth == 0;
        const double rate = (aligned ? device_.flops(format_) : device_.fp32Flops) *
                            architecture_.attention[std::size_t(stack_.attention)];
        const double narrow = std::min(1.0, width / fullHeadWidth), operations = attentionOperations(backward);
        if (materialises()) {
            const double scores = double(samples_) * double(ownHeads(model_, share_)) * model_.sequence *
                                  (double(model_.sequence) / share_.context);
            const double bytes = backward ? scoreBytesBackward : scoreBytesForward;
            return operations / (rate * std::sqrt(narrow)) + scores * bytes / memory_ +
                   launches(backward ? scoreKernelsBackward : scoreKernelsForward);
        }
        const double exponent = stack_.attention == AttentionKernel::Flash1 ? 0 : headWidthExponent;
        const double reached = rate * std::pow(narrow, exponent) * model_.sequence / (model_.sequence + rampTokens) *
                               (backward ? architecture_.attentionBackward : 1);
        return operations / reached + launches(backward ? flashKernelsBackward : flashKernelsForward);
    }

    /// Seconds of products, and of an attention's core, at the device's peak for their formats.
    double atPeak(const std::vector<MatrixProduct>& products, ProductFormat format) const {
        double operations = 0;
        for (const MatrixProduct& each : products) operations += 2 * each.rows * each.columns * each.inner * each.count;
        return operations / statedPeak(format, device_);
    }
    double attentionAtPeak(bool backward) const { return attentionOperations(backward) / device_.flops(format_); }

    /// Passes over memory of a block's forward, beside products and attention: norms read and write, a residual sum
    /// reads two and writes one and a mask, queries, keys and values change their layout, the activation reads and
    /// writes. The norms of latents are two more.
    double passes(int layer, bool backward) const {
        const double once = passBytes(layer) * stack_.passes / memory_;
        return expertBiases(layer, backward) +
               (backward ? backwardFactor * once + launches(backwardPassKernels * stack_.passes)
                         : once + launches(forwardPassKernels * stack_.passes));
    }
    /// Adding the biases of a layer's experts.
    double expertBiases(int layer, bool backward) const {
        if (!parts_.biases || !hasExperts(model_, layer)) return 0;
        const double bytes = backward ? expertBiasBytesBackward : expertBiasBytesForward;
        const double kernels = backward ? expertBiasKernelsBackward : expertBiasKernelsForward;
        return bytes * expertRows() * model_.hidden / memory_ +
               launches(kernels * model_.experts.count / share_.expert);
    }
    double passBytes(int layer) const {
        const double latents = latentAttention(model_) ? double(model_.block.queryRank) + model_.block.kvRank : 0;
        const double ofLatents = 2 * bytes_ * latents / (splits_ ? members_ : 1);
        return 2 * (normBytes() + residualBytes()) + ofLatents * rows_ + layoutBytes() + feedForwardBytes(layer);
    }
    double outside() const { return rows_ * model_.hidden / (splits_ ? members_ : 1); }
    double normBytes() const {
        const bool eager = stack_.eager && parts_.rmsNorm;
        return (eager ? eagerNormNumbers * bytes_ + eagerNormBytes : 2 * bytes_) * outside();
    }
    /// A sum of two; with dropout a mask besides, and half of the numbers once more in the mean.
    double residualBytes() const { return (model_.dropout > 0 ? 4.5 * bytes_ + 1 : 3 * bytes_) * outside(); }
    double layoutBytes() const {
        const double turned = stack_.eager && parts_.rotary ? eagerTurnNumbers * turnedColumns() : 0;
        const auto ordered = double(2 * queryColumns(model_, share_) + outputColumns(model_, share_));
        return bytes_ * rows_ * (turned + 2 * ordered);
    }
    /// The part of a forward's passes, and of their kernels, that moves so many bytes.
    double passesOf(double bytes, int layer) const {
        return (passes(layer, false) - expertBiases(layer, false)) * bytes / passBytes(layer);
    }
    /// One of two norms and residual sums.
    double secondHalfPasses(int layer) const {
        return passesOf(normBytes() + residualBytes() + feedForwardBytes(layer), layer);
    }
    /// Queries, keys and values are brought into the order of heads again.
    double headPasses(int layer) const { return passesOf(layoutBytes(), layer); }
    double pointwisePasses(int layer, const PointwiseAgain& again) const {
        const double bytes = again.norms * normBytes() + (again.activation ? activationBytes(layer) : 0);
        return bytes > 0 ? passesOf(bytes, layer) : 0;
    }
    /// What recompute operations does again of them: all but the last residual sum, and rows on their way.
    double betweenPasses(int layer) const {
        return passesOf(2 * normBytes() + residualBytes() + layoutBytes() + activationBytes(layer), layer);
    }
    /// What the middle of a feed-forward block moves, and rows on their way to experts and back, which nothing fuses.
    double feedForwardBytes(int layer) const {
        if (!hasExperts(model_, layer)) return activationBytes(layer);
        return activationBytes(layer) + permutations * 2 * bytes_ * model_.hidden * expertRows() / stack_.passes;
    }
    double activationBytes(int layer) const {
        const double width = ownWidth(layer), activated = numbersOfActivation() * bytes_;
        if (!hasExperts(model_, layer)) return activated * width * rows_;
        return activated * (double(ownSharedWidth(model_, layer, share_)) * rows_ + width * expertRows());
    }
    /// A forward takes no less: the processor has to know how many rows each expert has before it starts its products.
    double startingExperts() const {
        return launches(stack_.routingKernels + stack_.expertKernels * model_.experts.count / share_.expert);
    }
    double logits() const {
        return (1 + predictionModules(model_)) * rows_ * targetKinds(model_) / members_ * stack_.logitBytes / memory_;
    }
    double embedding() const { return rows_ * model_.hidden * 2 * bytes_ / memory_; }

private:
    /// Columns of queries and keys; a latent attention turns a part of each query, and one key.
    double turnedColumns() const {
        if (latentAttention(model_)) return (double(ownHeads(model_, share_)) + 1) * model_.block.ropeWidth;
        return double(queryColumns(model_, share_)) + double(madeKeyColumns(model_, share_)) / 2;
    }
    double numbersOfActivation() const { return !parts_.gated() ? 2 : stack_.eager ? eagerGateNumbers : 3; }
    double ownWidth(int layer) const { return static_cast<double>(layout::ownWidth(model_, layer, share_)); }
    double expertRows() const { return static_cast<double>(layout::expertRows(model_, samples_, share_)); }
    double one(const MatrixProduct& product, ProductFormat format) const {
        return productSeconds(product, format, device_, architecture_) + stack_.kernelSeconds;
    }
    /// Reading numbers in 16 bits and writing them in fewer.
    double rounding(double numbers, ProductFormat format) const {
        return format == ProductFormat::Compute ? 0 : numbers * (bytes_ + operandBytes(format)) / memory_;
    }
    double launches(double kernels) const { return kernels * stack_.kernelSeconds; }

    const ModelSpec& model_;
    const TensorShare& share_;
    const DevicePreset& device_;
    const SoftwareStack& stack_;
    const Architecture& architecture_;
    NumberFormat format_;
    double bytes_;
    int samples_;
    double rows_;
    BlockParts parts_;
    int members_;
    bool splits_;
    double memory_;
};

/// Seconds of the copies of a stage's weights out of what was gathered, and of their gradients to where they lie side
/// by side to be scattered.
struct ShardCopies {
    double weights = 0, gradients = 0;
};
ShardCopies shardCopies(const Layout& layout, const StageShape& stage, const TensorShare& share,
                        const DevicePreset& device, const SoftwareStack& stack) {
    const NumberFormats formats = numberFormats(layout.precision);
    const auto numbers = static_cast<double>(stageParameters(layout.model, stage, share));
    const bool rounded = stack.gathersRounded && scalesTensors(layout.precision.products);
    const double weight = rounded ? operandBytes(layout.precision.products) : double(formats.weightBytes());
    return {2 * weight * numbers / device.memoryBandwidth,
            double(formats.weightBytes() + formats.gradientBytes()) * numbers / device.memoryBandwidth};
}

}  // namespace

std::optional<StackOnDevice> stackOf(const Layout& layout, const DevicePreset& device) {
    const SoftwareStack* stack = modelledStack(layout);
    const Architecture* architecture = findArchitecture(device.architecture);
    if (stack == nullptr || architecture == nullptr) return std::nullopt;
    return StackOnDevice{stack, architecture};
}

double productSeconds(const MatrixProduct& product, ProductFormat format, const DevicePreset& device,
                      const Architecture& architecture) {
    struct Tile {
        double rows, columns, speed;
    };
    // A smaller tile fills the last wave better and reuses less of what it reads.
    const double rows = architecture.tileRows, columns = architecture.tileColumns;
    const std::array tiles{Tile{rows, columns, 1}, Tile{rows, columns / 2, 0.97}, Tile{rows / 2, columns / 2, 0.88}};
    const double rate = productPeak(format, device, architecture) * device.matmulEfficiency / device.multiprocessors;
    double best = INFINITY;
    for (const Tile& tile : tiles) {
        const double count =
            product.count * std::ceil(product.rows / tile.rows) * std::ceil(product.columns / tile.columns);
        const double waves = std::ceil(count / device.multiprocessors);
        const double inner = product.inner + architecture.tileOverhead;
        best = std::min(best, waves * 2 * tile.rows * tile.columns * inner / (rate * tile.speed));
    }
    const double bytes = product.count * (operandBytes(format) * (product.rows + product.columns) * product.inner +
                                          resultBytes * product.rows * product.columns);
    return std::max(best, bytes / device.memoryBandwidth);
}

ComputeTimes stackTimes(const Layout& layout, const StageShape& stage, const TensorShare& share,
                        const DevicePreset& device, const StackOnDevice& on) {
    const StackClock clock(layout, share, device, on);
    const bool halves = recomputesSecondHalves(layout.memory), operations = recomputesOperations(layout.memory);
    // A program that keeps outputs which nobody reads makes others that nobody reads.
    const bool halvesAgain = makesHalvesAgain(layout.memory, share.size) || on.stack->keepsUnread;
    const auto secondHalf = [&](int layer) {
        const double seconds =
            clock.forward(clock.secondHalf(layer), layout.precision.products) + clock.secondHalfPasses(layer);
        return hasExperts(layout.model, layer) ? std::max(seconds, clock.startingExperts()) : seconds;
    };
    const auto timesOf = [&](int layer) {
        const std::vector<MatrixProduct> products = clock.block(layer);
        const Halves back = clock.backward(products, layout.precision.products);
        BlockTimes block;
        block.forward =
            clock.forward(products, layout.precision.products) + clock.attention(false) + clock.passes(layer, false);
        block.input = back.input + clock.attention(true) + clock.passes(layer, true);
        block.weight = back.weight;
        if (hasExperts(layout.model, layer)) {
            block.forward = std::max(block.forward, clock.startingExperts());
            const double slower =
                std::max(1.0, backwardFactor * clock.startingExperts() / (block.input + block.weight));
            block.input *= slower;
            block.weight *= slower;
        }
        block.again = halves       ? secondHalf(layer)
                      : operations ? clock.forward(clock.everySecond(layer, halvesAgain), layout.precision.products) +
                                         clock.betweenPasses(layer)
                                   : block.forward;
        if (recomputesCore(layout.memory)) block.partsAgain += clock.attention(false);
        if (recomputesHeads(layout.memory))
            block.partsAgain +=
                clock.forward(clock.headProducts(), layout.precision.products) + clock.headPasses(layer);
        return block;
    };
    ComputeTimes times;
    double again = 0;
    BlockTimes block;
    for (int layer = stage.firstLayer; layer < stage.firstLayer + stage.layers; ++layer) {
        if (layer == stage.firstLayer || !sameShapes(layout.model, layer, layer - 1)) block = timesOf(layer);
        times.forward += block.forward;
        times.inputGrad += block.input;
        times.weightGrad += block.weight;
        const bool ofSegment = recomputesBlock(layout.model, layout.memory, stage, layer - stage.firstLayer);
        again += (ofSegment ? block.again : 0) + block.partsAgain +
                 clock.pointwisePasses(layer, pointwiseAgain(layout.model, layout.memory, ofSegment));
    }
    if (stage.last) {
        const Halves back = clock.backward(clock.output(), ProductFormat::Compute);
        times.forward += clock.forward(clock.output(), ProductFormat::Compute) + clock.logits();
        if (lossPieces(layout) > 1) times.logitsAgain = clock.forward(clock.output(), ProductFormat::Compute);
        times.inputGrad += back.input + times.logitsAgain;
        times.weightGrad += back.weight + times.logitsAgain;
    }
    if (stage.first) {
        times.forward += clock.embedding();
        times.weightGrad += clock.embedding();
    }
    times.recompute = again;
    times.inputGrad += again;
    const bool gathers = layout.parallel.zero == 3 && replicaCount(layout.parallel) > 1;
    if (gathers && on.stack->copiesShards) {
        const ShardCopies copies = shardCopies(layout, stage, share, device, *on.stack);
        times.forward += copies.weights;
        times.inputGrad += copies.weights;
        times.weightGrad += copies.gradients;
    }
    const double factor = on.stack->overhead * (gathers ? on.stack->besideGathers : 1);
    return {times.forward * factor, times.inputGrad * factor, times.weightGrad * factor, times.recompute * factor,
            times.logitsAgain * factor};
}

double stackPeakSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                        const DevicePreset& device, const StackOnDevice& on) {
    constexpr double passes = 3;  // a forward, and the gradients of inputs and of weights
    const StackClock clock(layout, share, device, on);
    double seconds = 0;
    for (int layer = stage.firstLayer; layer < stage.firstLayer + stage.layers; ++layer)
        seconds += passes * clock.atPeak(clock.block(layer), layout.precision.products) + clock.attentionAtPeak(false) +
                   clock.attentionAtPeak(true);
    if (stage.last) seconds += passes * clock.atPeak(clock.output(), ProductFormat::Compute);
    return seconds;
}

double stackAttentionSeconds(const Layout& layout, const TensorShare& share, const DevicePreset& device,
                             const StackOnDevice& on) {
    return StackClock(layout, share, device, on).attention(false);
}

DevicePreset reachedBandwidths(DevicePreset device, const Architecture& architecture) {
    device.memoryBandwidth *= architecture.memoryShare;
    device.inNode = {device.inNode.bandwidth * architecture.inNodeShare, architecture.inNodeLatency};
    device.betweenNodes = {device.betweenNodes.bandwidth * architecture.betweenNodesShare,
                           architecture.betweenNodesLatency};
    return device;
}

Link exchangeLink(const Group& group, const DevicePreset& device, int rows, bool merges) {
    const double members = group.members;
    if (members < 2) return device.inNode;
    const double hosts = std::max(1, group.hosts), onHost = members / hosts;
    double leaving = (members - onHost) / members;  // of all rows
    // Each other host is one of those of a token's rows with the same probability.
    if (merges) leaving = std::min(leaving, (hosts - 1) * (1 - std::pow(1 - 1 / hosts, rows)) / rows);
    const double seconds = std::max(leaving / device.betweenNodes.bandwidth,
                                    (members - 1) / members / device.inNode.bandwidth);  // of a byte
    return {(members - 1) / members / seconds,
            (hosts > 1 ? device.betweenNodes : device.inNode).latency / (members - 1)};
}

Link ringLink(const Group& group, const DevicePreset& device, double share) {
    if (group.hosts < 2) return device.inNode;
    const double onHost = std::max(1, group.members / group.hosts);
    return {std::min(device.inNode.bandwidth, device.betweenNodes.bandwidth * onHost * share),
            device.betweenNodes.latency};
}

}  // namespace shardlab::predict
