// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/experts_layer.h"

#include <fmt/format.h>

namespace shardlab::train {

struct ExpertsLayer::State : LayerState {
    Buffer statistics;
    Buffer normed;
    GateState gate;
    Buffer gathered;
    Buffer expanded;  ///< before GELU; its gradient after inputGrad
    Buffer activated;
    Buffer produced;  ///< its gradient after inputGrad
    Buffer normedGradient;

    void visitSavedBuffers(const KeptVisitor& visit) override {
        for (Buffer* each : {&input, &statistics, &normed, &gathered, &expanded, &activated, &produced}) visit(*each);
        gate.visitSavedBuffers(visit);
    }
};

ExpertsLayer::ExpertsLayer(const LayerContext& context, const std::string& block, const ExpertsSpec& spec)
    : context_(context), width_(spec.width), norm_(context, block + ".ln_2"), gate_(context, block, spec.gate),
      dropout_(context.dropout, context.seed, block + ".moe"), tally_(context.arena, spec.gate.shape.experts) {
    const int members = context.experts ? context.experts->size() : 1, own = spec.gate.shape.experts / members;
    const int first = context.experts ? context.experts->member() * own : 0;
    if (context.experts) context.set.beginExperts();
    for (int e = first; e < first + own; ++e) {
        const std::string expert = fmt::format("{}.moe.experts.{}", block, e);
        experts_.push_back(
            {Linear(context, expert + ".c_fc", context.hidden, width_, spec.expansion, LinearCut::Columns),
             Linear(context, expert + ".c_proj", width_, context.hidden, spec.projection, LinearCut::Rows),
             DropoutSite(spec.dropout, context.seed, expert)});
    }
    context.set.endExperts();
}

std::unique_ptr<LayerState> ExpertsLayer::newState() const { return std::make_unique<State>(); }

DropoutMask ExpertsLayer::mask(const LayerState& state) const { return dropout_.mask(state, context_.sequence, 0); }

/// A mask depends on the samples of the member from which the rows come.
void ExpertsLayer::drop(const LayerState& state, std::size_t block, const Buffer& all) const {
    const GateShape& shape = gate_.spec().shape;
    LayerState theirs;
    theirs.firstSample = state.firstSample;
    if (theirs.firstSample && context_.experts)
        *theirs.firstSample += (static_cast<std::int64_t>(block / experts_.size()) - context_.experts->member()) *
                               context_.experts->samplesApart();
    const DropoutMask drops = expertOf(block).dropout.mask(theirs, shape.capacity, 0);
    if (drops.share > 0) context_.device().dropout(shape.expertRows(), width_, drops, rowsOf(block, all, width_));
}

Buffer ExpertsLayer::allRows(MemoryCategory category, int columns) const {
    return context_.allocate(category,
                             static_cast<std::size_t>(gate_.spec().shape.rows()) * static_cast<std::size_t>(columns));
}

Buffer ExpertsLayer::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    const GateShape& shape = gate_.spec().shape;
    const int tokens = context_.tokens(), hidden = context_.hidden, rows = shape.expertRows();
    const auto allocate = [&](int height, int columns) {
        return context_.allocate(MemoryCategory::Activations,
                                 static_cast<std::size_t>(height) * static_cast<std::size_t>(columns));
    };
    Device& device = context_.device();
    ExpertGroup* const group = context_.experts;

    held.input = std::move(input);
    held.statistics = context_.arena.allocate(MemoryCategory::Activations, 2 * static_cast<std::size_t>(tokens));
    held.normed = allocate(tokens, hidden);
    norm_.forward(tokens, held.input.data(), held.statistics.floats(), held.normed.data());
    held.gate = GateState(context_, gate_.spec());
    gate_.forward(held, held.gate, held.normed.data());

