// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/stage.h"

#include "engine/layout/recompute.h"
#include "engine/train/model/host_copy.h"
#include "engine/train/model/models.h"
#include "engine/train/model/prediction_heads.h"
#include "engine/train/model/token_buffer.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace shardlab::train {

namespace {

/// What all layers hold of one microbatch.
struct Held {
    EmbeddingLayer::State embedding;
    std::vector<std::unique_ptr<LayerState>> layers;
    std::vector<OutputHead::State> heads;  ///< of the model's own prediction, then of each module's
    bool hasInputGrad = false;
};

/// Where products have 8 bits, a forward that is done again, or whose gradient is not taken, notes nothing.
template <class Work>
auto quietly(Fp8Products* fp8, const Work& work) {
    struct Quiet {
        Fp8Products* products;
        bool before;
        ~Quiet() {
            if (products) products->setQuiet(before);
        }
    } const quiet{fp8, fp8 && fp8->quiet()};
    if (fp8) fp8->setQuiet(true);
    return work();
}

Recompute::Observer observing(const Recompute::Observer& given, Fp8Products* fp8) {
    if (!fp8) return given;
    return [given, fp8](const std::function<void()>& run) {
        quietly(fp8, [&] {
            if (given) given(run);
            else run();
        });
    };
}

std::string choiceBiasName(int layer) { return fmt::format("h.{}.moe.gate.bias", layer); }

}  // namespace

struct Stage::Impl {
    Impl(const StageSpec& stageSpec, Arena& stageArena, std::unique_ptr<TensorGroup> own, TensorGroup* given,
         ContextGroup* contextGroup, ExpertGroup* expertGroup)
        : spec(stageSpec), arena(stageArena), types(numberFormats(spec.precision)), alone(std::move(own)),
          tensor(given ? *given : *alone), context(contextGroup), experts(expertGroup),
          weights(tensor.size(), tensor.member()),
          fp8(roundsProducts(spec.model, spec.precision)
                  ? std::make_unique<Fp8Products>(arena, spec.precision, spec.samples * ownSequence(),
                                                  spec.microbatches, tensor.member() == 0)
                  : nullptr),
          recomputing{recomputesCore(spec.memory), recomputesHeads(spec.memory),
                      recomputes(spec.memory, RecomputePart::Activations) || recomputesOperations(spec.memory),
                      observing(spec.recomputing, fp8.get())},
          stage(stageBuilders[spec.model.kind](spec, {weights,
                                                      arena,
                                                      tensor,
                                                      spec.samples,
                                                      ownSequence(),
                                                      spec.model.hidden,
                                                      spec.model.dropout,
                                                      spec.seed,
                                                      types,
                                                      recomputing,
                                                      context,
                                                      experts,
                                                      {},
                                                      fp8.get(),
                                                      spec.folds})),
          segments(layerSegments(spec.model, spec.memory, {spec.layers, spec.first, spec.last, spec.firstLayer})),
          partitions(spec.memory.partitionActivations), pointwise{recomputes(spec.memory, RecomputePart::Norms),
                                                                  recomputes(spec.memory, RecomputePart::Activations)},
          operations(recomputesOperations(spec.memory)), halvesAgain(makesHalvesAgain(spec.memory, tensor.size())) {
        weights.allocate(arena, types, spec.seed, spec.storage);
        if (fp8) {
            fp8->allocate();
            fp8State = fp8->state();
        }
        for (std::size_t i = 0; i < stage.layers.size(); ++i) {
            const ArraySpan bias = stage.layers[i]->choiceBias();
            if (bias.empty()) continue;
            Parameter& parameter = choiceBiases.emplace_back();
            parameter.name = choiceBiasName(layerOfModel(i));
            parameter.shape = parameter.slice.whole = {static_cast<int>(bias.size())};
            parameter.value = bias;
            parameter.owner = tensor.member() == 0;
        }
    }

