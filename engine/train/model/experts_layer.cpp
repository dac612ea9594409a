// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/experts_layer.h"

#include "engine/base/ranges.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::train {

struct ExpertsLayer::State : BranchState {
    GateState gate;
    FoldRows own;
    RowBlocks blocks;
    Buffer gathered;
    Buffer expanded;  ///< before the activation; its gradient after inputGrad
    Buffer activated;
    Buffer produced;  ///< its gradient after inputGrad
    Buffer sharedExpanded, sharedActivated;
    Buffer numbers;  ///< of the gathered rows, where they come from other ranks and dropsByNumber()

    void visitSavedBuffers(const KeptVisitor& visit) override {
        BranchState::visitSavedBuffers(visit);
        for (Buffer* each : {&gathered, &expanded, &activated, &produced, &sharedExpanded, &sharedActivated, &numbers})
            visit(*each);
        gate.visitSavedBuffers(visit);
    }
};

ExpertsLayer::Block ExpertsLayer::makeBlock(const std::string& name, int width, const ExpertsSpec& spec) const {
    return {Expansion(context_, name, width, spec.expansion),
            Linear(context_, name + ".c_proj", width, context_.hidden, spec.projection, LinearCut::Rows)};
}

ExpertsLayer::ExpertsLayer(const LayerContext& context, const std::string& block, const ExpertsSpec& spec)
    : context_(context), width_(spec.width), dropsWithin_(spec.dropout > 0), norm_(context, block + ".ln_2"),
      gate_(context, block, spec.gate), dropout_(context.dropout, context.seed, block + ".moe"),
      tally_(context.arena, spec.gate.shape.experts, spec.gate.expertsChoose()) {
    const int members = context.experts ? context.experts->size() : 1, own = expertsOfFold() / members;
    const int first = fold() * expertsOfFold() + (context.experts ? context.experts->member() * own : 0);
    if (spec.shared > 0) shared_.emplace(makeBlock(block + ".moe.shared", spec.shared, spec));
    const bool spread = context.experts != nullptr;
    context.set.beginExperts(inFold(), memberOfFold(), spread);
    if (context.fp8) context.fp8->beginExperts(spec.gate.shape.experts / own, first / own, spread, memberOfFold() == 0);
    for (int e = first; e < first + own; ++e) {
        const std::string expert = fmt::format("{}.moe.experts.{}", block, e);
        experts_.push_back({makeBlock(expert, spec.width, spec), DropoutSite(spec.dropout, context.seed, expert)});
    }
    context.set.endExperts();
    if (context.fp8) context.fp8->endExperts();
}

std::unique_ptr<LayerState> ExpertsLayer::newState() const { return std::make_unique<State>(); }

/// The bias counts once in the sum over the members that cut the block, of which this is number `member`.
void ExpertsLayer::project(const Linear& projection, int member, int rows, ConstArray activated, Array made) const {
    if (member == 0) projection.forward(rows, activated, made);
    else projection.multiply(rows, activated, made);
}

/// A mask depends on the samples of the member from which the rows come, and on the columns that this rank has.
void ExpertsLayer::drop(const State& held, std::size_t block, Array rows) const {
    LayerState theirs;
    theirs.firstSample = held.firstSample;
    if (const ExpertGroup* const group = context_.experts; theirs.firstSample && group)
        *theirs.firstSample += group->samples().between(group->member(), static_cast<int>(block / experts_.size()));
    const Expert& expert = expertOf(block);
    DropoutMask drops = expert.dropout.mask(theirs, gate_.spec().shape.numbersOfSample(), 0);
    drops.firstColumn = rangeBegin(width_, inFold(), memberOfFold());
    if (drops.share == 0) return;
    const int count = held.blocks.rowsOf(block), columns = expert.block.expansion.width();
    if (!dropsByNumber()) return context_.device().dropout(count, columns, drops, rows);
    const std::int32_t* const numbers = held.numbers.empty()
                                            ? held.gate.routes().numbers + held.own.first
                                            : static_cast<const std::int32_t*>(held.numbers.data().data);
    context_.device().dropoutNumbered(count, columns, drops, numbers + held.blocks.begins[block], rows);
}

