// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/output_head.h"

#include "engine/base/ranges.h"
#include "engine/layout/data/token_batch.h"
#include "engine/layout/logit_rows.h"
#include "engine/train/model/product_weight.h"
#include "engine/train/model/token_buffer.h"

namespace shardlab::train {

static_assert(noToken == noTarget);

OutputHead::OutputHead(const LayerContext& context, const std::string& norm, int vocabulary, bool tied, int pieces)
    : context_(context), firstToken_(rangeBegin(vocabulary, context.tensor.size(), context.tensor.member())),
      vocabulary_(rangeSize(vocabulary, context.tensor.size(), context.tensor.member())),
      stride_(logitStride(vocabulary_)), cap_(static_cast<float>(context.parts.logitCap)), pieces_(pieces),
      norm_(context, norm), table_(context.set.declare(tied ? "wte.weight" : "lm_head.weight",
                                                       {vocabulary, context.hidden}, {0.02}, true, Cut{0})) {}

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
    makeLogits(part(), normed.data(), table.data(), state.logits.data());
}

void OutputHead::makeLogits(const VocabularyPart& rows, ConstArray normed, ConstArray table, Array logits) {
    const int hidden = context_.hidden;
    context_.device().gemm(rows.rows, vocabulary_, hidden, 1, {normed, hidden, false}, {table, hidden, true}, 0, logits,
                           stride_);
    if (cap_ > 0) context_.device().capLogits(std::int64_t{rows.rows} * stride_, cap_, logits);
}

void OutputHead::eachPiece(const State& state, const std::function<void(const Piece&)>& use) {
    const int tokens = context_.tokens(), most = (tokens + pieces_ - 1) / pieces_;
    const AllTokens normed = context_.tensor.gather(state.normed, MemoryCategory::Temporary);
    const ProductWeight table(context_.arena, context_.types.activations, table_);
    const Buffer logits = context_.allocate(MemoryCategory::Temporary,
                                            static_cast<std::size_t>(most) * static_cast<std::size_t>(stride_));
    for (int i = 0; i < pieces_; ++i) {
        const std::ptrdiff_t first = rangeBegin(tokens, pieces_, i);
        const VocabularyPart rows{rangeSize(tokens, pieces_, i), vocabulary_, firstToken_, cap_, stride_};
        const Piece piece{rows, first, logits.data(), normed.data() + first * context_.hidden, table.data()};
        makeLogits(rows, piece.normed, piece.table, piece.logits);
        use(piece);
    }
}

void OutputHead::exponentials(const VocabularyPart& rows, const Buffer& sums, std::ptrdiff_t first,
                              const std::int32_t* targets, ConstArray logits) {
    const std::ptrdiff_t n = context_.tokens();
    const ArraySpan highest = sums.span().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows.rows));
    float* const ofTargets = sums.floats() + 2 * n + first;
    context_.device().largestLogits(rows, logits, highest.data().floats());
    context_.tensor.largestOverMembers(highest);
    context_.device().sumExponentials(rows, highest.data().floats(), targets, logits, sums.floats() + n + first,
                                      ofTargets);
}

void OutputHead::lossInPieces(State& state, std::span<const std::int32_t> targets, double* loss) {
    const std::size_t n = static_cast<std::size_t>(context_.tokens());
    state.targets = onDevice(context_.arena, targets, MemoryCategory::Activations);
    state.sums = context_.arena.allocate(MemoryCategory::Activations, 3 * n);
    eachPiece(state, [&](const Piece& piece) {
        exponentials(piece.part, state.sums, piece.first, tokenNumbers(state.targets) + piece.first, piece.logits);
    });
    context_.tensor.sumOverMembers(state.sums.span().last(2 * n));
    const float* const highest = state.sums.floats();
    context_.device().sharedLoss(context_.tokens(), highest, highest + n, highest + 2 * n, loss);
}

void OutputHead::pieceGradient(const State& state, const Piece& piece) {
    const float* const highest = state.sums.floats() + piece.first;
    context_.device().crossEntropyGradient(piece.part, highest, highest + context_.tokens(),
                                           tokenNumbers(state.targets) + piece.first, piece.logits);
}

void OutputHead::addTableGradient(const State& state, const Piece& piece) {
    const int hidden = context_.hidden;
    context_.device().gemm(vocabulary_, hidden, piece.part.rows, state.scale, {piece.logits, stride_, true},
                           {piece.normed, hidden, false}, 1, table_.gradient(), hidden);
}

// The mean over rows of ln Σ e^(logit − highest) + highest − own; the maximum and both sums are taken over all members.
void OutputHead::sharedLoss(State& state, const std::int32_t* targets, double* loss) {
    const int rows = context_.tokens();
    const std::size_t n = static_cast<std::size_t>(rows);
    const Buffer scratch = context_.arena.allocate(MemoryCategory::Temporary, 3 * n);
    exponentials(part(), scratch, 0, targets, state.logits.data());
    context_.tensor.sumOverMembers(scratch.span().last(2 * n));
    float* const highest = scratch.floats();
    Device& device = context_.device();
    device.crossEntropyGradient(part(), highest, highest + n, targets, state.logits.data());
    device.sharedLoss(rows, highest, highest + n, highest + 2 * n, loss);
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
    if (pieces_ > 1) return lossInPieces(state, targets, loss);
    project(state);
    const Buffer wanted = onDevice(context_.arena, targets, MemoryCategory::Temporary);
    if (context_.tensor.size() > 1) return sharedLoss(state, tokenNumbers(wanted), loss);
    context_.device().crossEntropyWithGradient(part(), state.logits.data(), tokenNumbers(wanted), loss);
}

void OutputHead::evaluate(Buffer input, bool normed, std::span<const std::int32_t> targets, double* loss) {
    State state;
    if (normed) state.normed = std::move(input);
    else norm(state, std::move(input));
    if (pieces_ > 1) return lossInPieces(state, targets, loss);
    project(state);
    const Buffer wanted = onDevice(context_.arena, targets, MemoryCategory::Temporary);
    if (context_.tensor.size() > 1) return sharedLoss(state, tokenNumbers(wanted), loss);
    context_.device().crossEntropy(part(), state.logits.data(), tokenNumbers(wanted), loss);
}

void OutputHead::inputGradInPieces(State& state, Array gradient) {
    const int hidden = context_.hidden;
    eachPiece(state, [&](const Piece& piece) {
        pieceGradient(state, piece);
        context_.device().gemm(piece.part.rows, hidden, vocabulary_, state.scale, {piece.logits, stride_, false},
                               {piece.table, hidden, false}, 0, gradient + piece.first * hidden, hidden);
        if (state.tableDone) addTableGradient(state, piece);
    });
}

Buffer OutputHead::inputGrad(State& state, float scale, MemoryCategory kept) {
    const int tokens = context_.tokens(), hidden = context_.hidden;
    state.scale = scale / static_cast<float>(tokens);
    state.tableDone = pieces_ > 1 && state.weightsToo && !context_.tensor.splitsTokens();
    state.normedGradient =
        context_.tensor.sum(context_.allSize(), context_.types.activations, kept, [&](Array partial) {
            if (pieces_ > 1) return inputGradInPieces(state, partial);
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
    if (pieces_ > 1) {
        if (!state.tableDone)
            eachPiece(state, [&](const Piece& piece) {
                pieceGradient(state, piece);
                addTableGradient(state, piece);
            });
    } else {
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
