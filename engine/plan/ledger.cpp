// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/ledger.h"

#include <algorithm>
#include <set>

#include "engine/layout/model_shape.h"
#include "engine/plan/stage_buffers.h"
#include "engine/plan/tally.h"

namespace shardlab {
namespace {

/// Floats of optimizer state for each parameter.
std::int64_t stateFloats(const OptimizerSpec& optimizer) {
    if (optimizer.kind == "adamw") return 2;
    return optimizer.momentum > 0 ? 1 : 0;
}

/// Bytes that a rank copies of a stage for a checkpoint, where those are taken by themselves: a replica's share of
/// weights and optimizer state.
std::int64_t stagingBytes(const Layout& layout, std::int64_t parameterBytes) {
    if (layout.checkpoint.every == 0) return 0;
    const std::int64_t floats = parameterBytes / static_cast<std::int64_t>(sizeof(float));
    const std::int64_t share = (floats + layout.parallel.data - 1) / layout.parallel.data;
    return static_cast<std::int64_t>(sizeof(float)) * share * (1 + stateFloats(layout.optimizer));
}

/// Goes through one rank's list as the executor does.
class RankLedger {
public:
    RankLedger(const Layout& layout, const Schedule& lowered, const std::vector<StageShape>& shapes, int rank,
               const TensorShare& share)
        : lowered_(lowered), rank_(rank) {
        whole_.resize(shapes.size());
        buffered_.resize(shapes.size());
        parameters_.resize(shapes.size());
        for (const Action& action : lowered.ranks[static_cast<std::size_t>(rank)])
            if (action.kind == ActionKind::InputGrad) split_.emplace(action.stage, action.microbatch);
        for (int stage : lowered.stagesOf(rank)) {
            const StageShape& shape = shapes[static_cast<std::size_t>(stage)];
            const bool received = lowered.crossesRanks(stage - 1);
            whole_[static_cast<std::size_t>(stage)] =
                stageBuffers(layout, shape, {received, MemoryCategory::Temporary}, share);
            buffered_[static_cast<std::size_t>(stage)] =
                stageBuffers(layout, shape, {received, MemoryCategory::Buffers}, share);
            const std::int64_t parameters =
                static_cast<std::int64_t>(sizeof(float)) * stageParameters(layout.model, shape, share);
            parameters_[static_cast<std::size_t>(stage)] = parameters;
            tally_.add(MemoryCategory::Parameters, parameters);
            tally_.add(MemoryCategory::Gradients, parameters);
            tally_.add(MemoryCategory::Optimizer, parameters * stateFloats(layout.optimizer));
            tally_.add(MemoryCategory::Buffers, stagingBytes(layout, parameters));
        }
    }

    MemoryHistory follow() {
        settle();
        MemoryHistory history{tally_.used(), {}};
        for (const Action& action : lowered_.ranks[static_cast<std::size_t>(rank_)]) {
            fullest_ = tally_.used();
            visit(action);
            const bool fuller = total(tally_.used()) > total(fullest_);
            history.actions.push_back({fuller ? tally_.used() : fullest_, tally_.used()});
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

    bool splits(int stage, int microbatch) const { return split_.contains({stage, microbatch}); }

    /// By what the action's microbatch takes from above: the gradient of a whole backward on this rank, or a buffer.
    const StageBuffers& buffersOf(const Action& action) const {
        const bool local = action.stage + 1 < lowered_.stages() && !lowered_.crossesRanks(action.stage);
        const bool whole = local && !splits(action.stage + 1, action.microbatch);
        return (whole ? whole_ : buffered_)[static_cast<std::size_t>(action.stage)];
    }

    void visit(const Action& action) {
        const StageBuffers& stage = buffersOf(action);
        switch (action.kind) {
            case ActionKind::Forward:
                compute(stage.forward);
                mostInFlight_ = std::max(mostInFlight_, ++inFlight_);
                break;
            case ActionKind::Backward:
                compute(stage.backward);
                --inFlight_;
                break;
            case ActionKind::InputGrad: compute(stage.inputGrad); break;
            case ActionKind::WeightGrad:
                compute(stage.weightGrad);
                --inFlight_;
                break;
            case ActionKind::RecvForward:
            case ActionKind::RecvBackward: tally_.add(MemoryCategory::Buffers, stage.boundaryBytes); break;
            case ActionKind::SendForward: leaving_.push_back({stage.output, stage.boundaryBytes}); break;
            case ActionKind::SendBackward:
                leaving_.push_back({splits(action.stage, action.microbatch) ? stage.splitGradient : stage.gradient,
                                    stage.boundaryBytes});
                break;
            case ActionKind::StashWeights:
                tally_.add(MemoryCategory::Parameters, parameters_[static_cast<std::size_t>(action.stage)]);
                mostKept_ = std::max(mostKept_, ++kept_);
                break;
            case ActionKind::FreeWeights:
                tally_.add(MemoryCategory::Parameters, -parameters_[static_cast<std::size_t>(action.stage)]);
                --kept_;
                break;
            default: break;
        }
    }

    void compute(const Excursion& excursion) {
        for (std::size_t i = 0; i < fullest_.size(); ++i) fullest_[i] = tally_.used()[i] + excursion.fullest[i];
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
    /// By global stage, only those of this rank filled; by what the stage takes from above.
    std::vector<StageBuffers> whole_, buffered_;
    std::set<std::pair<int, int>> split_;  ///< stage and microbatch whose backward is I and W
    std::vector<Leaving> leaving_;       ///< sent, and on their way during the next compute action
    Tally tally_;
    MemoryBytes fullest_{};              ///< within the action that is visited
    int inFlight_ = 0;
    int mostInFlight_ = 0;
    std::vector<std::int64_t> parameters_;  ///< bytes of one version, by global stage
    int kept_ = 0;                          ///< stashed versions
    int mostKept_ = 0;
};

}  // namespace

std::vector<RankMemory> replicaLedger(const Layout& layout, const Schedule& lowered, int tensorPart) {
    const std::vector<StageShape> shapes = stageShapes(layout);
    const TensorShare share = tensorShare(layout, tensorPart);
    std::vector<RankMemory> pipeline;
    for (int rank = 0; rank < static_cast<int>(lowered.ranks.size()); ++rank) {
        pipeline.push_back(RankLedger(layout, lowered, shapes, rank, share).run());
        pipeline.back().rank = rank;
    }
    return pipeline;
}

MemoryHistory memoryHistory(const Layout& layout, const Schedule& lowered, int rank, int tensorPart) {
    return RankLedger(layout, lowered, stageShapes(layout), rank, tensorShare(layout, tensorPart)).follow();
}

std::vector<RankMemory> memoryLedger(const Layout& layout, const Schedule& lowered, const Mesh& mesh) {
    const int tensor = mesh.size(Axis::Tensor);
    // Members differ by a row of the vocabulary at most: where it divides, not at all.
    const bool alike = layout.model.vocabulary % tensor == 0;
    std::vector<std::vector<RankMemory>> members;
    for (int part = 0; part < (alike ? 1 : tensor); ++part) members.push_back(replicaLedger(layout, lowered, part));
    std::vector<RankMemory> all;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const auto member = static_cast<std::size_t>(alike ? 0 : mesh.coordinate(rank, Axis::Tensor));
        all.push_back(members[member][static_cast<std::size_t>(mesh.coordinate(rank, Axis::Pipeline))]);
        all.back().rank = rank;
    }
    return all;
}

}  // namespace shardlab
