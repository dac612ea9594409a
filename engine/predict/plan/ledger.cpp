// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/ledger.h"

#include "engine/layout/coded_exchange.h"
#include "engine/layout/exchange.h"
#include "engine/layout/formats.h"
#include "engine/layout/tensor_extents.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/predict/plan/layer_moments.h"
#include "engine/predict/plan/model_state.h"
#include "engine/predict/plan/stage_kinds.h"
#include "engine/predict/plan/tally.h"

#include <algorithm>

namespace shardlab::predict {
namespace {

/// What a pipeline rank holds throughout.
HeldThroughout heldThroughout(StageKinds& kinds, const Schedule& lowered, int rank) {
    const Layout& layout = kinds.layout();
    const NumberFormats formats = numberFormats(layout.precision);
    HeldThroughout all;
    MemoryBytes& held = all.bytes;
    StackMemory stack;
    SlotSizes slots;  // of ZeRO 2 and 3: the stages of a rank share them
    std::int64_t room = 0, codes = 0;
    for (const int stage : lowered.stagesOf(rank)) {
        const StageHeld& bytes = kinds.held(stage);
        for (std::size_t i = 0; i < held.size(); ++i) held[i] += bytes.state[i];
        stack += bytes.stack;
        slots.turn = std::max(slots.turn, bytes.slots.turn);
        slots.staying = std::max(slots.staying, bytes.slots.staying);
        room = std::max(room, bytes.room);
        codes = std::max(codes, bytes.codes);
    }
    all.update = stack.passing();
    all.cached = stack.cached;
    std::int64_t& buffers = held[static_cast<std::size_t>(MemoryCategory::Buffers)];
    buffers += stack.standIns + codes;
    if (layout.parallel.zero >= 2) buffers += formats.gradientBytes() * slots.sum();
    if (layout.parallel.zero >= 3) buffers += formats.weightBytes() * (room + slots.staying);
    // Where the first gradient was that is not finite.
    if (scalesLoss(layout.precision)) buffers += sizeof(std::int32_t);
    return all;
}

/// Goes through one rank's list as the executor does; of what it comes with, nothing.
class RankLedger {
public:
    RankLedger(StageKinds& kinds, const Schedule& lowered, int rank)
        : lowered_(lowered), rank_(rank), stages_(kinds.shapes().size()) {
        for (const Action& action : lowered.ranks[static_cast<std::size_t>(rank)]) {
            if (action.kind != ActionKind::InputGrad) continue;
            split_.resize(stages_.size());
            std::vector<bool>& ofStage = split_[static_cast<std::size_t>(action.stage)];
            if (ofStage.empty()) ofStage.resize(static_cast<std::size_t>(lowered.numbered()));
            ofStage[static_cast<std::size_t>(action.microbatch)] = true;
        }
        for (const int stage : lowered.stagesOf(rank))
            stages_[static_cast<std::size_t>(stage)] = &kinds.moves(stage, lowered.crossesRanks(stage - 1));
    }

    LayeredHistory follow(const HeldThroughout& all) {
        following_ = true;
        for (std::size_t i = 0; i < all.bytes.size(); ++i) tally_.add(static_cast<MemoryCategory>(i), all.bytes[i]);
        settle();
        LayeredHistory history{{tally_.used(), {}, tally_.used()}, {}};
        history.whole.updating[static_cast<std::size_t>(MemoryCategory::Temporary)] += all.update;
        for (const Action& action : lowered_.ranks[static_cast<std::size_t>(rank_)]) {
            fullest_ = tally_.used();
            visit(action);
            const bool fuller = total(tally_.used()) > total(fullest_);
            history.whole.actions.push_back({fuller ? tally_.used() : fullest_, tally_.used()});
            history.layers.push_back(std::exchange(layers_, {}));
        }
        return history;
    }

    RankMemory run() {
        settle();
        for (const Action& action : lowered_.ranks[static_cast<std::size_t>(rank_)]) visit(action);
        RankMemory memory;
        memory.bytes = tally_.peak();
        memory.peak = tally_.peakTotal();
        memory.microbatchesInFlight = mostInFlight_;
        memory.weightVersions = 1 + mostKept_;
        memory.host[static_cast<std::size_t>(MemoryCategory::Activations)] = mostOnHost_;
        return memory;
    }

private:
    /// Where steps are not flushed: the fill and a step, as every later step begins with what the one before left.
    void settle() {
        if (lowered_.flushes()) return;
        const auto rank = static_cast<std::size_t>(rank_);
        for (const auto* list : {&lowered_.fill[rank], &lowered_.ranks[rank]})
            for (const Action& action : *list) visit(action);
    }