Buffer ExpertsLayer::allRows(MemoryCategory category, int rows, int columns) const {
    const std::size_t size = static_cast<std::size_t>(room(rows)) * static_cast<std::size_t>(columns);
    return rowsVary() ? context_.arena.allocateVarying(category, size, context_.types.activations)
                      : context_.allocate(category, size);
}

/// So many columns of each token.
Buffer ExpertsLayer::ofTokens(int columns) const {
    return context_.allocate(MemoryCategory::Activations,
                             static_cast<std::size_t>(context_.tokens()) * static_cast<std::size_t>(columns));
}

/// Where rows are packed, they are as many as tokens have, which the processor has to know to multiply them.
void ExpertsLayer::takeRows(State& held) const {
    const GateShape& shape = gate_.spec().shape;
    const auto experts = static_cast<std::size_t>(expertsOfFold()), before = static_cast<std::size_t>(fold()) * experts;
    if (!shape.packed()) {
        const int each = shape.expertRows(), count = expertsOfFold() * each;
        held.own = {fold() * count, count};
        held.blocks = RowBlocks::even(experts, each);
        return;
    }
    std::vector<std::int32_t> begins(static_cast<std::size_t>(shape.experts) + 1), counts(experts);
    context_.device().download(held.gate.routes().begins, begins.data(), begins.size() * sizeof(std::int32_t));
    for (std::size_t e = 0; e < experts; ++e) counts[e] = begins[before + e + 1] - begins[before + e];
    held.own = {begins[before], begins[before + experts] - begins[before]};
    ExpertGroup* const group = context_.experts;
    held.blocks = group ? RowBlocks::fromCounts(group->gather(counts), group->size(), group->member())
                        : RowBlocks::fromCounts(counts, 1, 0);
}

void ExpertsLayer::expandShared(State& held, ConstArray normed) const {
    const int tokens = context_.tokens();
    held.sharedExpanded = ofTokens(shared_->expansion.columns());
    held.sharedActivated = ofTokens(shared_->expansion.width());
    shared_->expansion.forward(tokens, normed, held.sharedExpanded.data(), held.sharedActivated.data());
}

/// Adds what the shared block makes of the tokens.
void ExpertsLayer::addShared(const State& held, Array sum) const {
    const Buffer made = context_.allocate(MemoryCategory::Temporary, context_.allSize());
    project(shared_->projection, context_.tensor.member(), context_.tokens(), held.sharedActivated.data(), made.data());
    context_.device().add(static_cast<std::int64_t>(made.size()), made.data(), sum);
}

template <class Visit>
void ExpertsLayer::eachBlock(const State& held, const Visit& visit) const {
    for (std::size_t b = 0; b < held.blocks.count(); ++b)
        if (const int rows = held.blocks.rowsOf(b); rows > 0) visit(b, rows, expertOf(b).block);
}

void ExpertsLayer::exchange(ExpertExchange way, const State& held, const Buffer& from, const Buffer& to) const {
    context_.experts->exchange(way, from.span(), to.span(), held.blocks.sizes(context_.hidden, way));
}

