// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/prediction_layer.h"

namespace shardlab::train {

namespace {

/// The join is no part of the blocks whose products may have 8 bits.
LayerContext withoutFp8(LayerContext context) {
    context.fp8 = nullptr;
    return context;
}

}  // namespace

struct PredictionLayer::State : EmbeddingLayer::State {
    Buffer statistics, normed;
    Buffer hiddenStatistics;
    Buffer embedded, embeddedStatistics;
    Buffer joined;
    Buffer normedGradient;        ///< from the output projection, then whole
    Buffer hiddenNormGradient;    ///< of the output of hnorm
    Buffer embeddedNormGradient;  ///< of the output of enorm
    Buffer joinGradient;          ///< of the attention's input
    std::unique_ptr<LayerState> attention;

    void visitSavedBuffers(const KeptVisitor& visit) override {
        for (Buffer* each : {&input, &statistics, &normed, &hiddenStatistics, &embedded, &embeddedStatistics, &joined})
            visit(*each);
        if (attention) attention->visitSavedBuffers(visit);
    }
};

PredictionLayer::PredictionLayer(const LayerContext& context, const std::string& block, const std::string& norm,
                                 int vocabulary, const MakeAttention& makeAttention)
    : context_(withoutFp8(context)), embedding_(context_, vocabulary, /*bare=*/true), norm_(context_, norm),
      hiddenNorm_(context_, block + ".hnorm"), embeddingNorm_(context_, block + ".enorm"),
      projection_(context_, block + ".eh_proj", 2 * context_.hidden, context_.hidden, Initial{0.02}, LinearCut::Whole,
                  /*bias=*/false),
      attention_(makeAttention()) {}

std::unique_ptr<LayerState> PredictionLayer::newState() const {
    auto state = std::make_unique<State>();
    state->attention = attention_->newState();
    return state;
}

void PredictionLayer::normInto(const Norm& norm, const Buffer& x, Buffer& statistics, int first, Buffer& joined) const {
    const int tokens = context_.ownTokens(), hidden = context_.hidden;
    statistics = context_.arena.allocate(MemoryCategory::Activations, norm.statistics(tokens));
    const Buffer normed = context_.allocate(MemoryCategory::Temporary, context_.ownSize());
    norm.forward(tokens, x.data(), statistics.floats(), normed.data());
    context_.device().copyColumns(tokens, hidden, normed.data(), hidden, joined.data() + first, 2 * hidden);
}

Buffer PredictionLayer::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.ownTokens();
    held.input = std::move(input);
    held.statistics = context_.arena.allocate(MemoryCategory::Activations, norm_.statistics(tokens));
    held.normed = context_.allocate(MemoryCategory::Activations, context_.ownSize());
    norm_.forward(tokens, held.input.data(), held.statistics.floats(), held.normed.data());
    held.joined = context_.allocate(MemoryCategory::Activations, 2 * context_.ownSize());
    normInto(hiddenNorm_, held.normed, held.hiddenStatistics, context_.hidden, held.joined);
    held.embedded = embedding_.forward(held);
    normInto(embeddingNorm_, held.embedded, held.embeddedStatistics, 0, held.joined);
    Buffer join = context_.allocate(MemoryCategory::Activations, context_.ownSize());
    projection_.forward(tokens, held.joined.data(), join.data());
    held.attention->firstSample = held.firstSample;
    return attention_->forward(*held.attention, std::move(join));
}

Buffer PredictionLayer::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.ownTokens(), hidden = context_.hidden;
    held.joinGradient = attention_->inputGrad(*held.attention, std::move(outputGradient), kept);
    const auto allocate = [&] { return context_.allocate(kept, context_.ownSize()); };
    {
        const Buffer gradient = context_.allocate(MemoryCategory::Temporary, 2 * context_.ownSize());
        projection_.inputGrad(tokens, held.joinGradient.data(), gradient.data());
        held.hiddenNormGradient = allocate();
        held.embeddedNormGradient = allocate();
        context_.device().copyColumns(tokens, hidden, gradient.data() + hidden, 2 * hidden,
                                      held.hiddenNormGradient.data(), hidden);
        context_.device().copyColumns(tokens, hidden, gradient.data(), 2 * hidden, held.embeddedNormGradient.data(),
                                      hidden);
    }
    held.outputGradient = allocate();
    embeddingNorm_.inputGrad(tokens, held.embedded.data(), held.embeddedStatistics.floats(),
                             held.embeddedNormGradient.data(), {}, held.outputGradient.data());
    Buffer normedGradient = allocate();
    hiddenNorm_.inputGrad(tokens, held.normed.data(), held.hiddenStatistics.floats(), held.hiddenNormGradient.data(),
                          held.normedGradient.data(), normedGradient.data());
    held.normedGradient = std::move(normedGradient);
    Buffer inputGradient = allocate();
    norm_.inputGrad(tokens, held.input.data(), held.statistics.floats(), held.normedGradient.data(), {},
                    inputGradient.data());
    return inputGradient;
}

void PredictionLayer::weightGrad(LayerState& state) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.ownTokens();
    attention_->weightGrad(*held.attention);
    projection_.weightGrad(tokens, held.joined.data(), held.joinGradient.data());
    hiddenNorm_.weightGrad(tokens, held.normed.data(), held.hiddenStatistics.floats(), held.hiddenNormGradient.data());
    embeddingNorm_.weightGrad(tokens, held.embedded.data(), held.embeddedStatistics.floats(),
                              held.embeddedNormGradient.data());
    norm_.weightGrad(tokens, held.input.data(), held.statistics.floats(), held.normedGradient.data());
    embedding_.weightGrad(held);
    held = {};
}

void PredictionLayer::dropPointwise(LayerState& state, Pointwise parts) const {
    attention_->dropPointwise(*static_cast<State&>(state).attention, parts);
}
void PredictionLayer::makePointwise(LayerState& state, Pointwise parts) const {
    attention_->makePointwise(*static_cast<State&>(state).attention, parts);
}
Buffer PredictionLayer::makeOutput(const LayerState& state) const {
    return attention_->makeOutput(*static_cast<const State&>(state).attention);
}

Buffer PredictionLayer::normed(const LayerState& state) const {
    const Buffer& normed = static_cast<const State&>(state).normed;
    Buffer copy = context_.allocate(MemoryCategory::Activations, normed.size());
    context_.device().copy(normed.data().data, copy.data().data, normed.span().bytes().size());
    return copy;
}

Buffer PredictionLayer::norm(Buffer input) const {
    const Buffer statistics =
        context_.arena.allocate(MemoryCategory::Temporary, norm_.statistics(context_.ownTokens()));
    Buffer normed = context_.allocate(MemoryCategory::Activations, context_.ownSize());
    norm_.forward(context_.ownTokens(), input.data(), statistics.floats(), normed.data());
    return normed;
}

void PredictionLayer::setNormedGradient(LayerState& state, Buffer gradient) const {
    static_cast<State&>(state).normedGradient = std::move(gradient);
}

}  // namespace shardlab::train
