// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/stage_buffers.h"

#include "engine/layout/recompute.h"
#include "engine/predict/plan/cnn_buffers.h"
#include "engine/predict/plan/latent_bytes.h"
#include "engine/predict/plan/layer_bytes.h"

#include <algorithm>
#include <vector>

namespace shardlab::predict {
namespace {

using Category = MemoryCategory;

/// The tally of an action, which is that of its layers' parts together.
class LayeredTally {
public:
    /// `parts` may be null: nobody asks for them.
    LayeredTally(std::vector<LayerBuffers>* parts, int layers) : parts_(parts), layers_(layers) {}

    /// The tally of the part that goes on.
    Tally& now() { return now_; }
    void end(LayerPart part, std::size_t layer) {
        const MemoryDelta delta = now_.whole();
        now_ = {};
        whole_.move(delta);
        if (parts_) parts_->push_back({{part, static_cast<int>(layer), layers_}, delta});
    }
    MemoryDelta whole() {
        whole_.move(now_.whole());
        now_ = {};
        return whole_.whole();
    }

private:
    std::vector<LayerBuffers>* parts_;
    int layers_;
    Tally now_, whole_;
};

/// Follows Stage of model/stage.cpp buffer by buffer; keep the two side by side.
class StageWalk {
public:
    StageWalk(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours,
              const TensorShare& share)
        : size_(stageSizes(layout, share)), shape_(shape), neighbours_(neighbours), splits_(share.sequence),
          drops_(layout.model.dropout > 0), again_(recomputesCore(layout.memory)),
          heads_(recomputesHeads(layout.memory)), norms_(recomputes(layout.memory, RecomputePart::Norms)),
          activations_(recomputes(layout.memory, RecomputePart::Activations)),
          operations_(recomputesOperations(layout.memory)), halvesAgain_(makesHalvesAgain(layout.memory, share.size)),
          part_(partitionsInputs(layout.memory, layout.parallel) ? size_.own / share.size : 0),
          apart_(!makesLogitsOnce(layout)), layers_(layersOf(layout, shape, share)),
          modules_(shape.last ? predictionModules(layout.model) : 0),
          segments_(layerSegments(layout.model, layout.memory, {shape.layers, false, false, shape.firstLayer})) {}

    /// `parts`, where it is not null, is told each layer's.
    MemoryDelta forward(std::vector<LayerBuffers>* parts) {
        LayeredTally layers(parts, layerCount());
        Tally& tally = layers.now();
        if (shape_.first) {
            tally.add(Category::Buffers, size_.tokens);
            sum(tally, Category::Activations, size_.positions);
            layers.end(LayerPart::Use, 0);
        }
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            if (layers_[i].join > 0) tally.add(Category::Buffers, size_.tokens);
            forwardLayer(tally, layers_[i]);
            if (layers_[i].join > 0) tally.add(Category::Activations, size_.own);  // for the output
            tally.add(Category::Activations, -pointwise(i));
            layers.end(LayerPart::Use, layerOf(i));
            if (segments_[i] < 0) continue;
            if (operations_) {
                tally.add(Category::Activations, -layers_[i].again);
                if (halvesAgain_ && !beginsSegment(i)) tally.add(Category::Activations, -size_.own);  // its input
                continue;
            }
            tally.add(Category::Activations, -(layers_[i].held() - layers_[i].dropped));
            if (!beginsSegment(i)) tally.add(Category::Activations, -size_.own);  // its input
            else if (part_ > 0) {
                tally.add(Category::Activations, part_);
                tally.add(received(i) ? Category::Buffers : Category::Activations, -size_.own);
            }
        }
        if (shape_.last) {
            for (int module = 0; module < modules_; ++module) project(tally, size_.logits);
            project(tally, size_.statistics + size_.headNormed + size_.logits);
            layers.end(LayerPart::Use, layerOf(layers_.size()));
        }
        return layers.whole();
    }

    /// Input gradients from the top; where `weightsToo`, each layer's weight gradient follows at once and frees it.
    MemoryDelta inputGrads(Category kept, bool weightsToo, std::vector<LayerBuffers>* parts) {
        LayeredTally layers(parts, layerCount());
        Tally& tally = layers.now();
        const auto used = [&](std::size_t layer, const auto& free) {
            layers.end(LayerPart::Use, layer);
            if (!weightsToo) return;
            free();
            layers.end(LayerPart::Gradient, layer);
        };
        if (shape_.last) {
            const std::int64_t made = size_.piece > 0 && splits_ ? size_.all : 0;  // of a norm, gathered again
            for (int head = 0; head <= modules_; ++head)
                sum(tally, kept, made + size_.table + size_.piece);  // of the norms' outputs
            tally.add(kept, size_.own);                              // of the input
            used(layerOf(layers_.size()), [&] { freeHead(tally, kept, apart_); });
        }
        for (std::size_t i = layers_.size(); i-- > 0;) {
            const LayerBytes& layer = layers_[i];
            if (endsSegment(segments_, static_cast<int>(i))) recompute(layers, i);
            tally.add(Category::Activations, pointwise(i));
            if (layer.experts) {
                expertsGrad(tally, *layer.experts, kept);
                tally.add(outputGradient(i, kept), -size_.own);
                used(layerOf(i), [&] { freeLayer(tally, i, kept); });
                continue;
            }
            if (splits_ && drops_) tally.add(Category::Temporary, size_.own);  // masked, not yet gathered
            if (branches()) tally.add(kept, size_.all);
            if (splits_ && drops_) tally.add(Category::Temporary, -size_.own);
            if (layer.latent) latentInputGrad(tally, *layer.latent, kept, {again_, heads_}, layer.projection);
            else branchGrad(tally, layer, kept);
            tally.add(kept, size_.own);  // of the input
            if (branches()) tally.add(outputGradient(i, kept), -size_.own);
            if (layer.join > 0) joinGrad(tally, kept);
            used(layerOf(i), [&] { freeLayer(tally, i, kept); });
        }
        if (shape_.first && weightsToo) {
            freeEmbedding(tally, kept);
            layers.end(LayerPart::Gradient, 0);
        }
        return layers.whole();
    }

