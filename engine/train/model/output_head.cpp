// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/output_head.h"

#include "engine/base/ranges.h"
#include "engine/train/model/product_weight.h"
#include "engine/train/model/token_buffer.h"

namespace shardlab::train {

OutputHead::OutputHead(const LayerContext& context, int vocabulary, bool tied)
    : context_(context), firstToken_(rangeBegin(vocabulary, context.tensor.size(), context.tensor.member())),
      vocabulary_(rangeSize(vocabulary, context.tensor.size(), context.tensor.member())),
      cap_(static_cast<float>(context.parts.logitCap)), norm_(context, "ln_f"),
      table_(context.set.declare(tied ? "wte.weight" : "lm_head.weight", {vocabulary, context.hidden}, {0.02}, true,
                                 Cut{0})) {}

void OutputHead::project(State& state, Buffer input) {
    const int tokens = context_.tokens(), ownTokens = context_.ownTokens();
    state.input = std::move(input);
    state.statistics = context_.arena.allocate(MemoryCategory::Activations, norm_.statistics(ownTokens));
    state.normed = context_.allocate(MemoryCategory::Activations, state.input.size());
    norm_.forward(ownTokens, state.input.data(), state.statistics.floats(), state.normed.data());
    state.logits = context_.allocate(MemoryCategory::Activations,
                                     static_cast<std::size_t>(tokens) * static_cast<std::size_t>(vocabulary_));
    const AllTokens normed = context_.tensor.gather(state.normed, MemoryCategory::Temporary);
    const ProductWeight table(context_.arena, context_.types.activations, table_);
    context_.device().gemm(tokens, vocabulary_, context_.hidden, normed.data(), false, table.data(), true, 0,
                           state.logits.data());
    if (cap_ > 0) context_.device().capLogits(std::int64_t{tokens} * vocabulary_, cap_, state.logits.data());
}

// The mean over rows of ln Σ e^(logit − highest) + highest − own; the maximum and both sums are taken over all members.
void OutputHead::sharedLoss(State& state, const std::int32_t* targets, double* loss) {
    const int rows = context_.tokens();
    const std::size_t n = static_cast<std::size_t>(rows);
    const Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, 3 * n);
    const ArraySpan highest = scratch.span().first(n), both = scratch.span().last(2 * n);
    float* const sums = both.data().floats();
    float* const own = sums + n;
    const VocabularyPart part{rows, vocabulary_, firstToken_, cap_};
    Device& device = context_.device();
    device.largestLogits(part, state.logits.data(), highest.data().floats());
    context_.tensor.largestOverMembers(highest);
    device.sumExponentials(part, highest.data().floats(), targets, state.logits.data(), sums, own);
    context_.tensor.sumOverMembers(both);
    device.crossEntropyGradient(part, highest.data().floats(), sums, targets, state.logits.data());
    device.sharedLoss(rows, highest.data().floats(), sums, own, loss);
}

void OutputHead::forward(State& state, Buffer input, std::span<const std::int32_t> targets, double* loss) {
    project(state, std::move(input));
    const Buffer wanted = onDevice(context_.arena, targets, MemoryCategory::Temporary);
    if (context_.tensor.size() > 1) return sharedLoss(state, tokenNumbers(wanted), loss);
    context_.device().crossEntropyWithGradient(context_.tokens(), vocabulary_, cap_, state.logits.data(),
                                               tokenNumbers(wanted), loss);
}

void OutputHead::evaluate(Buffer input, std::span<const std::int32_t> targets, double* loss) {
    State state;
    project(state, std::move(input));
    const Buffer wanted = onDevice(context_.arena, targets, MemoryCategory::Temporary);
    if (context_.tensor.size() > 1) return sharedLoss(state, tokenNumbers(wanted), loss);
    context_.device().crossEntropy(context_.tokens(), vocabulary_, state.logits.data(), tokenNumbers(wanted), loss);
}

Buffer OutputHead::inputGrad(State& state, float scale, MemoryCategory kept) {
    const int tokens = context_.tokens(), hidden = context_.hidden;
    state.scale = scale / static_cast<float>(tokens);
    state.normedGradient =
        context_.tensor.sum(context_.allSize(), context_.types.activations, kept, [&](Array partial) {
            const ProductWeight table(context_.arena, context_.types.activations, table_);
            context_.device().gemm(tokens, hidden, vocabulary_, state.scale, {state.logits.data(), vocabulary_, false},
                                   {table.data(), hidden, false}, 0, partial, hidden);
        });
    Buffer inputGradient = context_.allocate(kept, state.input.size());
    norm_.inputGrad(context_.ownTokens(), state.input.data(), state.statistics.floats(), state.normedGradient.data(),
                    {}, inputGradient.data());
    return inputGradient;
}

void OutputHead::weightGrad(State& state) {
    const int hidden = context_.hidden;
    {
        const AllTokens normed = context_.tensor.gather(state.normed, MemoryCategory::Temporary);
        context_.device().gemm(vocabulary_, hidden, context_.tokens(), state.scale,
                               {state.logits.data(), vocabulary_, true}, {normed.data(), hidden, false}, 1,
                               table_.gradient(), hidden);
    }
    norm_.weightGrad(context_.ownTokens(), state.input.data(), state.statistics.floats(), state.normedGradient.data());
    state = {};
}

}  // namespace shardlab::train