/// Routes the tokens and brings the rows of this rank's experts together.
void ExpertsLayer::gatherRows(State& held) {
    const bool spread = context_.experts != nullptr;
    held.gate = GateState(context_, gate_.spec());
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        gate_.forward(held, held.gate, normed.data());
        if (shared_) expandShared(held, normed.data());
        takeRows(held);
        held.gathered =
            allRows(spread ? MemoryCategory::Temporary : MemoryCategory::Activations, held.own.count, context_.hidden);
        if (held.own.count > 0)
            context_.device().gatherRows(held.own.count, context_.hidden, gate_.spec().shape.choices,
                                         held.gate.routes().places + held.own.first, nullptr, normed.data(),
                                         held.gathered.data());
    }
    if (!spread) return;
    const Buffer sent = std::move(held.gathered);
    held.gathered = allRows(MemoryCategory::Activations, held.blocks.rows(), context_.hidden);
    exchange(ExpertExchange::Dispatch, held, sent, held.gathered);
    if (dropsByNumber()) takeNumbers(held);
}

/// The numbers of the rows that have come.
void ExpertsLayer::takeNumbers(State& held) const {
    const auto rows = static_cast<std::size_t>(held.blocks.rows()), own = static_cast<std::size_t>(held.own.count);
    held.numbers = context_.arena.allocateVarying(MemoryCategory::Activations, rows, DType::I32);
    const ConstArraySpan sent{{held.gate.routes().numbers + held.own.first, DType::I32}, own};
    context_.experts->exchange(ExpertExchange::Dispatch, sent, held.numbers.span(),
                               held.blocks.sizes(1, ExpertExchange::Dispatch));
}

/// What the experts make of the gathered rows.
void ExpertsLayer::applyExperts(State& held) const {
    const bool spread = context_.experts != nullptr;
    const RowBlocks& blocks = held.blocks;
    const Expansion& any = experts_.front().block.expansion;
    const int hidden = context_.hidden;
    held.expanded = allRows(MemoryCategory::Activations, blocks.rows(), any.columns());
    held.activated = allRows(MemoryCategory::Activations, blocks.rows(), any.width());
    Buffer made = allRows(spread ? MemoryCategory::Temporary : MemoryCategory::Activations, blocks.rows(), hidden);
    eachBlock(held, [&](std::size_t b, int rows, const Block& expert) {
        const Array activated = blocks.of(b, held.activated.data(), any.width());
        expert.expansion.forward(rows, blocks.of(b, held.gathered.data(), hidden),
                                 blocks.of(b, held.expanded.data(), any.columns()), activated);
        drop(held, b, activated);
        project(expert.projection, memberOfFold(), rows, activated, blocks.of(b, made.data(), hidden));
    });
    if (spread) {
        held.produced = allRows(MemoryCategory::Activations, held.own.count, hidden);
        exchange(ExpertExchange::Combine, held, made, held.produced);
    } else {
        held.produced = std::move(made);
    }
}

Buffer ExpertsLayer::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    Device& device = context_.device();
    norm_.forward(held, std::move(input));
    gatherRows(held);
    applyExperts(held);
    const Routes routes = held.gate.routes();
    Buffer output = context_.tensor.sum(
        context_.allSize(), context_.types.activations, MemoryCategory::Activations, [&](Array partial) {
            device.sumRows(context_.tokens(), context_.hidden, gate_.spec().shape.choices, routes.rows, held.own.first,
                           held.own.count, routes.weights, held.produced.data(), partial);
            if (shared_) addShared(held, partial);
        });
    if (const DropoutMask drops = dropout_.ofOwnTokens(context_, held); drops.share > 0)
        device.dropout(context_.ownTokens(), context_.hidden, drops, output.data());
    device.add(static_cast<std::int64_t>(output.size()), held.input.data(), output.data());
    return output;
}

void ExpertsLayer::dropPointwise(LayerState& state, Pointwise parts) const {
    auto& held = static_cast<State&>(state);
    if (parts.norms) held.normed = {};
    if (!parts.activations) return;
    held.activated = {};
    held.sharedActivated = {};
}

