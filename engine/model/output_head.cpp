// SPDX-License-Identifier: Apache-2.0
#include "engine/model/output_head.h"

#include "engine/base/ranges.h"
#include "kernels/cross_entropy.h"
#include "kernels/gemm.h"

#include <cmath>

namespace shardlab {

OutputHead::OutputHead(const LayerContext& context, int vocabulary, bool tied)
    : context_(context),
      firstToken_(rangeBegin(vocabulary, context.tensor.size(), context.tensor.member())),
      vocabulary_(rangeSize(vocabulary, context.tensor.size(), context.tensor.member())),
      norm_(context, "ln_f"),
      table_(context.set.declare(tied ? "wte.weight" : "lm_head.weight", {vocabulary, context.hidden}, {0.02}, true,
                                 Cut{0})) {}

void OutputHead::project(State& state, Buffer input) {
    const int tokens = context_.tokens(), ownTokens = context_.ownTokens();
    state.input = std::move(input);
    state.statistics = context_.arena.allocate(MemoryCategory::Activations, 2 * static_cast<std::size_t>(ownTokens));
    state.normed = context_.arena.allocate(MemoryCategory::Activations, state.input.size());
    norm_.forward(ownTokens, state.input.data(), state.statistics.data(), state.normed.data());
    state.logits = context_.arena.allocate(MemoryCategory::Activations, static_cast<std::size_t>(tokens) *
                                                                            static_cast<std::size_t>(vocabulary_));
    const AllTokens normed = context_.tensor.gather(state.normed, MemoryCategory::Temporary);
    gemm(tokens, vocabulary_, context_.hidden, normed.data(), false, table_.value(), true, 0, state.logits.data());
}

// Mean over rows of ln Σ e^(logit − highest) + highest − own, the maximum and the two sums taken over all members.
double OutputHead::sharedLoss(State& state, std::span<const std::int32_t> targets) {
    const int rows = context_.tokens();
    const std::size_t n = static_cast<std::size_t>(rows);
    const Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, 3 * n);
    const auto highest = scratch.span().first(n), sums = scratch.span().subspan(n, n), own = scratch.span().last(n);
    const VocabularyPart part{rows, vocabulary_, firstToken_};
    largestLogits(part, state.logits.data(), highest.data());
    context_.tensor.largestOverMembers(highest);
    exponentiateLogits(part, highest.data(), targets.data(), state.logits.data(), sums.data(), own.data());
    context_.tensor.sumOverMembers(scratch.span().last(2 * n));
    crossEntropyGradient(part, sums.data(), targets.data(), state.logits.data());
    double loss = 0;
    for (std::size_t r = 0; r < n; ++r) loss += std::log(static_cast<double>(sums[r])) + highest[r] - own[r];
    return loss / rows;
}

double OutputHead::forward(State& state, Buffer input, std::span<const std::int32_t> targets) {
    project(state, std::move(input));
    if (context_.tensor.size() > 1) return sharedLoss(state, targets);
    return crossEntropyWithGradient(context_.tokens(), vocabulary_, state.logits.data(), targets.data());
}

double OutputHead::evaluate(Buffer input, std::span<const std::int32_t> targets) {
    State state;
    project(state, std::move(input));
    if (context_.tensor.size() > 1) return sharedLoss(state, targets);
    return crossEntropy(context_.tokens(), vocabulary_, state.logits.data(), targets.data());
}

Buffer OutputHead::inputGrad(State& state, float scale, MemoryCategory kept) {
    const int tokens = context_.tokens(), hidden = context_.hidden;
    state.scale = scale;
    state.normedGradient = context_.tensor.sum(context_.allFloats(), kept, [&](float* partial) {
        gemm(tokens, hidden, vocabulary_, scale, {state.logits.data(), vocabulary_, false},
             {table_.value(), hidden, false}, 0, partial, hidden);
    });
    Buffer inputGradient = context_.arena.allocate(kept, state.input.size());
    norm_.inputGrad(context_.ownTokens(), state.input.data(), state.statistics.data(), state.normedGradient.data(),
                    nullptr, inputGradient.data());
    return inputGradient;
}

void OutputHead::weightGrad(State& state) {
    const int hidden = context_.hidden;
    {
        const AllTokens normed = context_.tensor.gather(state.normed, MemoryCategory::Temporary);
        gemm(vocabulary_, hidden, context_.tokens(), state.scale, {state.logits.data(), vocabulary_, true},
             {normed.data(), hidden, false}, 1, table_.gradient(), hidden);
    }
    norm_.weightGrad(context_.ownTokens(), state.input.data(), state.statistics.data(), state.normedGradient.data());
    state = {};
}

}  // namespace shardlab
