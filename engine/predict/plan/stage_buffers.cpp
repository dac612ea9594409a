// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/stage_buffers.h"

#include "engine/base/ranges.h"
#include "engine/layout/block_parts.h"
#include "engine/layout/formats.h"
#include "engine/layout/fp8.h"
#include "engine/layout/recompute.h"
#include "engine/layout/stacks.h"
#include "engine/predict/plan/attention_bytes.h"
#include "engine/predict/plan/cnn_buffers.h"
#include "engine/predict/plan/expert_bytes.h"
#include "engine/predict/plan/latent_bytes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace shardlab::predict {
namespace {

using Category = MemoryCategory;

/// Sizes in bytes of one microbatch's tensors, of one member of the tensor group. Activations and their gradients are
/// in the layout's format, statistics and sums in fp32.
struct Sizes {
    std::int64_t own;         ///< n·h: between layers
    std::int64_t normed;      ///< of it, what a norm leaves for the products of a block
    std::int64_t headNormed;  ///< and for the output projection
    std::int64_t operand;     ///< one number a token, as a product keeps it
    std::int64_t copied;      ///< N·q as the projection keeps it beside the attention's output; 0: it keeps that
    std::int64_t all;         ///< N·h; = own where tokens are not split
    std::int64_t statistics;  ///< 2n, of RMSNorm n
    std::int64_t columns;     ///< N·q: of an attention's queries, which are as many as of its output
    std::int64_t joined;      ///< of queries, keys and values as the first product writes them
    std::int64_t spread;      ///< of all three for each head, where positions are rotary; else 0
    std::int64_t headNorms;   ///< of the gradients of the norms of queries and keys; 0 where there are none
    AttentionBytes attention;
    std::int64_t mask;  ///< that dropout keeps of a branch's output; 0 where it is drawn again
    std::int64_t logits;
    std::int64_t loss;    ///< 3N where the vocabulary is shared, else 0
    std::int64_t number;  ///< one number a token, N
    std::int64_t tokens;  ///< the tokens themselves, N of 32 bits; or the targets
    std::int64_t norm;    ///< 2h, of RMSNorm h, of a norm's gradients where tokens are split, else 0
    std::int64_t square;  ///< h·q of a member, the copy of a weight that is rounded for its product; 0 where none is
    std::int64_t triple;  ///< likewise of all columns of queries, keys and values
    std::int64_t row;     ///< likewise of h
    std::int64_t table;   ///< likewise of the output projection
    std::int64_t positions;         ///< copy of a context member's rows of their table; else 0
    std::int64_t positionGradient;  ///< and of its gradient
};

/// Bits of an operand in the format, with the scales of its blocks.
double operandBits(ProductFormat format) {
    constexpr double scale = 8;  // bits, of 32 or 16 numbers
    switch (format) {
    case ProductFormat::Compute: return 16;
    case ProductFormat::Fp8: return 8;
    case ProductFormat::MxFp8: return 8 + scale / 32;
    case ProductFormat::NvFp4: return 4 + scale / 16;
    case ProductFormat::Fp8Blocks: return 8 + 4 * scale / 128;
    }
    return 16;
}

/// What the stack's products keep of their operands: in fewer bits where they are rounded, of all tokens where a tensor
/// group gathered them.
void keepOperands(Sizes& size, const Layout& layout, const SoftwareStack& stack, std::int64_t tokens, std::int64_t own,
                  std::int64_t queries) {
    const std::int64_t h = layout.model.hidden;
    if (stack.keepsGathered) size.normed = size.headNormed = size.all;
    if (!stack.keepsRounded || layout.precision.products == ProductFormat::Compute) return;
    const double bytes = operandBits(layout.precision.products) / 8;
    const auto of = [&](std::int64_t numbers) { return std::llround(bytes * static_cast<double>(numbers)); };
    size.normed = of((stack.keepsGathered ? tokens : own) * h);
    size.operand = of(tokens);
    size.copied = of(tokens * queries);
}

Sizes sizesOf(const Layout& layout, const TensorShare& share) {
    constexpr std::int64_t fp32 = bytesOf(NumberFormat::Fp32);
    const ModelSpec& model = layout.model;
    const NumberFormats formats = numberFormats(layout.precision);
    const std::int64_t bytes = formats.activationBytes();
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * model.sequence / share.context;
    const std::int64_t own = tokens / (share.sequence ? share.size : 1);
    const std::int64_t h = model.hidden, vocabulary = rangeSize(model.vocabulary, share.size, share.part);
    Sizes size{};
    size.own = bytes * own * h;
    size.all = bytes * tokens * h;
    size.normed = size.headNormed = size.own;
    size.operand = bytes * tokens;
    size.statistics = fp32 * normNumbers(model) * own;
    const std::int64_t queries = queryColumns(model) / share.size;
    size.columns = bytes * tokens * queries;
    const std::int64_t three = queries + 2 * keyColumns(model) / share.size;  // columns of queries, keys and values
    size.joined = bytes * tokens * three;
    size.spread = bytes * spreadAttentionFloats(model, layout.batch.micro, share);
    size.headNorms = fp32 * queryKeyNormParameters(model);
    size.attention = attentionBytes(layout, share);
    size.logits = bytes * tokens * vocabulary;
    if (const SoftwareStack* stack = modelledStack(layout)) {
        size.spread = 0;
        keepOperands(size, layout, *stack, tokens, own, queries);
        size.mask = model.dropout > 0 ? own * h : 0;
        const double each = share.size > 1 ? stack->splitLogitMemory : stack->logitMemory;
        size.logits = std::llround(each * static_cast<double>(tokens * vocabulary));
    }
    size.loss = share.size > 1 ? fp32 * 3 * tokens : 0;
    size.number = bytes * tokens;
    size.tokens = static_cast<std::int64_t>(sizeof(std::int32_t)) * tokens;
    size.norm = share.sequence ? fp32 * normNumbers(model) * h : 0;
    if (share.context > 1 && !blockParts(model).rotary) {
        size.positions = formats.weightBytes() * (model.sequence / share.context) * h;
        size.positionGradient = formats.gradientBytes() * (model.sequence / share.context) * h;
    }
    if (!formats.castsWeights()) return size;
    size.table = bytes * h * vocabulary;
    if (roundsProducts(layout)) return size;  // linear layers round weights of their own type to 8 bits
    size.row = bytes * h;
    size.square = size.row * queries;
    size.triple = size.row * three;
    return size;
}

/// One layer of model/: what its state holds besides its input, and what it needs in passing.
struct LayerBytes {
    std::int64_t first;       ///< held before the norm is gathered: statistics, norm, what the first product writes
    std::int64_t second;      ///< held after
    std::int64_t scratch;     ///< during the forward, with all of that held
    std::int64_t spread;      ///< with it, and from inputGrad's begin of the attention to its end
    std::int64_t freedEarly;  ///< of it, what inputGrad frees, or the forward where the core is recomputed
    std::int64_t gradient;    ///< during inputGrad: of what the projection read
    std::int64_t temporary;   ///< and then beside it
    std::int64_t apart;       ///< and of Activations
    std::int64_t headNorms;   ///< from inputGrad's begin of the attention to the weight gradient
    std::int64_t expansion;   ///< copies of the two weights, for their products
    std::int64_t projection;
    std::int64_t pointwise = 0;               ///< held: what the norm and the activation make
    std::optional<ExpertBytes> experts = {};  ///< where there are some; of what stands above `first` alone counts then
    std::optional<LatentBytes> latent = {};   ///< likewise, where `first`, `freedEarly` and `projection` count
    std::int64_t held() const { return first + second; }
};

LayerBytes attentionLayer(const Sizes& size) {
    const AttentionBytes& needs = size.attention;
    return {.first = size.statistics + size.normed + size.joined,
            .second = needs.kept + size.columns + size.copied + size.mask,
            .scratch = needs.forwardScratch,
            .spread = size.spread,
            .freedEarly = needs.kept,
            .gradient = size.columns,
            .temporary = needs.backwardScratch,
            .apart = needs.gradientApart,
            .headNorms = size.headNorms,
            .expansion = size.triple,
            .projection = size.square,
            .pointwise = size.own};
}

LayerBytes latentLayer(const Layout& layout, const TensorShare& share, const Sizes& size) {
    const LatentBytes latent = latentBytes(layout, share);
    return {.first = latent.held(),
            .freedEarly = latent.attention.kept,
            .projection = size.row > 0 ? size.row * (outputColumns(layout.model) / share.size) : 0,
            .pointwise = size.own,
            .latent = latent};
}

/// `expansions`: first products, 2 where one of them is a gate.
LayerBytes feedForwardLayer(const Sizes& size, int width, int expansions) {
    return {.first = size.statistics + size.normed + width * (expansions * size.number + size.operand) + size.mask,
            .gradient = width * size.number,
            .expansion = expansions * width * size.row,
            .projection = width * size.row,
            .pointwise = size.own + width * size.number};
}

LayerBytes expertsLayer(const Sizes& size, const ExpertBytes& experts) {
    return {.first = size.statistics + size.own + experts.gate + experts.rows,
            .second = experts.shared,
            .pointwise = size.own + experts.activated,
            .experts = experts};
}

/// Follows Stage of model/stage.cpp buffer by buffer; keep the two side by side.
class StageWalk {
public:
    StageWalk(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours,
              const TensorShare& share)
        : size_(sizesOf(layout, share)), shape_(shape), neighbours_(neighbours), splits_(share.sequence),
          drops_(layout.model.dropout > 0), again_(recomputesCore(layout.memory)),
          heads_(recomputesHeads(layout.memory)), pointwise_(recomputesPointwise(layout.memory)),
          part_(partitionsInputs(layout.memory, layout.parallel) ? size_.own / share.size : 0),
          segments_(layerSegments(layout.model, layout.memory, {shape.layers, false, false})) {
        for (int layer = 0; layer < shape.layers; ++layer) {
            if (hasAttention(layout.model))
                layers_.push_back(latentAttention(layout.model) ? latentLayer(layout, share, size_)
                                                                : attentionLayer(size_));
            const int ofModel = shape.firstLayer + layer;
            layers_.push_back(hasExperts(layout.model, ofModel)
                                  ? expertsLayer(size_, expertBytes(layout, ofModel, share))
                                  : feedForwardLayer(size_, feedForwardWidth(layout.model, ofModel) / share.size,
                                                     blockParts(layout.model).feedForwardMatrices() - 1));
        }
    }