void ExpertsLayer::makePointwise(LayerState& state, Pointwise parts) const {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens();
    if (parts.norms) norm_.again(held);
    if (!parts.activations) return;
    const RowBlocks& blocks = held.blocks;
    const Expansion& any = experts_.front().block.expansion;
    held.activated = allRows(MemoryCategory::Activations, blocks.rows(), any.width());
    eachBlock(held, [&](std::size_t b, int rows, const Block& expert) {
        const Array activated = blocks.of(b, held.activated.data(), any.width());
        expert.expansion.activate(rows, blocks.of(b, held.expanded.data(), any.columns()), activated);
        drop(held, b, activated);
    });
    if (!shared_) return;
    held.sharedActivated = ofTokens(shared_->expansion.width());
    shared_->expansion.activate(tokens, held.sharedExpanded.data(), held.sharedActivated.data());
}

/// Adds the shared block's part of the gradient of what the norm made.
void ExpertsLayer::addSharedGradient(State& held, Array sum) const {
    const int tokens = context_.tokens();
    {
        const Buffer scratch = context_.allocate(MemoryCategory::Temporary, held.sharedActivated.size());
        shared_->expansion.activationGrad(tokens, shared_->projection, held.branchGradient.data(),
                                          held.sharedExpanded.data(), scratch.data());
    }
    const Buffer part = context_.allocate(MemoryCategory::Temporary, context_.allSize());
    shared_->expansion.inputGrad(tokens, held.sharedExpanded.data(), part.data());
    context_.device().add(static_cast<std::int64_t>(part.size()), part.data(), sum);
}

/// The gradient of what goes through the branch, of all tokens, allocated as `category`; empty where it is the output's
/// and nothing needs it later.
Buffer ExpertsLayer::branchGradient(const State& held, const Buffer& outputGradient, MemoryCategory category) const {
    Device& device = context_.device();
    TensorGroup& tensor = context_.tensor;
    const DropoutMask drops = dropout_.ofOwnTokens(context_, held);
    Buffer masked;
    if (drops.share > 0) {
        masked = context_.allocate(tensor.splitsTokens() ? MemoryCategory::Temporary : category, outputGradient.size());
        device.dropoutTo(context_.ownTokens(), context_.hidden, drops, outputGradient.data(), masked.data(), {});
    }
    Buffer all = tensor.gather(masked.empty() ? outputGradient : masked, category).take();
    if (!all.empty()) return all;
    if (masked.empty() && shared_) {
        masked = context_.allocate(category, outputGradient.size());
        device.copy(outputGradient.data().data, masked.data().data, outputGradient.span().bytes().size());
    }
    return masked;
}

/// The gradients of what the experts made of the rows, in its place, and of the routes' weights.
void ExpertsLayer::producedGrad(State& held, const Buffer& outputGradient, MemoryCategory kept,
                                const Buffer& weightGradient) const {
    const int choices = gate_.spec().shape.choices, hidden = context_.hidden;
    const Routes routes = held.gate.routes();
    const FoldRows own = held.own;
    const bool spread = context_.experts != nullptr;
    Device& device = context_.device();
    Buffer sent, apart = branchGradient(held, outputGradient, shared_ ? kept : MemoryCategory::Temporary);
    const ConstArray branch = apart.empty() ? outputGradient.data() : apart.data();
    device.dotRows(context_.tokens(), hidden, choices, routes.rows, own.first, own.count, held.produced.data(), branch,
                   weightGradient.floats());
    context_.tensor.sumOverMembers(weightGradient.span());
    if (spread) sent = allRows(MemoryCategory::Temporary, own.count, hidden);
    if (own.count > 0)
        device.gatherRows(own.count, hidden, choices, routes.places + own.first, routes.weights, branch,
                          (spread ? sent : held.produced).data());
    if (shared_) held.branchGradient = std::move(apart);
    apart = {};
    if (!spread) return;
    if (held.blocks.rows() != own.count) {
        held.produced = {};
        held.produced = allRows(MemoryCategory::Activations, held.blocks.rows(), hidden);
    }
    exchange(ExpertExchange::Dispatch, held, sent, held.produced);
}

