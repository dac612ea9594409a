// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/plan_traffic.h"

#include "engine/base/units.h"
#include "engine/layout/coded_exchange.h"
#include "engine/layout/exchange.h"
#include "engine/layout/mesh/replicas.h"

#include <algorithm>
#include <array>

namespace shardlab::predict {
namespace {

/// What a step sends; a row of its traffic each.
enum class Sent : std::uint8_t {
    Messages,
    Tied,
    Norms,
    Gradients,
    Scattered,
    Gathered,
    BetweenCopies,
    ExpertGradients,
    ScatteredExperts,
    GatheredExperts,
    ToExperts,
    KeyValues,
    Heads,
    Choices,
    Elastic,
    Pushed,
    Pulled,
    TensorSums,
    TensorParts,
    UpdateSums,
};
constexpr std::size_t sentKinds = static_cast<std::size_t>(Sent::UpdateSums) + 1;

/// Bytes that all members of all rings together send: 2(n−1)/n of the buffer each, n members.
std::int64_t ringBytes(std::int64_t buffer, int members) { return 2 * (members - 1) * buffer; }

/// The sums over all actions of a step, of all ranks.
class StepTraffic {
public:
    explicit StepTraffic(const Plan& plan)
        : plan_(plan), replicas_(replicaCount(plan.layout.parallel)), tensor_(plan.mesh.size(Axis::Tensor)),
          ofReplica_(plan.mesh.size(Axis::Pipeline) * tensor_),
          updating_(updatesAtServer(plan.layout.parallel) ? 1 : replicas_), copies_(plan.mesh.copies()),
          contextMembers_(plan.mesh.size(Axis::Context)), spread_(expertSpread(plan.layout.parallel)),
          exchanging_(exchangeMembers(plan.layout)) {
        for (const std::vector<Action>& actions : plan.lowered.ranks)
            for (const Action& action : actions) {
                take(action);
                for (const TensorSpan& span : plan.costs.tensorSpans(action)) take(action, span);
            }
    }
    std::int64_t of(Sent what) const { return bytes_[static_cast<std::size_t>(what)]; }

private:
    void add(Sent what, std::int64_t bytes) { bytes_[static_cast<std::size_t>(what)] += bytes; }

    /// An all-reduce of a piece among `members` replicas; of experts among those of them that hold the same.
    std::int64_t ofPiece(const DataPiece& piece, int members) const {
        return piece.experts ? ringBytes(piece.bytes, members / spread_) * spread_ : ringBytes(piece.bytes, members);
    }

    void take(const Action& action) {
        const std::int64_t bytes = plan_.costs.bytes(action);
        const auto data = [&]() -> const DataCosts& {  // some actions belong to no stage
            return plan_.costs.stages[static_cast<std::size_t>(action.stage)].data;
        };
        if (isSend(action.kind)) add(Sent::Messages, bytes * replicas_ * tensor_);
        const bool scatters = action.kind == ActionKind::ScatterGradients;
        if (scatters || eventKind(action.kind) == EventKind::GatherParameters) {
            const Sent experts = scatters ? Sent::ScatteredExperts : Sent::GatheredExperts,
                       others = scatters ? Sent::Scattered : Sent::Gathered;
            for (const DataPiece& piece : data().pieces(action.kind))  // half an all-reduce
                add(piece.experts ? experts : others, ofPiece(piece, replicas_ / copies_) / 2 * copies_ * tensor_);
        }
        switch (action.kind) {
        case ActionKind::ReduceGradients: return add(Sent::Gradients, ringBytes(bytes, replicas_) * tensor_);
        case ActionKind::ReduceBuckets:
            for (const DataPiece& piece : data().reduce)
                add(piece.experts ? Sent::ExpertGradients : Sent::Gradients,
                    ofPiece(piece, replicas_ / copies_) * copies_ * tensor_);
            return;
        case ActionKind::ReduceParts:
            for (std::size_t i = 0; i < data().parts.size(); ++i) {
                const DataPiece &whole = data().reduce[i], &part = data().parts[i];
                // The parts of a piece are the whole piece, but where each has codes of its own.
                const std::int64_t all = codesExchange(plan_.layout) ? part.bytes * (replicas_ / copies_)
                                                                     : whole.bytes * (whole.experts ? spread_ : 1);
                add(Sent::BetweenCopies, ringBytes(all, copies_) * tensor_);
            }
            return;
        case ActionKind::PushGradients: return add(Sent::Pushed, (replicas_ - 1) * bytes * tensor_);
        case ActionKind::PullWeights:
            if (plan_.layout.parallel.exchange != Exchange::Hogwild)
                add(Sent::Pulled, (replicas_ - 1) * bytes * tensor_);
            return;
        case ActionKind::ExchangeElastic: return add(Sent::Elastic, 2 * bytes * contextMembers_ * tensor_);
        case ActionKind::ReduceTied:  // each of the two ends counts its half
            return add(Sent::Tied, ringBytes(bytes, 2) / 2 * updating_ * tensor_);
        case ActionKind::ReduceNorm:
            if (ofReplica_ > 1) add(Sent::Norms, ringBytes(bytes, ofReplica_) / ofReplica_ * updating_ * tensor_);
            return;
        default: return;
        }
    }