    /// Tokens of a sample that this rank has.
    int ownSequence() const { return spec.model.sequence / (context ? context->size() : 1); }
    int layerOf(std::size_t i) const { return static_cast<int>(i) + (stage.embedding ? 1 : 0); }
    int headLayer() const { return layerOf(stage.layers.size()); }

    /// Calls `work`, which reads the layer's weights.
    template <class Work>
    auto reading(int layer, Work work) {
        if (hooks) hooks->beforeUse(layer);
        if constexpr (std::is_void_v<decltype(work())>) {
            work();
            if (hooks) hooks->afterUse(layer);
        } else {
            auto result = work();
            if (hooks) hooks->afterUse(layer);
            return result;
        }
    }

    /// Calls `work`, which adds the layer's weight gradient.
    template <class Work>
    void weightGrad(int layer, const Work& work, const OverflowPlace& place) {
        if (hooks) hooks->beforeGradient(layer);
        work();
        if (overflow)
            for (const Parameter& parameter : weights.parameters())
                if (parameter.lowestLayer <= layer && layer <= parameter.highestLayer)
                    lookAt(parameter.gradient, place);
        if (hooks) hooks->afterGradient(layer);
        tell(LayerPart::Gradient, layer);
    }

    void tell(LayerPart part, int layer) const {
        if (spec.layerDone) spec.layerDone({part, layer, weights.layers()});
    }

    /// The lowest layer of the segment of layer `i`; -1 where it has no segment.
    int segmentOf(std::size_t i) const { return segments[static_cast<std::size_t>(layerOf(i))]; }
    bool beginsSegment(std::size_t i) const { return segmentOf(i) == layerOf(i); }

    /// What layer `i` makes again besides segments. An attention, the lower of a block's two layers, has no activation.
    Pointwise pointwiseOf(std::size_t i) const {
        if (segmentOf(i) >= 0) return {};
        const std::size_t ofBlock = spec.layers > 0 ? stage.layers.size() / static_cast<std::size_t>(spec.layers) : 1;
        return {pointwise.norms, pointwise.activations && i % ofBlock == ofBlock - 1};
    }

    /// To be called after the forward of a segment's layer: keeps only the segment's input, and with operations what
    /// these made.
    void forget(std::unique_ptr<LayerState>& state, std::size_t i) const {
        if (operations) {
            stage.layers[i]->dropPointwise(*state, {.norms = true, .activations = true});
            if (halvesAgain && !beginsSegment(i)) state->input = {};
            return;
        }
        auto kept = stage.layers[i]->newState();
        kept->firstSample = state->firstSample;
        kept->tokens = std::move(state->tokens);
        if (beginsSegment(i)) kept->input = std::move(state->input);
        state = std::move(kept);
        if (partitions && !state->input.empty()) state->input = tensor.keepPart(std::move(state->input));
    }

    /// Does the forward of the segment that ends with layer `last` again.
    void recompute(Held& state, std::size_t last) {
        const auto begin = static_cast<std::size_t>(segmentOf(last) - layerOf(0));
        if (operations) return recomputeBetween(state, begin, last);
        Buffer input = std::move(state.layers[begin]->input);
        if (partitions) {
            visitLayer(begin);
            input = tensor.joinParts(std::move(input));
        }
        eachAgain(begin, last,
                  [&](std::size_t i) { input = stage.layers[i]->forward(*state.layers[i], std::move(input)); });
    }
    /// Does again what lies between the operations whose outputs are kept.
    void recomputeBetween(Held& state, std::size_t begin, std::size_t last) {
        eachAgain(begin, last, [&](std::size_t i) {
            stage.layers[i]->makePointwise(*state.layers[i], {.norms = true, .activations = true});
            if (halvesAgain && i < last) state.layers[i + 1]->input = stage.layers[i]->makeOutput(*state.layers[i]);
        });
    }
    template <class Work>
    void eachAgain(std::size_t begin, std::size_t last, const Work& work) {
        for (std::size_t i = begin; i <= last; ++i) {
            visitLayer(i);
            if (hooks) hooks->beforeRecompute(layerOf(i));
            work(i);
            if (hooks) hooks->afterRecompute(layerOf(i));
            tell(LayerPart::Again, layerOf(i));
        }
    }