    MemoryDelta forward() {
        Tally tally;
        if (shape_.first) {
            tally.add(Category::Buffers, size_.tokens);
            sum(tally, Category::Activations, size_.positions);
        }
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            forwardLayer(tally, layers_[i]);
            if (pointwise_) tally.add(Category::Activations, -layers_[i].pointwise);
            if (segments_[i] < 0) continue;
            tally.add(Category::Activations, -layers_[i].held());
            if (!beginsSegment(i)) tally.add(Category::Activations, -size_.own);  // its input
            else if (part_ > 0) {
                tally.add(Category::Activations, part_);
                tally.add(received(i) ? Category::Buffers : Category::Activations, -size_.own);
            }
        }
        if (shape_.last) {
            tally.add(Category::Activations, size_.statistics + size_.headNormed + size_.logits);
            gathered(tally, size_.table);
            passing(tally, size_.tokens + size_.loss);
        }
        return tally.whole();
    }

    /// Input gradients from the top; where `weightsToo`, each layer's weight gradient follows at once and frees it.
    MemoryDelta inputGrads(Category kept, bool weightsToo) {
        Tally tally;
        if (shape_.last) {
            sum(tally, kept, size_.table);  // of the norm's output
            tally.add(kept, size_.own);     // of the input
            if (weightsToo) freeHead(tally, kept);
        }
        for (std::size_t i = layers_.size(); i-- > 0;) {
            const LayerBytes& layer = layers_[i];
            if (endsSegment(segments_, static_cast<int>(i))) recompute(tally, i);
            if (pointwise_) tally.add(Category::Activations, layer.pointwise);
            if (layer.experts) {
                expertsGrad(tally, *layer.experts, kept);
                tally.add(outputGradient(i, kept), -size_.own);
                if (weightsToo) freeLayer(tally, i, kept);
                continue;
            }
            if (splits_ && drops_) tally.add(Category::Temporary, size_.own);  // masked, not yet gathered
            if (branches()) tally.add(kept, size_.all);
            if (splits_ && drops_) tally.add(Category::Temporary, -size_.own);
            if (layer.latent) latentInputGrad(tally, *layer.latent, kept, {again_, heads_}, layer.projection);
            else branchGrad(tally, layer, kept);
            tally.add(kept, size_.own);  // of the input
            if (branches()) tally.add(outputGradient(i, kept), -size_.own);
            if (weightsToo) freeLayer(tally, i, kept);
        }
        if (shape_.first && weightsToo) freeEmbedding(tally, kept);
        return tally.whole();
    }