    /// In exchanges a member keeps its own block. Keys, values and heads of a tensor group's members differ.
    void take(const Action& action, const TensorSpan& span) {
        const auto ofHeads = [&] {
            std::int64_t sum = 0;
            for (int part = 0; part < tensor_; ++part) sum += plan_.costs.ofTensorMember(span.bytes, part);
            return sum * replicas_;
        };
        const std::int64_t ring = ringBytes(span.bytes, tensor_);
        if (span.kind == EventKind::KeyValueHop) return add(Sent::KeyValues, ofHeads());
        if (span.kind == EventKind::ExchangeHeads)
            return add(Sent::Heads, ofHeads() / contextMembers_ * (contextMembers_ - 1));
        if (span.kind == EventKind::GatherChoices)  // half an all-reduce in each context group
            return add(Sent::Choices,
                       ringBytes(span.bytes, contextMembers_) / 2 * (replicas_ / contextMembers_) * tensor_);
        if (isExpertExchange(span.kind))
            return add(Sent::ToExperts, span.bytes / exchanging_ * (exchanging_ - 1) * replicas_ * tensor_);
        if (action.kind == ActionKind::OptimizerStep) return add(Sent::UpdateSums, ring * updating_);
        if (span.kind == EventKind::TensorAllReduce) return add(Sent::TensorSums, ring * replicas_);
        add(Sent::TensorParts, ring * replicas_ / 2);
    }