    void visit(int layer) {
        tensor.visit(layer);
        if (context) context->visit(layer);
        if (experts) experts->visit(layer);
    }
    void visitEmbedding() { visit(embeddingLayer); }
    /// Names the block of layer `i`; all blocks have equally many layers.
    void visitLayer(std::size_t i) { visit(layerOfModel(i)); }
    int layerOfModel(std::size_t i) const {
        return spec.firstLayer + static_cast<int>(i * static_cast<std::size_t>(spec.layers) / stage.layers.size());
    }
    void lookAt(ArraySpan gradient, const OverflowPlace& place) {
        if (overflow && !gradient.empty())
            arena.device().noteNotFinite(static_cast<std::int64_t>(gradient.size()), gradient.data(),
                                         overflowMark(place), overflow);
    }
    void visitHead() { visit(outputLayer); }

    Held& hold(int microbatch) {
        const auto [entry, isNew] = microbatches.try_emplace(microbatch);
        if (!isNew) {
            throw std::logic_error("second forward of microbatch " + std::to_string(microbatch) +
                                   " before its backward");
        }
        return entry->second;
    }

    Held& held(int microbatch, bool hasInputGrad) {
        const auto found = microbatches.find(microbatch);
        if (found == microbatches.end() || found->second.hasInputGrad != hasInputGrad) {
            throw std::logic_error("backward of microbatch " + std::to_string(microbatch) + " out of order: its " +
                                   (hasInputGrad ? "input gradient was not taken" : "activations are not held"));
        }
        return found->second;
    }

    /// The module whose block layer `i` begins.
    std::optional<std::size_t> moduleAt(std::size_t i) const {
        const auto found = std::ranges::find(stage.modules, stage.layers[i].get());
        if (found == stage.modules.end()) return std::nullopt;
        return static_cast<std::size_t>(found - stage.modules.begin());
    }

    /// Returns the gradient of the highest layer's output; the modules get those of what the output read of them.
    Buffer headInputGrad(Held& state, float scale, MemoryCategory kept) {
        std::vector<Buffer> gradients = headGradients(*stage.head, state.heads, scale,
                                                      spec.model.predictionWeight / double(stage.modules.size()), kept);
        for (std::size_t i = 0; i < stage.layers.size(); ++i)
            if (const auto module = moduleAt(i))
                stage.modules[*module]->setNormedGradient(*state.layers[i], std::move(gradients[*module]));
        return std::move(gradients.back());
    }

    void headWeightGrad(int microbatch, Held& state) {
        const auto work = [&] {
            for (OutputHead::State& head : state.heads) stage.head->weightGrad(head);
        };
        weightGrad(headLayer(), work, {microbatch, outputLayer});
    }
    void layerWeightGrad(int microbatch, Held& state, std::size_t i) {
        weightGrad(layerOf(i), [&] { stage.layers[i]->weightGrad(*state.layers[i]); }, {microbatch, layerOfModel(i)});
    }
    void embeddingWeightGrad(int microbatch, Held& state) {
        weightGrad(0, [&] { stage.embedding->weightGrad(state.embedding); }, {microbatch, embeddingLayer});
    }