    MemoryDelta weightGrads(Category kept) {
        Tally tally;
        if (shape_.last) freeHead(tally, kept);
        for (std::size_t i = layers_.size(); i-- > 0;) freeLayer(tally, i, kept);
        if (shape_.first) freeEmbedding(tally, kept);
        return tally.whole();
    }

private:
    /// From the gradient of the branch to that of the norm's output.
    void branchGrad(Tally& tally, const LayerBytes& layer, Category kept) const {
        tally.add(kept, layer.headNorms);
        tally.add(Category::Temporary, layer.spread);
        if (again_) {
            tally.add(Category::Activations, layer.freedEarly);
            passing(tally, layer.scratch);
        }
        tally.add(Category::Temporary, layer.gradient);
        passing(tally, layer.projection);
        tally.add(Category::Temporary, layer.temporary);
        tally.add(Category::Activations, layer.apart);
        tally.add(Category::Activations, -(layer.apart + layer.freedEarly));
        tally.add(Category::Temporary, -(layer.gradient + layer.temporary + layer.spread));
        sum(tally, kept, layer.expansion);
    }

    void forwardLayer(Tally& tally, const LayerBytes& layer) const {
        if (layer.experts) {
            const ExpertBytes& experts = *layer.experts;
            tally.add(Category::Activations, layer.first - experts.rows);
            const std::int64_t copy = splits_ ? size_.all : 0;  // the gathered norm
            tally.add(Category::Temporary, copy);
            passing(tally, experts.floats + experts.gateCopy);
            passing(tally, experts.assigned);
            tally.add(Category::Activations, experts.shared);
            passing(tally, experts.sharedExpansion);
            routedRows(tally, experts, copy);
            sum(tally, Category::Activations, experts.shared > 0 ? size_.all + experts.sharedProjection : 0);
            return;
        }
        if (layer.latent) {
            latentForward(tally, *layer.latent, {again_, heads_});
            return sum(tally, Category::Activations, layer.projection);
        }
        tally.add(Category::Activations, layer.first);
        gathered(tally, layer.expansion);
        tally.add(Category::Activations, layer.second);
        passing(tally, layer.spread + layer.scratch);
        if (again_) tally.add(Category::Activations, -layer.freedEarly);
        sum(tally, Category::Activations, layer.projection);
    }

