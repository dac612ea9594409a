// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/server_costs.h"

#include "engine/layout/exchange.h"

#include <algorithm>
#include <utility>

namespace shardlab::predict {
namespace {

constexpr double elasticPasses = 7;  ///< of reading or writing all weights: difference, its norm, and the pull

/// What a server does alone, with the waits for it.
bool isOfServer(ActionKind kind) {
    return kind == ActionKind::ReduceTied || kind == ActionKind::ReduceNorm || kind == ActionKind::OptimizerStep;
}

/// A rank cannot go on before it is over.
bool holdsUp(const Event& event) { return event.lane == Lane::Compute || isServerExchange(event.kind); }

/// The events of one rank, one after the other.
class OwnPart {
public:
    OwnPart(std::vector<Event>& made, int replica, int replicas)
        : made_(made), replica_(replica), replicas_(replicas) {}

    void addWithServer(Event event) {
        const ActionKind kind = actionFromId(event.action).kind;
        const bool serves = replica_ == 0;
        if (!serves && isOfServer(kind)) return;
        if (kind == ActionKind::PushGradients && serves) event.bytes = 0;
        if (kind == ActionKind::PullWeights) {
            event.bytes = serves ? (replicas_ - 1) * event.bytes : 0;
            if (!serves && event.begin > free_)
                made_.push_back(
                    {free_, event.begin, 0, 0, event.action, event.step, event.rank, Lane::Compute, EventKind::Wait});
        }
        if (holdsUp(event)) free_ = std::max(free_, event.end);
        made_.push_back(event);
    }

    void addWithoutMessages(Event event) {
        if (event.kind == EventKind::PullWeights) event.bytes = 0;
        made_.push_back(event);
    }

    void addWithCentre(Event event) {
        if (event.kind == EventKind::ExchangeElastic) {
            event.value = 1;
            if (replica_ > 1) {
                free_ = event.end;
                earlier_ = event.end - event.begin;
                return;
            }
        }
        // What follows needs no exchange.
        if (earlier_ > 0 && event.begin >= free_) {
            event.begin -= earlier_;
            event.end -= earlier_;
        }
        made_.push_back(event);
    }

private:
    std::vector<Event>& made_;
    int replica_;
    int replicas_;
    std::int64_t free_ = 0;
    std::int64_t earlier_ = 0;
};

}  // namespace

void addServerCosts(StepCosts& costs, const Layout& layout, const std::vector<int>& rankOfStage,
                    const std::function<Link(int pipelineRank)>& link, double memoryBandwidth) {
    const Exchange exchange = layout.parallel.exchange;
    const NumberFormats formats = numberFormats(layout.precision);
    const double senders = exchange == Exchange::Server ? replicaCount(layout.parallel) - 1.0 : 1.0;
    const auto seconds = [&](int rank, std::int64_t bytes) {
        const Link& of = link(rank);
        return of.latency + senders * static_cast<double>(bytes) / of.bandwidth;
    };
    for (std::size_t s = 0; s < costs.stages.size(); ++s) {
        StageCosts& cost = costs.stages[s];
        const int rank = rankOfStage[s];
        if (exchange == Exchange::Hogwild) {  // no message: a copy
            cost.pull = cost.stash;
            continue;
        }
        if (exchange != Exchange::Elastic) {
            cost.push = seconds(rank, cost.reduceBytes);
            cost.pull = seconds(rank, cost.weightBytes);
            continue;
        }
        cost.elasticBytes = 0;
        for (std::size_t other = 0; other < costs.stages.size(); ++other)
            if (rankOfStage[other] == rank)
                cost.elasticBytes +=
                    costs.stages[other].weightBytes / formats.weightBytes() * formats.updatedWeightBytes();
        cost.elastic =
            seconds(rank, cost.elasticBytes) + elasticPasses * static_cast<double>(cost.elasticBytes) / memoryBandwidth;
    }
}

std::vector<Event> withOwnParts(std::span<const Event> events, const Layout& layout, const Mesh& mesh) {
    const Exchange exchange = layout.parallel.exchange;
    std::vector<Event> made;
    made.reserve(events.size());
    auto event = events.begin();
    while (event != events.end()) {
        const int rank = event->rank;
        const bool elastic = exchange == Exchange::Elastic;  // each member of a context group has its like in the other
        OwnPart own(made, elastic ? mesh.coordinate(rank, Axis::Data) : replicaNumber(mesh, rank),
                    elastic ? layout.parallel.data : replicaCount(layout.parallel));
        for (; event != events.end() && event->rank == rank; ++event) {
            if (exchange == Exchange::Hogwild) own.addWithoutMessages(*event);
            else if (exchange == Exchange::Elastic) own.addWithCentre(*event);
            else own.addWithServer(*event);
        }
    }
    std::ranges::stable_sort(made, {}, [](const Event& each) { return std::pair(each.rank, each.begin); });
    return made;
}

}  // namespace shardlab::predict