    /// Goes from the top down. Where `weightsToo`, each layer's weight gradient follows its input gradient, and frees
    /// what it needed.
    Buffer inputGrad(int microbatch, Held& state, Buffer gradient, float scale, MemoryCategory kept, bool weightsToo) {
        if (fp8) fp8->visit(microbatch);
        const bool together = weightsToo && !(hooks && hooks->placesGradients());
        if (stage.head) {
            visitHead();
            for (OutputHead::State& head : state.heads) head.weightsToo = together;
            gradient = reading(headLayer(), [&] { return headInputGrad(state, scale, kept); });
            tell(LayerPart::Use, headLayer());
            lookAt(gradient.span(), {microbatch, outputLayer});
            if (weightsToo) headWeightGrad(microbatch, state);
        }
        for (std::size_t i = stage.layers.size(); i-- > 0;) {
            if (endsSegment(segments, layerOf(i))) recomputing.run([&] { recompute(state, i); });
            visitLayer(i);
            state.layers[i]->lossScale = scale;
            state.layers[i]->weightsToo = together;
            gradient = reading(layerOf(i), [&] {
                if (const Pointwise parts = pointwiseOf(i); parts.norms || parts.activations)
                    recomputing.run([&] { stage.layers[i]->makePointwise(*state.layers[i], parts); });
                return stage.layers[i]->inputGrad(*state.layers[i], std::move(gradient), kept);
            });
            tell(LayerPart::Use, layerOf(i));
            lookAt(gradient.span(), {microbatch, layerOfModel(i)});
            if (weightsToo) layerWeightGrad(microbatch, state, i);
        }
        if (stage.embedding) {
            visitEmbedding();
            stage.embedding->inputGrad(state.embedding, std::move(gradient));
            if (weightsToo) embeddingWeightGrad(microbatch, state);
            return {};
        }
        return gradient;
    }

    const StageSpec spec;
    Arena& arena;
    const Types types;
    const std::unique_ptr<TensorGroup> alone;  ///< set where no group was given
    TensorGroup& tensor;
    ContextGroup* const context;
    ExpertGroup* const experts;
    ParameterSet weights;
    const std::unique_ptr<Fp8Products> fp8;  ///< null where products read the format of activations
    const Recompute recomputing;
    StageLayers stage;
    std::vector<Parameter> choiceBiases;
    std::vector<Parameter> fp8State;
    const std::vector<int> segments;
    const bool partitions;      ///< each tensor member keeps its part of a segment's input
    const Pointwise pointwise;  ///< what is made again in each layer by itself, where no segment covers it
    const bool operations;      ///< segments keep some outputs (recompute.h)
    const bool halvesAgain;     ///< and not the inputs of second halves
    LayerHooks* hooks = nullptr;
    std::int32_t* overflow = nullptr;
    std::map<int, Held> microbatches;
    std::map<int, std::vector<double>> losses;  ///< of the model's own prediction, then of each module's
};

Stage::Stage(const StageSpec& spec, Arena& arena)
    : impl_(std::make_unique<Impl>(spec, arena, std::make_unique<TensorGroup>(arena), nullptr, nullptr, nullptr)) {}
Stage::Stage(const StageSpec& spec, Arena& arena, TensorGroup& tensor, ContextGroup* context, ExpertGroup* experts)
    : impl_(std::make_unique<Impl>(spec, arena, nullptr, &tensor, context, experts)) {}
Stage::~Stage() {
    if (!impl_->spec.last) return;
    try {
        impl_->arena.device().synchronize();  // it writes losses, which are destroyed now
    } catch (...) {
        // A lost device writes nothing any more.
    }
}

std::span<Parameter> Stage::parameters() { return impl_->weights.parameters(); }
int Stage::layers() const { return impl_->weights.layers(); }
const std::vector<int>& Stage::segments() const { return impl_->segments; }
void Stage::watchOverflow(std::int32_t* first) { impl_->overflow = first; }
void Stage::setHooks(LayerHooks* hooks) { impl_->hooks = hooks; }
void Stage::initialise(std::size_t index, std::span<float> values) const {
    impl_->weights.initialise(index, impl_->spec.seed, values);
}
Arena& Stage::arena() const { return impl_->arena; }
const Types& Stage::types() const { return impl_->types; }
ArraySpan Stage::parameterBlock() { return impl_->weights.values(); }
ArraySpan Stage::gradientBlock() { return impl_->weights.gradients(); }
void Stage::zeroGradients() {
    const std::span<std::byte> block = gradientBlock().bytes();
    if (!block.empty()) impl_->arena.device().clear(block.data(), block.size());
}
void Stage::computeWith(ConstArraySpan weights) { impl_->weights.computeWith(weights); }