    /// Rows are made of the norm's `copy`. What goes in is received before there is room for more, what comes out after
    /// all else.
    static void routedRows(Tally& tally, const ExpertBytes& experts, std::int64_t copy) {
        const bool travels = experts.sent > 0;
        tally.add(travels ? Category::Temporary : Category::Activations, experts.gathered);
        tally.add(Category::Temporary, -copy);
        if (travels) {
            tally.add(Category::Activations, experts.gathered);
            tally.add(Category::Temporary, -experts.sent);
        }
        const std::int64_t out = travels ? experts.gathered : 0;
        tally.add(Category::Activations, experts.rows - experts.gathered - out);
        tally.add(Category::Temporary, experts.sent);
        passing(tally, std::max(experts.expansion, experts.projection));
        tally.add(Category::Activations, out);
        tally.add(Category::Temporary, -experts.sent);
    }

    void expertsGrad(Tally& tally, const ExpertBytes& experts, Category kept) const {
        tally.add(Category::Temporary, experts.weights);
        const bool shares = experts.shared > 0;
        const Category category = shares ? kept : Category::Temporary;
        const std::int64_t branch = shares || branches() ? size_.all : 0;
        if (splits_ && drops_) tally.add(Category::Temporary, size_.own);  // masked, not yet gathered
        tally.add(category, branch);
        if (splits_ && drops_) tally.add(Category::Temporary, -size_.own);
        passing(tally, experts.sent);
        if (!shares) tally.add(category, -branch);
        passing(tally, experts.scratch + experts.projection);
        tally.add(Category::Temporary, experts.gathered);
        passing(tally, experts.expansion);
        passing(tally, experts.sent);                                // it takes the place of what it is made of
        tally.add(splits_ ? Category::Temporary : kept, size_.all);  // of the norm's output
        tally.add(Category::Temporary, -experts.gathered);
        if (shares) {
            passing(tally, experts.sharedScratch + experts.sharedProjection);
            passing(tally, size_.all + experts.sharedExpansion);
        }
        if (splits_) {
            tally.add(kept, size_.own);
            tally.add(Category::Temporary, -size_.all);
        }
        passing(tally, experts.ownFloats + experts.gateCopy);
        tally.add(kept, size_.own);  // of the input
        tally.add(Category::Temporary, -experts.weights);
    }

    void recompute(Tally& tally, std::size_t last) const {
        if (part_ > 0) {  // the input comes together again
            tally.add(Category::Activations, size_.own);
            tally.add(Category::Activations, -part_);
        }
        for (auto i = static_cast<std::size_t>(segments_[last]); i <= last; ++i) forwardLayer(tally, layers_[i]);
        tally.add(Category::Activations, -size_.own);  // the output, which nobody takes
    }

    bool beginsSegment(std::size_t i) const { return segments_[i] == static_cast<int>(i); }
    bool received(std::size_t i) const { return i == 0 && neighbours_.inputReceived; }

    /// A branch's gradient is not the output's own: masked, or gathered.
    bool branches() const { return splits_ || drops_; }