    const Routes routes = held.gate.routes();
    {
        const Buffer sent = group ? allRows(MemoryCategory::Temporary, hidden) : Buffer{};
        held.gathered = allRows(MemoryCategory::Activations, hidden);
        device.gatherRows(shape.rows(), hidden, shape.choices, routes.places, nullptr, held.normed.data(),
                          (group ? sent : held.gathered).data());
        if (group) group->exchange(ExpertExchange::Dispatch, sent.span(), held.gathered.span());
    }
    held.expanded = allRows(MemoryCategory::Activations, width_);
    held.activated = allRows(MemoryCategory::Activations, width_);
    {
        Buffer made = allRows(group ? MemoryCategory::Temporary : MemoryCategory::Activations, hidden);
        for (std::size_t b = 0; b < blocks(); ++b) {
            expertOf(b).expansion.forwardGelu(rows, rowsOf(b, held.gathered, hidden), rowsOf(b, held.expanded, width_),
                                              rowsOf(b, held.activated, width_));
            drop(held, b, held.activated);
            expertOf(b).projection.forward(rows, rowsOf(b, held.activated, width_), rowsOf(b, made, hidden));
        }
        if (group) {
            held.produced = allRows(MemoryCategory::Activations, hidden);
            group->exchange(ExpertExchange::Combine, made.span(), held.produced.span());
        } else {
            held.produced = std::move(made);
        }
    }
    Buffer output = allocate(tokens, hidden);
    device.sumRows(tokens, hidden, shape.choices, routes.rows, routes.weights, held.produced.data(), output.data());
    if (const DropoutMask drops = mask(held); drops.share > 0) device.dropout(tokens, hidden, drops, output.data());
    device.add(static_cast<std::int64_t>(output.size()), held.input.data(), output.data());
    return output;
}

Buffer ExpertsLayer::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const GateShape& shape = gate_.spec().shape;
    const int tokens = context_.tokens(), hidden = context_.hidden, rows = shape.expertRows();
    const Routes routes = held.gate.routes();
    Device& device = context_.device();
    ExpertGroup* const group = context_.experts;

    const Buffer weightGradient = context_.arena.allocate(MemoryCategory::Temporary, held.gate.weights.size());
    {
        Buffer sent, masked;
        if (const DropoutMask drops = mask(held); drops.share > 0) {
            masked = context_.allocate(MemoryCategory::Temporary, outputGradient.size());
            device.dropoutTo(tokens, hidden, drops, outputGradient.data(), masked.data());
        }
        const ConstArray branch = masked.empty() ? outputGradient.data() : masked.data();
        device.dotRows(tokens, hidden, shape.choices, routes.rows, held.produced.data(), branch,
                       weightGradient.floats());
        if (group) sent = allRows(MemoryCategory::Temporary, hidden);
        device.gatherRows(shape.rows(), hidden, shape.choices, routes.places, routes.weights, branch,
                          (group ? sent : held.produced).data());
        masked = {};
        if (group) group->exchange(ExpertExchange::Dispatch, sent.span(), held.produced.span());
    }
    {
        const Buffer scratch = context_.allocate(MemoryCategory::Temporary,
                                                 static_cast<std::size_t>(rows) * static_cast<std::size_t>(width_));
        for (std::size_t b = 0; b < blocks(); ++b) {
            expertOf(b).projection.inputGradGelu(rows, rowsOf(b, held.produced, hidden),
                                                 rowsOf(b, held.expanded, width_), scratch.data());
            drop(held, b, held.expanded);
        }
    }
    {
        Buffer gathered = allRows(MemoryCategory::Temporary, hidden);
        for (std::size_t b = 0; b < blocks(); ++b)
            expertOf(b).expansion.inputGrad(rows, rowsOf(b, held.expanded, width_), rowsOf(b, gathered, hidden));
        if (group) {
            Buffer back = allRows(MemoryCategory::Temporary, hidden);
            group->exchange(ExpertExchange::Combine, gathered.span(), back.span());
            gathered = std::move(back);
        }
        held.normedGradient = context_.allocate(kept, held.normed.size());
        device.sumRows(tokens, hidden, shape.choices, routes.rows, nullptr, gathered.data(),
                       held.normedGradient.data());
    }
    gate_.inputGrad(held, held.gate, weightGradient.floats(), held.normedGradient.data());
    device.countLoad(shape, routes.asked, tally_.counts());

    Buffer inputGradient = context_.allocate(kept, held.input.size());
    norm_.inputGrad(tokens, held.input.data(), held.statistics.floats(), held.normedGradient.data(),
                    outputGradient.data(), inputGradient.data());
    return inputGradient;
}

void ExpertsLayer::weightGrad(LayerState& state) {
    auto& held = static_cast<State&>(state);
    const int rows = gate_.spec().shape.expertRows(), hidden = context_.hidden;
    for (std::size_t b = 0; b < blocks(); ++b) {
        expertOf(b).projection.weightGrad(rows, rowsOf(b, held.activated, width_), rowsOf(b, held.produced, hidden));
        expertOf(b).expansion.weightGrad(rows, rowsOf(b, held.gathered, hidden), rowsOf(b, held.expanded, width_));
    }
    gate_.weightGrad(held.gate, held.normed.data());
    norm_.weightGrad(context_.tokens(), held.input.data(), held.statistics.floats(), held.normedGradient.data());
    held = {};
}

}  // namespace shardlab::train
