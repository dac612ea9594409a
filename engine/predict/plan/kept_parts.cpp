// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/kept_parts.h"

#include "engine/base/layer_number.h"
#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"
#include "engine/layout/formats.h"
#include "engine/layout/recompute.h"
#include "engine/predict/plan/layer_bytes.h"

#include <utility>

namespace shardlab::predict {
namespace {

/// Goes through the layers as StageWalk::forward() does (stage_buffers.cpp), and names what stays.
class KeptWalk {
public:
    KeptWalk(const Layout& layout, const StageShape& shape, const TensorShare& share)
        : layout_(layout), share_(share), shape_(shape), size_(stageSizes(layout, share)),
          layers_(layersOf(layout, shape, share)),
          segments_(layerSegments(layout.model, layout.memory, {shape.layers, false, false, shape.firstLayer})),
          part_(partitionsInputs(layout.memory, layout.parallel) ? size_.own / share.size : 0),
          norms_(recomputes(layout.memory, RecomputePart::Norms)),
          activations_(recomputes(layout.memory, RecomputePart::Activations)) {}

    std::vector<KeptPart> parts() {
        const int each = shape_.layers > 0 ? static_cast<int>(layers_.size()) / shape_.layers : 1;
        layer_ = embeddingLayer;
        if (shape_.first) output(say("embedding"), -1);
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            layer_ = shape_.firstLayer + static_cast<int>(i) / each;
            const bool attention = each == 2 && i % 2 == 0;
            half_ = attention ? say("attention") : layers_[i].experts ? say("experts") : say("feed-forward");
            if (i == 0 && part_ > 0 && beginsSegment(0) && segments_[0] >= 0) {
                if (!shape_.first) add(say("part of the input, which is computed from again"), "e·n·h ÷ t", part_);
                else replaceInput();
            }
            again_ = segments_[i] >= 0 && recomputesOperations(layout_.memory);
            if (segments_[i] < 0 || again_) {
                if (layers_[i].join > 0) join();
                if (layers_[i].experts) experts(*layers_[i].experts, layers_[i]);
                else if (layers_[i].latent) latent(*layers_[i].latent, layers_[i]);
                else if (attention) this->attention(layers_[i]);
                else feedForward(layers_[i]);
            }
            output(say("sum with the input"), static_cast<int>(i));
        }
        layer_ = outputLayer;
        half_ = say("output");
        if (shape_.last) {
            add(say("statistics of the norm"), statistics(), size_.statistics);
            add(say("what the norm makes"), "e·n·h", size_.headNormed);
            const bool pieces = size_.piece > 0;
            if (pieces) add(say("sums of the loss, and its targets"), "(3·4 + 4)·N", size_.logits);
            else add(say("logits"), "e·N·8⌈V÷8⌉", size_.logits);
            const int modules = predictionModules(layout_.model);
            add(say("what the norms of modules make"), say("modules·e·n·h"), modules * size_.own);
            if (pieces)
                add(say("sums of the losses of modules, and their targets"), say("modules·(3·4 + 4)·N"),
                    modules * size_.logits);
            else add(say("logits of modules"), say("modules·e·N·8⌈V÷8⌉"), modules * size_.logits);
        }
        return std::move(parts_);
    }

private:
    void add(const Sentence& what, const Sentence& formula, std::int64_t bytes) {
        if (bytes != 0) parts_.push_back({layer_, half_.empty() ? what : say("{}: {}", half_, what), formula, bytes});
    }
    bool beginsSegment(std::size_t i) const { return segments_[i] == static_cast<int>(i); }
    const char* statistics() const { return normNumbers(layout_.model) == 1 ? "4·n" : "2·4·n"; }