    const Plan& plan_;
    int replicas_, tensor_, ofReplica_;
    int updating_;  ///< replicas
    int copies_, contextMembers_, spread_, exchanging_;
    std::array<std::int64_t, sentKinds> bytes_{};
};

Sentence serverText(const StepCosts& costs, double StageCosts::*seconds) {
    const double slowest = std::ranges::max(costs.stages, {}, seconds).*seconds;
    return say("over the server's link, {} on the slowest stage", formatSeconds(slowest));
}

}  // namespace

std::vector<AxisTraffic> trafficOf(const Plan& plan) {
    const Layout& layout = plan.layout;
    const StepTraffic sent(plan);
    std::vector<AxisTraffic> traffic;
    const auto add = [&](Sent kind, Axis axis, const Sentence& what, Sentence how = {}) {
        if (sent.of(kind) > 0) traffic.push_back({axis, what, sent.of(kind), std::move(how)});
    };
    const std::vector<StageCosts>& stages = plan.costs.stages;
    add(Sent::Messages, Axis::Pipeline, say("activations and their gradients, send"));
    add(Sent::Tied, Axis::Pipeline, say("tied embedding's gradient, all-reduce"));
    add(Sent::Norms, plan.mesh.size(Axis::Pipeline) > 1 ? Axis::Pipeline : Axis::Tensor,
        say("gradient norm, all-reduce"), termOf(name(stages.front().normAlgorithm)));

    const bool rings = plan.mesh.size(Axis::Context) > 1;  // whose members are replicas too
    const auto slowest = std::ranges::max_element(stages, {}, &StageCosts::reduce);
    const bool elastic = layout.parallel.exchange == Exchange::Elastic;
    add(Sent::Gradients, elastic ? Axis::Context : Axis::Data,
        rings && !elastic ? say("gradients over data × context, all-reduce") : say("gradients, all-reduce"),
        say("{}, {} on the slowest stage",
            codesExchange(layout) ? say("in {}, all-to-all and all-gather", wordOf(layout.precision.exchange))
                                  : termOf(name(slowest->reduceAlgorithm)),
            formatSeconds(slowest->reduce)));
    const int copies = plan.mesh.copies(), sharing = replicaCount(layout.parallel) / copies;
    const bool hybrid = copies > 1;
    const Axis within = hybrid ? Axis::Shard : Axis::Data;
    const Sentence sharers = hybrid ? say("within each of {} copies over {} ranks", copies, sharing) : "";
    add(Sent::Scattered, within,
        hybrid  ? say("gradients within a copy, reduce-scatter")
        : rings ? say("gradients over data × context, reduce-scatter")
                : say("gradients, reduce-scatter"),
        sharers);
    add(Sent::Gathered, within,
        hybrid  ? say("parameters within a copy, all-gather")
        : rings ? say("parameters over data × context, all-gather")
                : say("parameters, all-gather"),
        sharers);
    add(Sent::BetweenCopies, Axis::Data, say("gradients between copies, all-reduce"),
        copies > 2 ? say("each rank its part, with its likes in {} other copies", copies - 1)
                   : say("each rank its part, with its like in 1 other copy"));

    const int holding = sharing / expertSpread(layout.parallel);
    const Sentence holders = holding == 1 ? say("1 rank with the same") : say("{} ranks with the same", holding);
    add(Sent::ExpertGradients, Axis::Data,
        say("gradients of experts, between the ranks that hold the same, all-reduce"), holders);
    add(Sent::ScatteredExperts, within,
        say("gradients of experts, between the ranks that hold the same, reduce-scatter"), holders);
    add(Sent::GatheredExperts, within, say("parameters of experts, between the ranks that hold the same, all-gather"),
        holders);
    const int experts = layout.model.experts.count;
    add(Sent::ToExperts, Axis::Expert, say("tokens to their experts and back, and their gradients, all-to-all"),
        say("{} ranks with {} of {} experts each", exchangeMembers(layout), experts / plan.mesh.size(Axis::Expert),
            experts));

    add(Sent::KeyValues, Axis::Context, say("keys and values and their gradients, ring"));
    add(Sent::Heads, Axis::Context, say("queries, keys, values and outputs and their gradients, all-to-all"));
    add(Sent::Choices, Axis::Context, say("what decides which tokens find a place with experts, all-gather"));
    add(Sent::Elastic, Axis::Data, say("weights, between a replica and the centre"),
        say("in all steps but one of {}, in which replica 0 has its turn", layout.parallel.data));
    add(Sent::Pushed, Axis::Data, say("gradients, to the server"), serverText(plan.costs, &StageCosts::push));
    add(Sent::Pulled, Axis::Data, say("weights, from the server"), serverText(plan.costs, &StageCosts::pull));
    add(Sent::TensorSums, Axis::Tensor, say("activations and their gradients, all-reduce"));
    add(Sent::TensorParts, Axis::Tensor,
        layout.parallel.sequence ? say("activations and their gradients, reduce-scatter and all-gather")
                                 : say("inputs of segments that are computed again, all-gather"));
    add(Sent::UpdateSums, Axis::Tensor, say("optimizer's rows and columns, all-reduce"));
    return traffic;
}

}  // namespace shardlab::predict
