// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/stage_buffers.h"

#include <vector>

namespace shardlab {
namespace {

using Category = MemoryCategory;

/// Sizes in bytes of one microbatch's tensors.
struct Sizes {
    std::int64_t boundary;    ///< N·h
    std::int64_t statistics;  ///< 2N
    std::int64_t probabilities;
    std::int64_t scratch;     ///< of the attention's backward, sequence² + sequence · width
    std::int64_t logits;
    std::int64_t token;       ///< one number a token, N
};

Sizes sizesOf(const Layout& layout) {
    const ModelSpec& model = layout.model;
    const std::int64_t bytes = sizeof(float);
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * model.sequence;
    const std::int64_t s = model.sequence;
    return {bytes * boundaryFloats(model, layout.batch.micro), bytes * 2 * tokens, bytes * tokens * model.heads * s,
            bytes * s * (s + model.hidden / model.heads), bytes * tokens * model.vocabulary, bytes * tokens};
}

/// One layer of model/: what its state holds besides its input, and what its backward needs in passing.
struct LayerBytes {
    std::int64_t held;         ///< all but input and output
    std::int64_t freedEarly;   ///< of it, what inputGrad frees: attention probabilities
    std::int64_t temporary;    ///< during inputGrad
};

LayerBytes attentionLayer(const Sizes& size) {
    return {size.statistics + 5 * size.boundary + size.probabilities, size.probabilities, size.boundary + size.scratch};
}

LayerBytes feedForwardLayer(const Sizes& size, int width) {
    return {size.statistics + size.boundary + 2 * width * size.token, 0, width * size.token};
}

/// Follows Stage of model/stage.cpp buffer by buffer; keep the two side by side.
class Walk {
public:
    Walk(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours)
        : size_(sizesOf(layout)), shape_(shape), neighbours_(neighbours) {
        for (int layer = 0; layer < shape.layers; ++layer) {
            if (layout.model.kind == "gpt") layers_.push_back(attentionLayer(size_));
            layers_.push_back(feedForwardLayer(size_, feedForwardWidth(layout.model, shape.firstLayer + layer)));
        }
    }

    Excursion forward() {
        Tally tally;
        if (shape_.first) tally.add(Category::Activations, size_.boundary);
        for (const LayerBytes& layer : layers_) tally.add(Category::Activations, layer.held + size_.boundary);
        if (shape_.last) tally.add(Category::Activations, size_.statistics + size_.boundary + size_.logits);
        return tally.whole();
    }

    /// Input gradients from the top; where `weightsToo`, each layer's weight gradient follows at once and frees it.
    Excursion inputGrads(Category kept, bool weightsToo) {
        Tally tally;
        if (shape_.last) {
            tally.add(kept, 2 * size_.boundary);
            if (weightsToo) freeHead(tally, kept);
        }
        for (std::size_t i = layers_.size(); i-- > 0;) {
            const LayerBytes& layer = layers_[i];
            tally.add(Category::Temporary, layer.temporary);
            tally.add(Category::Activations, -layer.freedEarly);
            tally.add(Category::Temporary, -layer.temporary);
            tally.add(kept, 2 * size_.boundary);  // of the norm's output, of the input
            if (weightsToo) freeLayer(tally, i, kept);
        }
        if (shape_.first && weightsToo) tally.add(kept, -size_.boundary);  // what the embedding took
        return tally.whole();
    }

    Excursion weightGrads(Category kept) {
        Tally tally;
        if (shape_.last) freeHead(tally, kept);
        for (std::size_t i = layers_.size(); i-- > 0;) freeLayer(tally, i, kept);
        if (shape_.first) tally.add(kept, -size_.boundary);
        return tally.whole();
    }

private:
    void freeHead(Tally& tally, Category kept) const {
        // The head's input is the last layer's output.
        tally.add(Category::Activations, -(size_.boundary + size_.statistics + size_.boundary + size_.logits));
        tally.add(kept, -size_.boundary);  // of the norm's output; that of its input has gone down
    }

    void freeLayer(Tally& tally, std::size_t i, Category kept) const {
        const LayerBytes& layer = layers_[i];
        const bool received = i == 0 && neighbours_.inputReceived;
        tally.add(received ? Category::Buffers : Category::Activations, -size_.boundary);
        tally.add(Category::Activations, -(layer.held - layer.freedEarly));
        const bool fromAbove = i + 1 == layers_.size() && !shape_.last;
        tally.add(fromAbove ? neighbours_.gradient : kept, -size_.boundary);  // of the output
        tally.add(kept, -size_.boundary);                            // of the norm's output
    }

    Sizes size_;
    StageShape shape_;
    StageNeighbours neighbours_;
    std::vector<LayerBytes> layers_;
};

}  // namespace

StageBuffers stageBuffers(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours) {
    Walk walk(layout, shape, neighbours);
    StageBuffers buffers;
    buffers.forward = walk.forward();
    buffers.backward = walk.inputGrads(Category::Temporary, true);
    buffers.inputGrad = walk.inputGrads(Category::Buffers, false);
    buffers.weightGrad = walk.weightGrads(Category::Buffers);
    buffers.boundaryBytes = sizesOf(layout).boundary;
    return buffers;
}

}  // namespace shardlab