    /// The embedding's output (-1), or that of layer `i`: the input of the next, which is kept for that one's backward
    /// unless it is computed again, and then in part where members of a tensor group divide it.
    void output(const Sentence& what, int i) {
        const auto next = static_cast<std::size_t>(i + 1);
        if (next >= layers_.size()) {
            if (i < 0 && shape_.last) return add(say("output"), "e·n·h", size_.own);
            return add(shape_.last ? what : say("output, until it is sent"), "e·n·h", size_.own);
        }
        if (segments_[next] < 0) return add(what, "e·n·h", size_.own);
        if (!beginsSegment(next)) {
            if (recomputesOperations(layout_.memory) && !makesHalvesAgain(layout_.memory, share_.size))
                add(what, "e·n·h", size_.own);
            return;
        }
        const bool divided = part_ > 0 && next > 0;
        add(say("input of what is computed again"), divided ? "e·n·h ÷ t" : "e·n·h", divided ? part_ : size_.own);
    }
    /// The embedding's output was added whole.
    void replaceInput() {
        if (parts_.empty()) return;
        parts_.back().bytes = part_;
        parts_.back().formula = "e·n·h ÷ t";
    }

    /// A module's block joins tokens with what lies below it.
    void join() {
        const Sentence half = std::exchange(half_, say("join"));
        add(say("statistics of the norms"), say("{} norms", joinNorms), joinNorms * size_.statistics);
        add(say("input, embedded and joined tokens"), "5·e·n·h", 5 * size_.own);
        half_ = half;
    }
    void attention(const LayerBytes& layer) {
        add(say("statistics of the norm"), statistics(), size_.statistics);
        add(say("what the norm makes"), "e·n·h", again_ ? 0 : size_.normed - (norms_ ? layer.ofNorm : 0));
        const bool keys = !again_ || size_.keys == 0;
        add(keys ? say("queries, keys and values") : say("queries and values"), keys ? "e·N·(q + 2g)" : "e·N·(q + g)",
            size_.joined - size_.dropped - (keys ? 0 : size_.keys));
        core(size_.attention, recomputesCore(layout_.memory));
        add(say("what the core makes"), "e·N·q", size_.columns);
        add(say("copy of it for the projection"), say("N·q in the products' format"), size_.copied);
        add(say("mask of dropout"), "n·h", size_.mask);
    }
    /// `operands`: bytes that are exchanged again instead.
    void core(const AttentionBytes& bytes, bool again, std::int64_t operands = 0) {
        if (again) return;
        const std::int64_t rows = std::int64_t{layout_.batch.micro} * ownHeads(layout_.model, share_) *
                                  layout_.model.sequence / share_.context;
        const std::int64_t ofRows = bytes.kept - bytes.exchanged;
        const bool sums = ofRows == fp32Bytes * rows;
        if (operands > 0) add(say("output of the exchanged heads"), "e·N·q", bytes.exchanged - operands);
        else add(say("queries, keys, values and output of the exchanged heads"), "4·e·N·q", bytes.exchanged);
        add(sums ? say("logarithms of the rows' sums") : say("probabilities"), sums ? "4·b·a·s" : "e·b·a·s²", ofRows);
    }
    void feedForward(const LayerBytes& layer) {
        const bool gated = layer.expansion > layer.projection;
        if (again_) return feedForwardBetween(layer);
        const std::int64_t made = layer.first - size_.statistics - size_.normed - size_.mask;
        const std::int64_t activation = layer.ofActivation;  // of one product's width
        const int products = blockParts(layout_.model).feedForwardMatrices() - 1;
        add(say("statistics of the norm"), statistics(), size_.statistics);
        add(say("what the norm makes"), "e·n·h", size_.normed - (norms_ ? layer.ofNorm : 0));
        add(gated || products > 1 ? say("first product and gate") : say("first product"),
            products > 1 ? "2·e·N·f" : "e·N·f", products * activation);
        add(say("what the activation makes"), "e·N·f", made - products * activation - (activations_ ? activation : 0));
        add(say("mask of dropout"), "n·h", size_.mask);
    }
    /// With recompute operations.
    void feedForwardBetween(const LayerBytes& layer) {
        const bool values = size_.keys == 0 && blockParts(layout_.model).gated();
        add(say("statistics of the norm"), statistics(), size_.statistics);
        add(values ? say("first product and gate") : say("first product"), values ? "2·e·N·f" : "e·N·f",
            layer.first - layer.again - size_.unread - size_.statistics - size_.mask);
        add(say("sum that nobody reads"), "e·n·h", size_.unread);
        add(say("mask of dropout"), "n·h", size_.mask);
    }
    void experts(const ExpertBytes& experts, const LayerBytes& layer) {
        const bool again = activations_ || again_;
        add(say("statistics of the norm"), statistics(), size_.statistics);
        add(say("what the norm makes"), "e·n·h", size_.own - (norms_ || again_ ? layer.ofNorm : 0));
        add(say("scores and routes of the gate"), say("4·(N·columns + 2·N·k + rows + …)"),
            experts.gate + experts.numbers);
        add(say("rows of experts"), say("e·rows·(2h + (1 + products)·f)"),
            experts.rows - (again ? activatedRows(experts) : 0));
        add(say("shared experts"), say("e·N·(1 + products)·shared width"),
            experts.shared - (again ? layer.ofActivation - activatedRows(experts) : 0));
    }
    /// What activations make in the experts' rows; the rest of it is in the shared experts'.
    static std::int64_t activatedRows(const ExpertBytes& experts) {
        return experts.activated - (experts.shared > 0 ? experts.sharedScratch : 0);
    }
    void latent(const LatentBytes& bytes, const LayerBytes& layer) {
        const bool heads = recomputesHeads(layout_.memory);
        add(say("norm and its statistics"), "e·n·h + 4·n", bytes.normed - (norms_ || again_ ? layer.ofNorm : 0));
        if (bytes.queryLatent > 0)
            add(say("latent of queries and its norm"), say("2·e·n·query rank + 4·n"),
                2 * bytes.queryLatent + bytes.statistics);
        add(say("latent of keys and values and its norm"), say("2·e·n·kv rank + 4·n"),
            2 * bytes.keyLatent + bytes.statistics);
        add(say("shared key"), say("e·n·rope width"), bytes.sharedKey);
        if (!heads && bytes.dropped == 0) {
            add(say("queries"), "e·N·q", bytes.queries);
            add(say("keys and values"), say("e·N·expanded columns"), bytes.expanded);
        }
        core(bytes.attention, recomputesCore(layout_.memory), bytes.operands);
        add(say("what the core makes"), say("e·N·value columns"), bytes.attended);
        add(say("mask of dropout"), "n·h", bytes.mask);
    }