    bool splits(int stage, int microbatch) const {
        if (split_.empty()) return false;
        const std::vector<bool>& ofStage = split_[static_cast<std::size_t>(stage)];
        return static_cast<std::size_t>(microbatch) < ofStage.size() && ofStage[static_cast<std::size_t>(microbatch)];
    }

    /// The buffers of an action. They differ in what its microbatch takes from above: the gradient of a whole backward
    /// on this rank, or a buffer.
    const StageBuffers& buffersOf(const Action& action) const {
        const auto index = static_cast<std::size_t>(action.stage);
        const StageMoves& stage = *stages_[index];
        const bool local = index + 1 < stages_.size() && stages_[index + 1] != nullptr;
        const bool whole = local && !splits(action.stage + 1, action.microbatch);
        return whole ? stage.whole : stage.buffered;
    }

    void visit(const Action& action) {
        const StageBuffers& stage = buffersOf(action);
        switch (action.kind) {
        case ActionKind::Forward:
            compute(stage.forward, stage.forwardLayers);
            mostInFlight_ = std::max(mostInFlight_, ++inFlight_);
            break;
        case ActionKind::Backward:
            leaveHost(action);
            compute(stage.backward, stage.backwardLayers);
            --inFlight_;
            break;
        case ActionKind::InputGrad:
            leaveHost(action);
            compute(stage.inputGrad, stage.inputGradLayers);
            break;
        case ActionKind::WeightGrad:
            compute(stage.weightGrad, stage.weightGradLayers);
            --inFlight_;
            break;
        case ActionKind::SwapOut: mostOnHost_ = std::max(mostOnHost_, onHost_ += total(swappedOf(action))); break;
        case ActionKind::SwapFree: move(swappedOf(action), -1); break;
        case ActionKind::SwapIn:
            move(swappedOf(action), 1);
            comesBack_.push_back(action);
            break;
        case ActionKind::RecvForward: tally_.add(MemoryCategory::Buffers, stage.inputBytes); break;
        case ActionKind::RecvBackward: tally_.add(MemoryCategory::Buffers, stage.outputBytes); break;
        case ActionKind::SendForward: leaving_.push_back({stage.output, stage.outputBytes}); break;
        case ActionKind::SendBackward:
            leaving_.push_back(
                {splits(action.stage, action.microbatch) ? stage.splitGradient : stage.gradient, stage.inputBytes});
            break;
        case ActionKind::StashWeights:
            tally_.add(MemoryCategory::Parameters, stages_[static_cast<std::size_t>(action.stage)]->parameters);
            mostKept_ = std::max(mostKept_, ++kept_);
            break;
        case ActionKind::FreeWeights:
            tally_.add(MemoryCategory::Parameters, -stages_[static_cast<std::size_t>(action.stage)]->parameters);
            --kept_;
            break;
        default: break;
        }
    }

    const MemoryBytes& swappedOf(const Action& action) const {
        return stages_[static_cast<std::size_t>(action.stage)]->swapped;
    }

    void move(const MemoryBytes& bytes, int sign) {
        for (std::size_t i = 0; i < bytes.size(); ++i) tally_.add(static_cast<MemoryCategory>(i), sign * bytes[i]);
    }

    void leaveHost(const Action& backward) {
        const auto back = std::ranges::find_if(comesBack_, [&](const Action& in) {
            return in.stage == backward.stage && in.microbatch == backward.microbatch;
        });
        if (back == comesBack_.end()) return;
        onHost_ -= total(swappedOf(*back));
        comesBack_.erase(back);
    }

    void compute(const MemoryDelta& excursion, const std::vector<LayerBuffers>& layers) {
        if (following_)
            fullest_ = together(tally_.used(), excursion.fullest), layers_ = layerMoments(layers, tally_.used());
        tally_.move(excursion);
        for (const Leaving& message : leaving_) tally_.add(message.category, -message.bytes);
        leaving_.clear();
    }

    struct Leaving {
        MemoryCategory category;
        std::int64_t bytes;
    };

