// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/output_head.h"

#include "engine/base/ranges.h"
#include "engine/layout/data/token_batch.h"
#include "engine/layout/logit_rows.h"
#include "engine/train/model/product_weight.h"
#include "engine/train/model/token_buffer.h"

namespace shardlab::train {

static_assert(noToken == noTarget);

OutputHead::OutputHead(const LayerContext& context, const std::string& norm, int vocabulary, bool tied)
    : context_(context), firstToken_(rangeBegin(vocabulary, context.tensor.size(), context.tensor.member())),
      vocabulary_(rangeSize(vocabulary, context.tensor.size(), context.tensor.member())),
      stride_(logitStride(vocabulary_)), cap_(static_cast<float>(context.parts.logitCap)), norm_(context, norm),
      table_(context.set.declare(tied ? "wte.weight" : "lm_head.weight", {vocabulary, context.hidden}, {0.02}, true,
                                 Cut{0})) {}

void OutputHead::norm(State& state, Buffer input) {
    const int ownTokens = context_.ownTokens();
    state.input = std::move(input);
    state.statistics = context_.arena.allocate(MemoryCategory::Activations, norm_.statistics(ownTokens));
    state.normed = context_.allocate(MemoryCategory::Activations, state.input.size());
    norm_.forward(ownTokens, state.input.data(), state.statistics.floats(), state.normed.data());
}

void OutputHead::project(State& state) {
    const int tokens = context_.tokens();
    state.logits = context_.allocate(MemoryCategory::Activations,
                                     static_cast<std::size_t>(tokens) * static_cast<std::size_t>(stride_));
    const AllTokens normed = context_.tensor.gather(state.normed, MemoryCategory::Temporary);
    const ProductWeight table(context_.arena, context_.types.activations, table_);
    context_.device().gemm(tokens, vocabulary_, context_.hidden, 1, {normed.data(), context_.hidden, false},
                           {table.data(), context_.hidden, true}, 0, state.logits.data(), stride_);
    if (cap_ > 0) context_.device().capLogits(std::int64_t{tokens} * stride_, cap_, state.logits.data());
}

// The mean over rows of ln Σ e^(logit − highest) + highest − own; the maximum and both sums are taken over all members.
void OutputHead::sharedLoss(State& state, const std::int32_t* targets, double* loss) {
    const int rows = context_.tokens();
    const std::size_t n = static_cast<std::size_t>(rows);
    const Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, 3 * n);
    const ArraySpan highest = scratch.span().first(n), both = scratch.span().last(2 * n);
    float* const sums = both.data().floats();
    float* const own = sums + n;
    Device& device = context_.device();
    device.largestLogits(part(), state.logits.data(), highest.data().floats());
    context_.tensor.largestOverMembers(highest);
    device.sumExponentials(part(), highest.data().floats(), targets, state.logits.data(), sums, own);
    context_.tensor.sumOverMembers(both);
    device.crossEntropyGradient(part(), highest.data().floats(), sums, targets, state.logits.data());
    device.sharedLoss(rows, highest.data().floats(), sums, own, loss);
}

void OutputHead::forward(State& state, Buffer input, std::span<const std::int32_t> targets, double* loss) {
    norm(state, std::move(input));
    takeLoss(state, targets, loss);
}

void OutputHead::forwardNormed(State& state, Buffer normed, std::span<const std::int32_t> targets, double* loss) {
    state.normed = std::move(normed);
    takeLoss(state, targets, loss);
}

void OutputHead::takeLoss(State& state, std::span<const std::int32_t> targets, double* loss) {
    project(state);
    const Buffer wanted = onDevice(context_.arena, targets, MemoryCategory::Temporary);
    if (context_.tensor.size() > 1) return sharedLoss(state, tokenNumbers(wanted), loss);
    context_.device().crossEntropyWithGradient(part(), state.logits.data(), tokenNumbers(wanted), loss);
}

void OutputHead::evaluate(Buffer input, bool normed, std::span<const std::int32_t> targets, double* loss) {
    State state;
    if (normed) state.normed = std::move(input);
    else norm(state, std::move(input));
    project(state);
    const Buffer wanted = onDevice(context_.arena, targets, MemoryCategory::Temporary);
    if (context_.tensor.size() > 1) return sharedLoss(state, tokenNumbers(wanted), loss);
    context_.device().crossEntropy(part(), state.logits.data(), tokenNumbers(wanted), loss);
}

Buffer OutputHead::inputGrad(State& state, float scale, MemoryCategory kept) {
    const int tokens = context_.tokens(), hidden = context_.hidden;
    state.scale = scale / static_cast<float>(tokens);
    state.normedGradient =
        context_.tensor.sum(context_.allSize(), context_.types.activations, kept, [&](Array partial) {
            const ProductWeight table(context_.arena, context_.types.activations, table_);
            context_.device().gemm(tokens, hidden, vocabulary_, state.scale, {state.logits.data(), stride_, false},
                                   {table.data(), hidden, false}, 0, partial, hidden);
        });
    if (state.input.empty()) return std::move(state.normedGradient);
    Buffer inputGradient = context_.allocate(kept, state.input.size());
    state.normDone = norm_.inputGrad(context_.ownTokens(), state.input.data(), state.statistics.floats(),
                                     state.normedGradient.data(), {}, inputGradient.data(), state.weightsToo);
    return inputGradient;
}

void OutputHead::weightGrad(State& state) {
    const int hidden = context_.hidden;
    {
        const AllTokens normed = context_.tensor.gather(state.normed, MemoryCategory::Temporary);
        context_.device().gemm(vocabulary_, hidden, context_.tokens(), state.scale,
                               {state.logits.data(), stride_, true}, {normed.data(), hidden, false}, 1,
                               table_.gradient(), hidden);
    }
    if (!state.input.empty() && !state.normDone)
        norm_.weightGrad(context_.ownTokens(), state.input.data(), state.statistics.floats(),
                         state.normedGradient.data());
    state = {};
}

}  // namespace shardlab::train
