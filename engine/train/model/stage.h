// SPDX-License-Identifier: Apache-2.0
// One global stage of a model: its layers, their weights, and what each microbatch left behind for its backward.
// Knows no rank and no communication: what a tensor group shares is behind tensor_group.h.
#pragma once

#include "engine/base/layer_number.h"
#include "engine/layout/layout.h"
#include "engine/train/model/arena.h"
#include "engine/train/model/context_group.h"
#include "engine/train/model/expert_group.h"
#include "engine/train/model/expert_tally.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_hooks.h"
#include "engine/train/model/packed_map.h"
#include "engine/train/model/parameter_set.h"
#include "engine/train/model/recompute.h"
#include "engine/train/model/tensor_group.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace shardlab {

struct StageSpec {
    ModelSpec model;
    std::int64_t seed = 1;
    int firstLayer = 0;  ///< of the whole model
    int layers = 0;      ///< in this stage
    bool first = true;   ///< has the embeddings, or takes the images
    bool last = true;    ///< has the final norm, the output projection and the loss
    int samples = 1;     ///< of a microbatch: b
    StageStorage storage = {};
    bool tied = true;  ///< the output projection is the token embedding
    MemorySpec memory = {};
    PrecisionSpec precision = {};
    Recompute::Observer recomputing = {};  ///< of what backward and inputGrad compute again
};

/// b·s tokens each, of a context group this member's of them, sample after sample; targets are the tokens that follow.
/// Of images the bytes of their pixels, and the class of each. Read during the call only.
struct TokenBatch {
    std::span<const std::int32_t> tokens;
    std::span<const std::int32_t> targets;
    /// Number of the first sample, counted from the run's first: dropout masks follow it.
    std::int64_t firstSample = 0;
};

/// Where a gradient was not finite, as one number that is not 0; and back.
struct OverflowPlace {
    int microbatch = 0;
    int layer = 0;  ///< of the model, or of base/layer_number.h
};
constexpr std::int32_t overflowMark(const OverflowPlace& place) {
    return ((place.microbatch & 0x1ffff) << 14) | ((place.layer - allLayers) & 0x3fff);
}
constexpr OverflowPlace overflowPlace(std::int32_t mark) { return {mark >> 14, (mark & 0x3fff) + allLayers}; }

class Stage {
public:
    /// Allocates parameters and gradients (zero) from the arena, each in one contiguous block.
    Stage(const StageSpec& spec, Arena& arena);
    /// As a member of `tensor`, and of `context` and `experts` where they are not null, which outlive the stage.
    Stage(const StageSpec& spec, Arena& arena, TensorGroup& tensor, ContextGroup* context = nullptr,
          ExpertGroup* experts = nullptr);
    ~Stage();

    std::span<Parameter> parameters();
    /// Embedding, layers of the blocks, output head: those that this stage has, from the lowest.
    int layers() const;
    /// Of each, the lowest of the segment that it is computed again with (layout/recompute.h: layerSegments).
    const std::vector<int>& segments() const;
    /// From now on the first gradient that is not finite, of activations or of weights so far, leaves its mark in
    /// `first`, a number on the device that the caller sets to 0: overflowMark of its microbatch and layer. Null:
    /// nobody looks.
    void watchOverflow(std::int32_t* first);
    /// Told of every layer from now on; null: nobody.
    void setHooks(LayerHooks* hooks);
    Arena& arena() const;
    const Types& types() const;
    /// What parameter `index` starts with, whether the stage holds it or not; in the processor's memory.
    void initialise(std::size_t index, std::span<float> values) const;
    ArraySpan parameterBlock();
    ArraySpan gradientBlock();
    void zeroGradients();
    /// Forwards and backwards read these weights, a copy of the parameter block, until the next call; empty: the
    /// stage's own. Gradients, and what an optimizer sees, stay the stage's own.
    void computeWith(ConstArraySpan weights);
    /// What is held under a microbatch's number is held under that number + `by` from now on.
    void renumber(int by);

    /// `input`: activations of the stage below, [b·s, h], of the own tokens, or maps of images; empty on the first
    /// stage, which reads batch.tokens. Returns as much for the stage above (Activations); empty on the last stage,
    /// which has a loss instead. Keeps what the backward needs under `microbatch` until its weight gradient is done;
    /// the layers' headers list it.
    Buffer forward(int microbatch, const TokenBatch& batch, Buffer input);
    /// Last stage: mean over the microbatch's tokens of −ln p(target), nats, of its latest forward; to be read once the
    /// device has come so far (CrossEntropyOps). It stays where it is until renumber().
    const double& loss(int microbatch) const;

    /// `outputGradient`: as large as the output; empty on the last stage. Its loss gradient is multiplied by `scale`
    /// (1 ÷ (microbatches · data replicas)). Returns the gradient of the input (Temporary; from inputGrad Buffers);
    /// empty on the first stage.
    /// Weight gradients are added to the gradient block.
    /// A segment that is recomputed (layout/recompute.h) begins with its forward, which asks the tensor group for the
    /// same as the first time and gives the same to the bit.
    Buffer backward(int microbatch, Buffer outputGradient, float scale);
    /// The two halves of backward: inputGrad keeps what weightGrad needs; together they equal backward to the bit.
    Buffer inputGrad(int microbatch, Buffer outputGradient, float scale);
    void weightGrad(int microbatch);

    /// Forward without keeping anything (one layer's buffers at a time) and without dropout; the last stage sets the
    /// loss, once the device has come so far.
    Buffer evaluate(const TokenBatch& batch, Buffer input, double* loss);

    /// Of the model; -1 the embedding, -2 the output.
    bool hasLayer(int layer) const;
    /// The same numbers, for a layer of the stage as Parameter counts them.
    int layerOfModel(int layer) const;
    /// Of each layer with experts, since the last call: of all microbatches whose input gradient was taken.
    std::vector<ExpertLoad> takeExpertLoads();
    /// Since the last call, of all forwards but those of evaluate(); zeros where activations are kept as they are.
    PackedTally takePacked();
    /// Each buffer that the microbatch's forward left for its backward, always in the same order, an empty one where it
    /// left none; not the numbers of its tokens. Between the two somebody may have them, and give back others with the
    /// same in them.
    void visitSavedBuffers(int microbatch, const KeptVisitor& visit);
    /// Microbatches whose activations are held.
    int held() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace shardlab
