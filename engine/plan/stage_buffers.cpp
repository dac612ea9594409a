// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/stage_buffers.h"

#include "engine/base/ranges.h"
#include "engine/layout/recompute.h"

#include <algorithm>
#include <vector>

namespace shardlab {
namespace {

using Category = MemoryCategory;

/// Sizes in bytes of one microbatch's tensors, of one member of the tensor group.
struct Sizes {
    std::int64_t own;         ///< n·h: between layers
    std::int64_t all;         ///< N·h; = own where tokens are not split
    std::int64_t statistics;  ///< 2n
    std::int64_t columns;     ///< N·g: of queries, keys or values
    std::int64_t probabilities;
    std::int64_t scratch;         ///< of the attention's backward, sequence² + sequence · width
    std::int64_t dropoutScratch;  ///< of its forward; 0 without dropout
    std::int64_t logits;
    std::int64_t loss;    ///< 3N where the vocabulary is shared, else 0
    std::int64_t token;   ///< one number a token, N
    std::int64_t norm;    ///< 2h, of a norm's gradients where tokens are split, else 0
};

constexpr std::int64_t attentionBlock = 64;  ///< rows that the attention masks at a time

Sizes sizesOf(const Layout& layout, const TensorShare& share) {
    const ModelSpec& model = layout.model;
    const std::int64_t bytes = sizeof(float);
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * model.sequence;
    const std::int64_t own = tokens / (share.sequence ? share.size : 1);
    const std::int64_t s = model.sequence, h = model.hidden;
    Sizes size{};
    size.own = bytes * own * h;
    size.all = bytes * tokens * h;
    size.statistics = bytes * 2 * own;
    size.columns = size.all / share.size;
    size.probabilities = bytes * tokens * model.heads / share.size * s;
    size.scratch = bytes * s * (s + h / model.heads);
    size.dropoutScratch = model.dropout > 0 ? bytes * std::min(s, attentionBlock) * s : 0;
    size.logits = bytes * tokens * rangeSize(model.vocabulary, share.size, share.part);
    size.loss = share.size > 1 ? bytes * 3 * tokens : 0;
    size.token = bytes * tokens;
    size.norm = share.sequence ? bytes * 2 * h : 0;
    return size;
}

/// One layer of model/: what its state holds besides its input, and what it needs in passing.
struct LayerBytes {
    std::int64_t first;        ///< held before the norm is gathered: statistics, norm, what the first product writes
    std::int64_t second;       ///< held after
    std::int64_t scratch;      ///< during the forward, with all of that held
    std::int64_t freedEarly;   ///< of it, what inputGrad frees, or the forward where the core is recomputed: probabilities
    std::int64_t temporary;    ///< during inputGrad
    std::int64_t held() const { return first + second; }
};

LayerBytes attentionLayer(const Sizes& size) {
    return {size.statistics + size.own + 3 * size.columns, size.probabilities + size.columns, size.dropoutScratch,
            size.probabilities, size.columns + size.scratch};
}

LayerBytes feedForwardLayer(const Sizes& size, int width) {
    return {size.statistics + size.own + 2 * width * size.token, 0, 0, 0, width * size.token};
}

/// Follows Stage of model/stage.cpp buffer by buffer; keep the two side by side.
class Walk {
public:
    Walk(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours, const TensorShare& share)
        : size_(sizesOf(layout, share)), shape_(shape), neighbours_(neighbours), splits_(share.sequence),
          drops_(layout.model.dropout > 0), again_(recomputesCore(layout.memory)) {
        for (int layer = 0; layer < shape.layers; ++layer) {
            if (layout.model.kind == "gpt") layers_.push_back(attentionLayer(size_));
            layers_.push_back(
                feedForwardLayer(size_, feedForwardWidth(layout.model, shape.firstLayer + layer) / share.size));
        }
        const std::size_t ofBlock = layers_.size() / static_cast<std::size_t>(std::max(1, shape.layers));
        for (const int blocks : recomputeSegments(layout.memory, shape.layers))
            segmentBegin_.insert(segmentBegin_.end(), static_cast<std::size_t>(blocks) * ofBlock, segmentBegin_.size());
    }

    Excursion forward() {
        Tally tally;
        if (shape_.first) sum(tally, Category::Activations);
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            forwardLayer(tally, layers_[i]);
            if (segmentBegin_.empty()) continue;
            tally.add(Category::Activations, -layers_[i].held());
            if (segmentBegin_[i] != i) tally.add(Category::Activations, -size_.own);  // its input
        }
        if (shape_.last) {
            tally.add(Category::Activations, size_.statistics + size_.own + size_.logits);
            gathered(tally);
            passing(tally, size_.loss);
        }
        return tally.whole();
    }