/// The gradients of what the experts expand the rows to, in its place.
void ExpertsLayer::expertsGrad(State& held) const {
    const GateShape& shape = gate_.spec().shape;
    const RowBlocks& blocks = held.blocks;
    const Expansion& any = experts_.front().block.expansion;
    const int most = shape.packed() ? blocks.rows() : shape.expertRows();
    const Buffer scratch = allRows(MemoryCategory::Temporary, most, any.width());
    eachBlock(held, [&](std::size_t b, int rows, const Block& expert) {
        expert.expansion.activationGrad(rows, expert.projection, blocks.of(b, held.produced.data(), context_.hidden),
                                        blocks.of(b, held.expanded.data(), any.columns()), scratch.data(),
                                        [&](Array gradient) { drop(held, b, gradient); });
    });
}

/// The gradient of what the norm made, but for the gate's part.
void ExpertsLayer::normedGrad(State& held, MemoryCategory kept) const {
    const RowBlocks& blocks = held.blocks;
    const int columns = experts_.front().block.expansion.columns(), hidden = context_.hidden;
    Buffer gathered = allRows(MemoryCategory::Temporary, blocks.rows(), hidden);
    eachBlock(held, [&](std::size_t b, int rows, const Block& expert) {
        expert.expansion.inputGrad(rows, blocks.of(b, held.expanded.data(), columns),
                                   blocks.of(b, gathered.data(), hidden));
    });
    if (context_.experts) {
        Buffer back = allRows(MemoryCategory::Temporary, held.own.count, hidden);
        exchange(ExpertExchange::Combine, held, gathered, back);
        gathered = std::move(back);
    }
    const Routes routes = held.gate.routes();
    held.normedGradient = context_.tensor.sum(context_.allSize(), context_.types.activations, kept, [&](Array partial) {
        context_.device().sumRows(context_.tokens(), hidden, gate_.spec().shape.choices, routes.rows, held.own.first,
                                  held.own.count, nullptr, gathered.data(), partial);
        gathered = {};
        if (shared_) addSharedGradient(held, partial);
    });
}

Buffer ExpertsLayer::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const Buffer weightGradient = context_.arena.allocate(MemoryCategory::Temporary, held.gate.weights.size());
    producedGrad(held, outputGradient, kept, weightGradient);
    expertsGrad(held);
    normedGrad(held, kept);
    context_.device().countLoad(gate_.spec().shape, held.gate.routes(), tally_.counts());
    if (tally_.chosen()) context_.device().countTaken(gate_.spec().shape, held.gate.routes(), tally_.chosen());
    gate_.inputGrad(held, held.gate, weightGradient.floats(), held.normedGradient.data());
    return norm_.inputGrad(held, outputGradient.data(), kept);
}

void ExpertsLayer::weightGrad(LayerState& state) {
    auto& held = static_cast<State&>(state);
    const int tokens = context_.tokens(), hidden = context_.hidden;
    const RowBlocks& blocks = held.blocks;
    eachBlock(held, [&](std::size_t b, int rows, const Block& expert) {
        const auto& [expansion, projection] = expert;
        projection.weightGrad(rows, blocks.of(b, held.activated.data(), expansion.width()),
                              blocks.of(b, held.produced.data(), hidden));
        expansion.weightGrad(rows, blocks.of(b, held.gathered.data(), hidden),
                             blocks.of(b, held.expanded.data(), expansion.columns()));
    });
    if (shared_) shared_->projection.weightGrad(tokens, held.sharedActivated.data(), held.branchGradient.data());
    {
        const AllTokens normed = context_.tensor.gather(held.normed, MemoryCategory::Temporary);
        if (shared_) shared_->expansion.weightGrad(tokens, normed.data(), held.sharedExpanded.data());
        gate_.weightGrad(held.gate, normed.data());
    }
    norm_.weightGrad(held);
    held = {};
}

}  // namespace shardlab::train