    const Layout& layout_;
    TensorShare share_;
    StageShape shape_;
    StageSizes size_;
    std::vector<LayerBytes> layers_;
    std::vector<int> segments_;
    std::int64_t part_;  ///< of a segment's input, that is kept of it; 0: all of it is
    bool norms_;         ///< what norms make is computed again
    bool activations_;   ///< what activations make is
    int layer_ = 0;
    bool again_ = false;  ///< what lies between kept operations is computed again in this layer
    Sentence half_;
    std::vector<KeptPart> parts_;
};

}  // namespace

std::vector<KeptPart> keptParts(const Layout& layout, const StageShape& shape, const TensorShare& share) {
    if (readsImages(layout.model)) return {};
    return KeptWalk(layout, shape, share).parts();
}

Sentence keptLetters(const Layout& layout, const TensorShare& share) {
    const ModelSpec& model = layout.model;
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * model.sequence / share.context;
    const Sentence rank =
        say("e = {} B a number, b = {} samples, s = {} tokens, N = {} tokens of a rank, n = {} between its "
            "products",
            numberFormats(layout.precision).activationBytes(), layout.batch.micro, model.sequence, tokens,
            tokens / (share.sequence ? share.size : 1));
    const Sentence group = say("h = {}, t = {} ranks of a tensor group", model.hidden, share.size);
    if (!hasAttention(model)) return say("{}, {}", rank, group);
    return say("{}, {}, {}", rank,
               say("a = {} heads, q = {} and g = {} columns of queries and of keys", ownHeads(model, share),
                   queryColumns(model, share), keyColumns(model, share)),
               group);
}

}  // namespace shardlab::predict
