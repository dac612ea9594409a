// SPDX-License-Identifier: Apache-2.0
// One global stage of a model: its layers, their weights, and what each microbatch leaves for its backward. It knows no
// rank and no communication: tensor_group.h and its like stand for the other members of a group.
#pragma once

#include "engine/layout/data/token_batch.h"
#include "engine/base/layer_number.h"
#include "engine/layout/layout.h"
#include "engine/train/model/arena.h"
#include "engine/train/model/context_group.h"
#include "engine/train/model/expert_group.h"
#include "engine/train/model/expert_tally.h"
#include "engine/train/model/fp8_products.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_hooks.h"
#include "engine/train/model/layer_observer.h"
#include "engine/train/model/packed_map.h"
#include "engine/train/model/parameter_set.h"
#include "engine/train/model/recompute.h"
#include "engine/train/model/tensor_group.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace shardlab::train {

struct StageSpec {
    ModelSpec model;
    std::int64_t seed = 1;
    int firstLayer = 0;  ///< counted in the whole model
    int layers = 0;      ///< number of blocks of this stage, as StageShape counts them
    bool first = true;   ///< has the embedding, or reads the images
    bool last = true;    ///< has the final norm, the output projection and the loss
    int samples = 1;     ///< samples of a microbatch: b
    StageStorage storage = {};
    bool tied = true;  ///< the output projection shares its weight with the token embedding
    MemorySpec memory = {};
    PrecisionSpec precision = {};
    Recompute::Observer recomputing = {};  ///< observes what backward and inputGrad recompute
    LayerObserver layerDone = {};
    int microbatches = 1;  ///< of a step, where products in 8 bits count what they round by microbatch
    int folds = 1;         ///< parts of the tensor group that hold different experts
};

/// Where a gradient was not finite. overflowMark() makes one number of it, which is not 0, and overflowPlace() reads
/// it.
struct OverflowPlace {
    int microbatch = 0;
    int layer = 0;  ///< layer of the model, or a number of base/layer_number.h
};
constexpr std::int32_t overflowMark(const OverflowPlace& place) {
    return ((place.microbatch & 0x1ffff) << 14) | ((place.layer - allLayers) & 0x3fff);
}
constexpr OverflowPlace overflowPlace(std::int32_t mark) { return {mark >> 14, (mark & 0x3fff) + allLayers}; }

class Stage {
public:
    /// Allocates parameters and gradients (zero) from the arena, each as one contiguous block.
    Stage(const StageSpec& spec, Arena& arena);
    /// The stage is a member of `tensor`, and of `context` and `experts` where they are not null; all outlive it.
    Stage(const StageSpec& spec, Arena& arena, TensorGroup& tensor, ContextGroup* context = nullptr,
          ExpertGroup* experts = nullptr);
    ~Stage();

    std::span<Parameter> parameters();
    /// Number of layers of this stage: embedding, layers of the blocks, output head, as far as it has them.
    int layers() const;
    /// By layer, the lowest layer of the segment that it is recomputed with (layout/recompute.h: layerSegments).
    const std::vector<int>& segments() const;
    /// From now on the first gradient of activations or weights that is not finite writes its overflowMark() into
    /// `first`, a number on the device that the caller sets to 0. Null: gradients are not watched.
    void watchOverflow(std::int32_t* first);
    /// From now on `hooks` are called for every layer; null: none.
    void setHooks(LayerHooks* hooks);
    Arena& arena() const;
    const Types& types() const;
    /// The initial values of parameter `index`, whether the stage holds it or not, in the processor's memory.
    void initialise(std::size_t index, std::span<float> values) const;
    ArraySpan parameterBlock();
    ArraySpan gradientBlock();
    void zeroGradients();
    /// Until the next call forwards and backwards read these weights, a copy of the parameter block; empty: the stage's
    /// own. Gradients, and what an optimizer updates, stay the stage's own.
    void computeWith(ConstArraySpan weights);
    /// Adds `by` to the numbers of the microbatches whose activations are held.
    void renumber(int by);

    /// `input` holds the activations [own tokens, h] of the stage below, or maps of images; it is empty on the first
    /// stage, which reads batch.tokens. Returns the activations for the stage above (Activations); empty on the last
    /// stage, which has a loss instead. Keeps what the backward needs under `microbatch` until its weight gradient is
    /// done, as the layers' headers list it.
    Buffer forward(int microbatch, const TokenBatch& batch, Buffer input);
    /// On the last stage, the loss of the microbatch's latest forward: the mean over its tokens of −ln p(target), in
    /// nats. To be read once the device has come so far (CrossEntropyOps). The reference is valid until renumber().
    const double& loss(int microbatch) const;
    /// On the last stage, the losses of the modules that predict further tokens, each the sum over the tokens that have
    /// a target ÷ all tokens; the backward takes the gradient of loss() + λ · their mean. Empty where there are no
    /// modules; to be read when loss() may be.
    std::span<const double> predictionLosses(int microbatch) const;

    /// `outputGradient` is as large as the output; it is empty on the last stage, where the gradient of the loss is
    /// multiplied by `scale`. Returns the gradient of the input (Temporary; from inputGrad Buffers); empty on the first
    /// stage. Adds the weights' gradients to the gradient block. A segment that is recomputed (layout/recompute.h)
    /// begins with its forward, which exchanges with the tensor group as the first time and gives the same bits.
    Buffer backward(int microbatch, Buffer outputGradient, float scale);
    /// The two halves of backward: inputGrad keeps what weightGrad needs; together they give the bits of backward.
    Buffer inputGrad(int microbatch, Buffer outputGradient, float scale);
    void weightGrad(int microbatch);

    /// A forward that keeps nothing but one layer's buffers at a time, without dropout and without the modules that
    /// predict further tokens. On the last stage the loss is set once the device has come so far.
    Buffer evaluate(const TokenBatch& batch, Buffer input, double* loss);

    /// Whether the stage has this layer of the model; -1 is the embedding, -2 the output.
    bool hasLayer(int layer) const;
    /// The number in the model of a layer that is counted within the stage, as Parameter does.
    int layerOfModel(int layer) const;
    /// The loads of each layer with experts since the last call, over all microbatches whose input gradient was
    /// computed.
    std::vector<ExpertLoad> takeExpertLoads();
    /// The biases of the choices of layers with experts as weights that have no gradient ("h.3.moe.gate.bias"), one for
    /// each such layer whose gate has one.
    std::span<Parameter> choiceBiases();
    /// Moves each bias of `layer` of the model by `rate`: up where fewer tokens than the mean chose the expert, down
    /// where more did. `asked` has the tokens that chose each expert, over all replicas.
    void moveChoiceBias(int layer, std::span<const double> asked, double rate);
    /// Fp8Products::finishStep() of the stage's linear layers; nothing where products read the format of activations.
    std::vector<Fp8Tally> finishFp8Step(const std::function<void(std::span<float>)>& combine);
    /// Fp8Products::state(); one of the members that cut a tensor owns its scales.
    std::span<Parameter> fp8State();
    /// The bytes that forwards kept in fewer bits since the last call; zeros where activations are kept as they are.
    PackedTally takePacked();
    /// Visits each buffer that the microbatch's forward left for its backward (not the numbers of its tokens), always
    /// in the same order; a buffer may be empty. Until the backward the visitor may take them, and give back others
    /// with the same contents.
    void visitSavedBuffers(int microbatch, const KeptVisitor& visit);
    /// Number of microbatches whose activations are held.
    int held() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace shardlab::train