void Stage::renumber(int by) {
    std::map<int, Held> moved;
    for (auto& [microbatch, state] : impl_->microbatches) moved.emplace(microbatch + by, std::move(state));
    impl_->microbatches = std::move(moved);
    impl_->losses.clear();
}

bool Stage::hasLayer(int layer) const {
    const StageSpec& spec = impl_->spec;
    if (layer == embeddingLayer) return impl_->stage.embedding.has_value();
    if (layer == outputLayer) return spec.last;
    return layer >= spec.firstLayer && layer < spec.firstLayer + spec.layers;
}
int Stage::layerOfModel(int layer) const {
    if (layer == 0 && impl_->stage.embedding) return embeddingLayer;
    if (layer == impl_->headLayer()) return outputLayer;
    return impl_->layerOfModel(static_cast<std::size_t>(layer - impl_->layerOf(0)));
}
std::vector<ExpertLoad> Stage::takeExpertLoads() {
    std::vector<ExpertLoad> loads;
    for (std::size_t i = 0; i < impl_->stage.layers.size(); ++i)
        if (ExpertTally* const tally = impl_->stage.layers[i]->tally())
            loads.push_back(tally->take(impl_->layerOfModel(i)));
    return loads;
}
std::span<Parameter> Stage::choiceBiases() { return impl_->choiceBiases; }
void Stage::moveChoiceBias(int layer, std::span<const double> asked, double rate) {
    const std::string name = choiceBiasName(layer);
    const auto bias = std::ranges::find(impl_->choiceBiases, name, &Parameter::name);
    if (bias == impl_->choiceBiases.end()) return;
    const double mean =
        std::accumulate(asked.begin(), asked.end(), 0.0) / static_cast<double>(std::max<std::size_t>(1, asked.size()));
    std::vector<float> values = download(arena().device(), bias->value);
    for (std::size_t e = 0; e < values.size(); ++e)
        values[e] += static_cast<float>(asked[e] < mean ? rate : asked[e] > mean ? -rate : 0.0);
    upload(arena().device(), values, bias->value);
}
std::vector<Fp8Tally> Stage::finishFp8Step(const std::function<void(std::span<float>)>& combine) {
    return impl_->fp8 ? impl_->fp8->finishStep(combine) : std::vector<Fp8Tally>{};
}
std::span<Parameter> Stage::fp8State() { return impl_->fp8State; }
PackedTally Stage::takePacked() {
    return impl_->stage.packed ? std::exchange(*impl_->stage.packed, {}) : PackedTally{};
}
void Stage::visitSavedBuffers(int microbatch, const KeptVisitor& visit) {
    Held& state = impl_->held(microbatch, false);
    for (const std::unique_ptr<LayerState>& layer : state.layers) layer->visitSavedBuffers(visit);
    for (OutputHead::State& head : state.heads) head.visitSavedBuffers(visit);
}
int Stage::held() const { return static_cast<int>(impl_->microbatches.size()); }
const double& Stage::loss(int microbatch) const { return impl_->losses.at(microbatch).front(); }
std::span<const double> Stage::predictionLosses(int microbatch) const {
    return std::span<const double>(impl_->losses.at(microbatch)).subspan(1);
}