    MemoryDelta weightGrads(Category kept, std::vector<LayerBuffers>* parts) {
        LayeredTally layers(parts, layerCount());
        Tally& tally = layers.now();
        if (shape_.last) {
            freeHead(tally, kept, true);
            layers.end(LayerPart::Gradient, layerOf(layers_.size()));
        }
        for (std::size_t i = layers_.size(); i-- > 0;) {
            freeLayer(tally, i, kept);
            layers.end(LayerPart::Gradient, layerOf(i));
        }
        if (shape_.first) {
            freeEmbedding(tally, kept);
            layers.end(LayerPart::Gradient, 0);
        }
        return layers.whole();
    }

private:
    std::size_t layerOf(std::size_t i) const { return i + (shape_.first ? 1 : 0); }
    int layerCount() const { return static_cast<int>(layerOf(layers_.size())) + (shape_.last ? 1 : 0); }

    /// From the gradient of the branch to that of the norm's output.
    void branchGrad(Tally& tally, const LayerBytes& layer, Category kept) const {
        tally.add(kept, layer.headWeights);
        tally.add(Category::Activations, layer.dropped);
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
        if (layer.made > 0) sharedKeysGrad(tally, layer);
        sum(tally, kept, layer.expansion);
    }

    /// SharedKeys::sum, whose result takes the place of what is held.
    static void sharedKeysGrad(Tally& tally, const LayerBytes& layer) {
        tally.add(Category::Temporary, layer.gathered);
        tally.add(Category::Temporary, layer.sent);
        tally.add(Category::Temporary, -layer.gathered);
        tally.add(Category::Activations, layer.made);
        tally.add(Category::Temporary, -layer.sent);
        tally.add(Category::Activations, -(layer.made + layer.narrowed));
    }

    /// From what is normed to the loss; `held` is there before the loss is.
    void project(Tally& tally, std::int64_t held) const {
        tally.add(Category::Activations, held);
        if (size_.piece > 0) return gathered(tally, size_.table + size_.piece);
        gathered(tally, size_.table);
        passing(tally, size_.tokens + size_.loss);
    }

    /// PredictionLayer up to its attention, whose input stays with it.
    void join(Tally& tally) const {
        tally.add(Category::Activations, 2 * size_.statistics + 3 * size_.own);
        passing(tally, size_.own);  // a norm's output
        sum(tally, Category::Activations, 0);
        tally.add(Category::Activations, size_.statistics);
        passing(tally, size_.own);
        tally.add(Category::Activations, size_.own);
        passing(tally, size_.join);
    }
    void joinGrad(Tally& tally, Category kept) const {
        tally.add(Category::Temporary, 2 * size_.own);
        passing(tally, size_.join);
        tally.add(kept, 2 * size_.own);  // of both norms' outputs
        tally.add(Category::Temporary, -2 * size_.own);
        tally.add(kept, 2 * size_.own);  // of the embedding, and of what the output reads too,
        tally.add(kept, -size_.own);     // whose part by the output is in it now
        tally.add(kept, size_.own);      // of the input
    }
    void freeJoin(Tally& tally, const LayerBytes& layer, Category kept, Category input) const {
        passing(tally, size_.joinGradient);
        for (int norm = 0; norm < joinNorms; ++norm) passing(tally, size_.norm);
        gathered(tally);
        tally.add(kept, -5 * size_.own);
        tally.add(Category::Activations, size_.own - layer.join);
        tally.add(input, -size_.own);
        tally.add(Category::Buffers, -size_.tokens);
    }