    const Schedule& lowered_;
    int rank_;
    std::vector<const StageMoves*> stages_;  ///< by global stage; null those of other ranks
    std::vector<std::vector<bool>> split_;   ///< by stage and microbatch, whether the backward is I and W
    std::vector<Leaving> leaving_;           ///< sent, and on their way during the next compute action
    Tally tally_;
    bool following_ = false;
    MemoryBytes fullest_{};            ///< while following: within the action that is visited
    std::vector<LayerMoment> layers_;  ///< while following: of the action that is visited
    std::vector<Action> comesBack_;    ///< swapped in, before their backward
    std::int64_t onHost_ = 0;
    std::int64_t mostOnHost_ = 0;
    int inFlight_ = 0;
    int mostInFlight_ = 0;
    int kept_ = 0;  ///< stashed versions
    int mostKept_ = 0;
};

}  // namespace

std::vector<HeldThroughout> replicaHeld(StageKinds& kinds, const Schedule& lowered) {
    std::vector<HeldThroughout> held;
    for (int rank = 0; rank < static_cast<int>(lowered.ranks.size()); ++rank)
        held.push_back(heldThroughout(kinds, lowered, rank));
    return held;
}

std::vector<RankMemory> replicaMoves(StageKinds& kinds, const Schedule& lowered) {
    std::vector<RankMemory> pipeline;
    for (int rank = 0; rank < static_cast<int>(lowered.ranks.size()); ++rank) {
        pipeline.push_back(RankLedger(kinds, lowered, rank).run());
        pipeline.back().rank = rank;
    }
    return pipeline;
}

std::vector<RankMemory> heldAndMoved(const std::vector<HeldThroughout>& held, std::vector<RankMemory> moves) {
    for (std::size_t rank = 0; rank < moves.size(); ++rank) {
        RankMemory& memory = moves[rank];
        const HeldThroughout& all = held[rank];
        // What is held at the border of a step where steps are not flushed is not counted with the update.
        std::int64_t& temporary = memory.bytes[static_cast<std::size_t>(MemoryCategory::Temporary)];
        temporary = std::max(temporary, all.update);
        for (std::size_t i = 0; i < memory.bytes.size(); ++i) memory.bytes[i] += all.bytes[i];
        memory.computing = memory.peak + total(all.bytes);
        memory.update = all.update;
        memory.cached = all.cached;
        memory.peak = std::max(memory.computing, total(all.bytes) + all.update);
    }
    return moves;
}

LayeredHistory layeredHistory(const Layout& layout, const Schedule& lowered, int rank, int tensorPart, int replica) {
    StageKinds kinds(layout, tensorPart, replica, true);
    return RankLedger(kinds, lowered, rank).follow(heldThroughout(kinds, lowered, rank));
}

std::vector<RankMemory> memoryLedger(const Layout& layout, const Schedule& lowered, const Mesh& mesh) {
    const int tensor = mesh.size(Axis::Tensor);
    const bool sameMembers =
        targetKinds(layout.model) % tensor == 0 && std::ranges::all_of(tensorExtents(layout), &TensorExtent::even);
    std::vector<std::vector<RankMemory>> members;
    std::vector<std::vector<HeldThroughout>> held;
    for (int part = 0; part < (sameMembers ? 1 : tensor); ++part) {
        StageKinds kinds(layout, part);
        held.push_back(replicaHeld(kinds, lowered));
        members.push_back(heldAndMoved(held.back(), replicaMoves(kinds, lowered)));
    }
    const bool asynchronous = layout.parallel.exchange == Exchange::AsyncServer;
    const std::vector<StageShape> shapes = stageShapes(layout);
    std::vector<RankMemory> all;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const auto member = static_cast<std::size_t>(sameMembers ? 0 : mesh.coordinate(rank, Axis::Tensor));
        const int stageRank = mesh.coordinate(rank, Axis::Pipeline), replica = replicaNumber(mesh, rank);
        all.push_back(members[member][static_cast<std::size_t>(stageRank)]);
        all.back().rank = rank;
        if (asynchronous && replica == 0) {  // a server computes nothing
            all.back() = {rank, held[member][static_cast<std::size_t>(stageRank)].bytes};
            all.back().peak = all.back().computing = total(all.back().bytes);
        }
        const MemoryBytes offloaded = hostBytes(layout, lowered.stagesOf(stageRank),
                                                tensorShare(layout, mesh.coordinate(rank, Axis::Tensor)), replica);
        for (std::size_t i = 0; i < offloaded.size(); ++i) all.back().host[i] += offloaded[i];
        if (layout.parallel.zero == 0 && layout.parallel.exchange == Exchange::AllReduce && !codesExchange(layout))
            continue;
        // The replicas' shards differ by an element for each unit that does not divide; a server has what others have
        // not.
        for (const int stage : lowered.stagesOf(stageRank)) {
            const StageShape& shape = shapes[static_cast<std::size_t>(stage)];
            const TensorShare share = tensorShare(layout, mesh.coordinate(rank, Axis::Tensor));
            const MemoryBytes most = stateBytes(layout, shape, share, fullestReplica(layout.parallel));
            const MemoryBytes own = stateBytes(layout, shape, share, replica);
            for (std::size_t i = 0; i < own.size(); ++i) {
                all.back().bytes[i] -= most[i] - own[i];
                all.back().peak -= most[i] - own[i];
                all.back().computing -= most[i] - own[i];
            }
        }
    }
    return all;
}

}  // namespace shardlab::predict