Buffer Stage::forward(int microbatch, const TokenBatch& batch, Buffer input) {
    StageLayers& stage = impl_->stage;
    Held& state = impl_->hold(microbatch);
    if (impl_->fp8) impl_->fp8->visit(microbatch);
    if (stage.embedding) {
        impl_->visitEmbedding();
        state.embedding.firstSample = batch.firstSample;
        input = impl_->reading(0, [&] { return stage.embedding->forward(state.embedding, batch.tokens); });
        impl_->tell(LayerPart::Use, 0);
    }
    if (stage.images) input = stage.images->forward(batch.tokens);
    std::vector<Buffer> normed;
    for (std::size_t i = 0; i < stage.layers.size(); ++i) {
        impl_->visitLayer(i);
        const std::optional<std::size_t> module = impl_->moduleAt(i);
        state.layers.push_back(stage.layers[i]->newState());
        state.layers.back()->firstSample = batch.firstSample;
        LayerState& held = *state.layers.back();
        if (module) held.tokens = onDevice(impl_->arena, targetsOf(batch, *module), MemoryCategory::Buffers);
        input = impl_->reading(impl_->layerOf(i), [&] { return stage.layers[i]->forward(held, std::move(input)); });
        if (module) normed.push_back(stage.modules[*module]->normed(held));
        stage.layers[i]->dropPointwise(*state.layers.back(), impl_->pointwiseOf(i));
        impl_->tell(LayerPart::Use, impl_->layerOf(i));
        if (impl_->segmentOf(i) >= 0) impl_->forget(state.layers.back(), i);
    }
    if (!stage.head) return input;
    impl_->visitHead();
    impl_->reading(impl_->headLayer(), [&] {
        forwardHeads(*stage.head, state.heads, std::move(normed), std::move(input), batch, impl_->losses[microbatch]);
    });
    impl_->tell(LayerPart::Use, impl_->headLayer());
    return {};
}

Buffer Stage::backward(int microbatch, Buffer outputGradient, float scale) {
    Buffer gradient = impl_->inputGrad(microbatch, impl_->held(microbatch, false), std::move(outputGradient), scale,
                                       MemoryCategory::Temporary, true);
    impl_->microbatches.erase(microbatch);
    return gradient;
}

Buffer Stage::inputGrad(int microbatch, Buffer outputGradient, float scale) {
    Held& state = impl_->held(microbatch, false);
    state.hasInputGrad = true;
    return impl_->inputGrad(microbatch, state, std::move(outputGradient), scale, MemoryCategory::Buffers, false);
}

void Stage::weightGrad(int microbatch) {
    StageLayers& stage = impl_->stage;
    Held& state = impl_->held(microbatch, true);
    if (stage.head) {
        impl_->visitHead();
        impl_->headWeightGrad(microbatch, state);
    }
    for (std::size_t i = stage.layers.size(); i-- > 0;) {
        impl_->visitLayer(i);
        impl_->layerWeightGrad(microbatch, state, i);
    }
    if (stage.embedding) {
        impl_->visitEmbedding();
        impl_->embeddingWeightGrad(microbatch, state);
    }
    impl_->microbatches.erase(microbatch);
}

Buffer Stage::evaluate(const TokenBatch& batch, Buffer input, double* loss) {
    StageLayers& stage = impl_->stage;
    EmbeddingLayer::State tokens;
    if (stage.embedding) input = impl_->reading(0, [&] { return stage.embedding->forward(tokens, batch.tokens); });
    if (stage.images) input = stage.images->forward(batch.tokens);
    bool normed = false;
    for (std::size_t i = 0; i < stage.layers.size(); ++i)
        input = quietly(impl_->fp8.get(), [&] {
            return impl_->reading(impl_->layerOf(i), [&] {
                if (normed) return std::move(input);
                normed = impl_->moduleAt(i).has_value();
                if (normed) return stage.modules.front()->norm(std::move(input));
                return stage.layers[i]->forward(*stage.layers[i]->newState(), std::move(input));
            });
        });
    if (!stage.head) return input;
    impl_->reading(impl_->headLayer(), [&] { stage.head->evaluate(std::move(input), normed, batch.targets, loss); });
    return {};
}

}  // namespace shardlab::train