    void forwardLayer(Tally& tally, const LayerBytes& layer) const {
        if (layer.join > 0) join(tally);
        if (layer.experts) {
            const ExpertBytes& experts = *layer.experts;
            tally.add(Category::Activations, layer.first - experts.rows - experts.numbers);
            const std::int64_t copy = splits_ ? size_.all : 0;  // the gathered norm
            tally.add(Category::Temporary, copy);
            passing(tally, experts.floats + experts.gateCopy);
            passing(tally, experts.deciding);
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
        tally.add(Category::Temporary, layer.made);
        gathered(tally, layer.expansion);
        passing(tally, layer.sent + layer.gathered);
        tally.add(Category::Temporary, -layer.made);
        tally.add(Category::Activations, layer.second);
        passing(tally, layer.spread + layer.scratch);
        if (again_) tally.add(Category::Activations, -layer.freedEarly);
        tally.add(Category::Activations, -layer.dropped);
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
            tally.add(Category::Activations, experts.numbers);
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

    void recompute(LayeredTally& layers, std::size_t last) const {
        Tally& tally = layers.now();
        if (operations_) {
            for (auto i = static_cast<std::size_t>(segments_[last]); i <= last; ++i) {
                tally.add(Category::Activations, layers_[i].again);
                if (halvesAgain_ && i < last) sum(tally, Category::Activations, layers_[i].projection);
                layers.end(LayerPart::Again, layerOf(i));
            }
            return;
        }
        if (part_ > 0) {  // the input comes together again
            tally.add(Category::Activations, size_.own);
            tally.add(Category::Activations, -part_);
        }
        for (auto i = static_cast<std::size_t>(segments_[last]); i <= last; ++i) {
            forwardLayer(tally, layers_[i]);
            layers.end(LayerPart::Again, layerOf(i));
        }
        tally.add(Category::Activations, -size_.own);  // the output, which nobody takes
    }

    /// What norms and activations make of a layer that is made again without the rest of it.
    std::int64_t pointwise(std::size_t i) const {
        if (segments_[i] >= 0) return 0;
        return (norms_ ? layers_[i].ofNorm : 0) + (activations_ ? layers_[i].ofActivation : 0);
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

    /// `apart`: in pieces, their logits are made once more for the gradient of the projection.
    void freeHead(Tally& tally, Category kept, bool apart) const {
        const std::int64_t made = apart && size_.piece > 0 ? size_.table + size_.piece : 0;
        for (int module = 0; module < modules_; ++module) {
            gathered(tally, made);
            tally.add(Category::Activations, -(size_.own + size_.logits));
        }
        gathered(tally, made);
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
        const Category input = asReceived ? Category::Buffers : Category::Activations;
        tally.add(layer.join > 0 ? Category::Activations : input, -size_.own);
        tally.add(Category::Activations, -(layer.held() - layer.join - layer.freedEarly - layer.narrowed));
        if (layer.experts && layer.experts->shared > 0) tally.add(kept, -size_.all);  // of the branch
        tally.add(kept, -(layer.latent ? layer.latent->gradients() : layer.headWeights));
        if (!layer.experts) tally.add(branches() ? kept : outputGradient(i, kept), -size_.all);  // of the branch
        tally.add(kept, -size_.own);                                                             // of the norm's output
        if (layer.join > 0) freeJoin(tally, layer, kept, input);
    }

    void freeEmbedding(Tally& tally, Category kept) const {
        gathered(tally, size_.positionGradient);
        tally.add(endAlone() ? neighbours_.gradient : kept, -size_.own);
        tally.add(Category::Buffers, -size_.tokens);
    }

    StageSizes size_;
    StageShape shape_;
    StageNeighbours neighbours_;
    bool splits_;
    bool drops_;
    bool again_;         ///< the core is recomputed
    bool heads_;         ///< what a latent attention makes of its latents is
    bool norms_;         ///< what norms make is
    bool activations_;   ///< what activations make is
    bool operations_;    ///< what lies between kept operations is
    bool halvesAgain_;   ///< and the inputs of second halves
    std::int64_t part_;  ///< of a segment's input, that is kept of it; 0: all of it is
    bool apart_;         ///< the gradient of the projection is taken after that of its input
    std::vector<LayerBytes> layers_;
    int modules_;                ///< that predict further tokens, whose blocks are the highest
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
    receives = buffers.forward.change[static_cast<std::size_t>(Category::Buffers)] - buffers.moduleTokens;
    (received ? receives : activations) += buffers.inputBytes;
    return bytes;
}

StageBuffers stageBuffers(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours,
                          const TensorShare& share, bool byLayer) {
    if (readsImages(layout.model)) return cnnStageBuffers(layout, shape, neighbours);
    StageWalk walk(layout, shape, neighbours, share);
    StageBuffers buffers;
    const auto asked = [&](std::vector<LayerBuffers>& parts) { return byLayer ? &parts : nullptr; };
    buffers.forward = walk.forward(asked(buffers.forwardLayers));
    buffers.backward = walk.inputGrads(Category::Temporary, true, asked(buffers.backwardLayers));
    buffers.inputGrad = walk.inputGrads(Category::Buffers, false, asked(buffers.inputGradLayers));
    buffers.weightGrad = walk.weightGrads(Category::Buffers, asked(buffers.weightGradLayers));
    const StageSizes sizes = stageSizes(layout, share);
    buffers.inputBytes = buffers.outputBytes = sizes.own;
    buffers.moduleTokens = shape.last ? predictionModules(layout.model) * sizes.tokens : 0;
    return buffers;
}

}  // namespace shardlab::predict