    Category outputGradient(std::size_t i, Category kept) const {
        return i + 1 == layers_.size() && !shape_.last ? neighbours_.gradient : kept;
    }
    /// The stage has nothing but the embedding, or the output.
    bool endAlone() const { return layers_.empty(); }

    static void passing(Tally& tally, std::int64_t bytes) {
        if (bytes == 0) return;
        tally.add(Category::Temporary, bytes);
        tally.add(Category::Temporary, -bytes);
    }
    /// `weight`: of the copy of a weight, or of its gradient, that is made beside it, 0 where there is none.
    void gathered(Tally& tally, std::int64_t weight = 0) const { passing(tally, (splits_ ? size_.all : 0) + weight); }
    /// TensorGroup::sum: where tokens are split, of all of them first.
    void sum(Tally& tally, Category category, std::int64_t weight) const {
        if (splits_) tally.add(Category::Temporary, size_.all);
        else tally.add(category, size_.own);
        passing(tally, weight);
        if (!splits_) return;
        tally.add(category, size_.own);
        tally.add(Category::Temporary, -size_.all);
    }

    void freeHead(Tally& tally, Category kept) const {
        gathered(tally);
        passing(tally, size_.norm);
        // The head's input is the last layer's output, or the stage's.
        tally.add(endAlone() && received(0) ? Category::Buffers : Category::Activations, -size_.own);
        tally.add(Category::Activations, -(size_.statistics + size_.headNormed + size_.logits));
        tally.add(kept, -size_.own);  // of the norm's output; that of its input has gone down
    }

    void freeLayer(Tally& tally, std::size_t i, Category kept) const {
        const LayerBytes& layer = layers_[i];
        if (layer.latent) latentWeightGrad(tally, *layer.latent);
        else gathered(tally, layer.experts ? layer.experts->floats + layer.experts->gatePart : 0);
        passing(tally, size_.norm);
        const bool asReceived = received(i) && (part_ == 0 || segments_[i] < 0);
        tally.add(asReceived ? Category::Buffers : Category::Activations, -size_.own);
        tally.add(Category::Activations, -(layer.held() - layer.freedEarly));
        if (layer.experts && layer.experts->shared > 0) tally.add(kept, -size_.all);  // of the branch
        tally.add(kept, -(layer.latent ? layer.latent->gradients() : layer.headNorms));
        if (!layer.experts) tally.add(branches() ? kept : outputGradient(i, kept), -size_.all);  // of the branch
        tally.add(kept, -size_.own);                                                             // of the norm's output
    }

    void freeEmbedding(Tally& tally, Category kept) const {
        gathered(tally, size_.positionGradient);
        tally.add(endAlone() ? neighbours_.gradient : kept, -size_.own);
        tally.add(Category::Buffers, -size_.tokens);
    }

    Sizes size_;
    StageShape shape_;
    StageNeighbours neighbours_;
    bool splits_;
    bool drops_;
    bool again_;         ///< the core is recomputed
    bool heads_;         ///< what a latent attention makes of its latents is
    bool pointwise_;     ///< what norms and activations make is
    std::int64_t part_;  ///< of a segment's input, that is kept of it; 0: all of it is
    std::vector<LayerBytes> layers_;
    std::vector<int> segments_;  ///< as Stage has them, without its embedding
};

}  // namespace

MemoryBytes swappedBytes(const StageBuffers& buffers, const StageShape& shape, bool received) {
    MemoryBytes bytes{};
    std::int64_t& activations = bytes[static_cast<std::size_t>(Category::Activations)];
    std::int64_t& receives = bytes[static_cast<std::size_t>(Category::Buffers)];
    activations = buffers.forward.change[static_cast<std::size_t>(Category::Activations)];
    if (!shape.last) activations -= buffers.outputBytes;  // it goes on
    if (shape.first) return bytes;
    receives = buffers.forward.change[static_cast<std::size_t>(Category::Buffers)];
    (received ? receives : activations) += buffers.inputBytes;
    return bytes;
}

StageBuffers stageBuffers(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours,
                          const TensorShare& share) {
    if (readsImages(layout.model)) return cnnStageBuffers(layout, shape, neighbours);
    StageWalk walk(layout, shape, neighbours, share);
    StageBuffers buffers;
    buffers.forward = walk.forward();
    buffers.backward = walk.inputGrads(Category::Temporary, true);
    buffers.inputGrad = walk.inputGrads(Category::Buffers, false);
    buffers.weightGrad = walk.weightGrads(Category::Buffers);
    buffers.inputBytes = buffers.outputBytes = sizesOf(layout, share).own;
    return buffers;
}

}  // namespace shardlab::predict