    /// Input gradients from the top; where `weightsToo`, each layer's weight gradient follows at once and frees it.
    Excursion inputGrads(Category kept, bool weightsToo) {
        Tally tally;
        if (shape_.last) {
            sum(tally, kept);            // of the norm's output
            tally.add(kept, size_.own);  // of the input
            if (weightsToo) freeHead(tally, kept);
        }
        for (std::size_t i = layers_.size(); i-- > 0;) {
            const LayerBytes& layer = layers_[i];
            if (endsSegment(i)) recompute(tally, i);
            if (splits_ && drops_) tally.add(Category::Temporary, size_.own);  // masked, not yet gathered
            if (branches()) tally.add(kept, size_.all);
            if (splits_ && drops_) tally.add(Category::Temporary, -size_.own);
            if (again_) {
                tally.add(Category::Activations, layer.freedEarly);
                passing(tally, layer.scratch);
            }
            tally.add(Category::Temporary, layer.temporary);
            tally.add(Category::Activations, -layer.freedEarly);
            tally.add(Category::Temporary, -layer.temporary);
            sum(tally, kept);            // of the norm's output
            tally.add(kept, size_.own);  // of the input
            if (branches()) tally.add(outputGradient(i, kept), -size_.own);
            if (weightsToo) freeLayer(tally, i, kept);
        }
        if (shape_.first && weightsToo) freeEmbedding(tally, kept);
        return tally.whole();
    }

    Excursion weightGrads(Category kept) {
        Tally tally;
        if (shape_.last) freeHead(tally, kept);
        for (std::size_t i = layers_.size(); i-- > 0;) freeLayer(tally, i, kept);
        if (shape_.first) freeEmbedding(tally, kept);
        return tally.whole();
    }

private:
    void forwardLayer(Tally& tally, const LayerBytes& layer) const {
        tally.add(Category::Activations, layer.first);
        gathered(tally);
        tally.add(Category::Activations, layer.second);
        passing(tally, layer.scratch);
        if (again_) tally.add(Category::Activations, -layer.freedEarly);
        sum(tally, Category::Activations);
    }

    bool endsSegment(std::size_t i) const {
        return !segmentBegin_.empty() && (i + 1 == segmentBegin_.size() || segmentBegin_[i + 1] == i + 1);
    }

    void recompute(Tally& tally, std::size_t last) const {
        for (std::size_t i = segmentBegin_[last]; i <= last; ++i) forwardLayer(tally, layers_[i]);
        tally.add(Category::Activations, -size_.own);  // the output, which nobody takes
    }

    /// A branch's gradient is not the output's own: masked, or gathered.
    bool branches() const { return splits_ || drops_; }

    Category outputGradient(std::size_t i, Category kept) const {
        return i + 1 == layers_.size() && !shape_.last ? neighbours_.gradient : kept;
    }

    static void passing(Tally& tally, std::int64_t bytes) {
        tally.add(Category::Temporary, bytes);
        tally.add(Category::Temporary, -bytes);
    }
    void gathered(Tally& tally) const {
        if (splits_) passing(tally, size_.all);
    }
    /// TensorGroup::sum: where tokens are split, of all of them first.
    void sum(Tally& tally, Category category) const {
        if (splits_) tally.add(Category::Temporary, size_.all);
        tally.add(category, size_.own);
        if (splits_) tally.add(Category::Temporary, -size_.all);
    }

    void freeHead(Tally& tally, Category kept) const {
        gathered(tally);
        passing(tally, size_.norm);
        // The head's input is the last layer's output.
        tally.add(Category::Activations, -(size_.own + size_.statistics + size_.own + size_.logits));
        tally.add(kept, -size_.own);  // of the norm's output; that of its input has gone down
    }

    void freeLayer(Tally& tally, std::size_t i, Category kept) const {
        const LayerBytes& layer = layers_[i];
        gathered(tally);
        passing(tally, size_.norm);
        const bool received = i == 0 && neighbours_.inputReceived;
        tally.add(received ? Category::Buffers : Category::Activations, -size_.own);
        tally.add(Category::Activations, -(layer.held() - layer.freedEarly));
        tally.add(branches() ? kept : outputGradient(i, kept), -size_.all);  // of the branch
        tally.add(kept, -size_.own);                                         // of the norm's output
    }

    void freeEmbedding(Tally& tally, Category kept) const {
        gathered(tally);
        tally.add(kept, -size_.own);
    }

    Sizes size_;
    StageShape shape_;
    StageNeighbours neighbours_;
    bool splits_;
    bool drops_;
    bool again_;  ///< the core is recomputed
    std::vector<LayerBytes> layers_;
    std::vector<std::size_t> segmentBegin_;  ///< as Stage has it
};

}  // namespace

StageBuffers stageBuffers(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours,
                          const TensorShare& share) {
    Walk walk(layout, shape, neighbours, share);
    StageBuffers buffers;
    buffers.forward = walk.forward();
    buffers.backward = walk.inputGrads(Category::Temporary, true);
    buffers.inputGrad = walk.inputGrads(Category::Buffers, false);
    buffers.weightGrad = walk.weightGrads(Category::Buffers);
    buffers.boundaryBytes = sizesOf(layout, share).own;
    return buffers;
}

}  // namespace shardlab
