// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/wait_graph.h"

#include "engine/layout/mesh/replicas.h"

#include <algorithm>

namespace shardlab::launch {

namespace {

/// The step's list is being gone through.
bool inList(RankPhase phase) {
    return phase == RankPhase::Compute || phase == RankPhase::Waiting || phase == RankPhase::Communicating;
}

/// What the message of `receive` is for.
bool uses(const Action& action, const Action& receive) {
    if (action.stage != receive.stage || action.microbatch != receive.microbatch) return false;
    return receive.kind == ActionKind::RecvForward ? action.kind == ActionKind::Forward : givesInputGrad(action.kind);
}

}  // namespace

const std::vector<Action>& WaitGraph::list(int rank) const {
    return lowered_.ranks[static_cast<std::size_t>(mesh_.coordinate(rank, Axis::Pipeline))];
}

/// A receive is posted early and waited for where its message is used.
std::size_t WaitGraph::placeOf(int rank, const Action& action) const {
    const auto& actions = list(rank);
    const auto found = std::ranges::find_if(
        actions, [&](const Action& each) { return isReceive(action.kind) ? uses(each, action) : each == action; });
    return static_cast<std::size_t>(found - actions.begin());
}

WaitGraph::Progress WaitGraph::progress(int rank) const {
    const RankStatus& status = ranks_[static_cast<std::size_t>(rank)];
    if (!inList(status.phase)) return {status.step, list(rank).size()};
    return {status.step, placeOf(rank, actionFromId(status.action))};
}

std::vector<int> WaitGraph::group(int rank, ActionKind kind) const {
    if (kind == ActionKind::ExchangeElastic) return mesh_.group(rank, Axis::Data);
    if (kind == ActionKind::ReduceGradients || isServerExchange(kind)) return sameWeights(mesh_, rank);
    if (kind == ActionKind::ReduceTied) return mesh_.group(rank, Axis::Pipeline);
    return replicaRanks(mesh_, rank);
}

std::vector<int> WaitGraph::waitsFor(int rank) const {
    const RankStatus& self = ranks_[static_cast<std::size_t>(rank)];
    if (self.peer >= 0) return {self.peer};
    std::vector<int> behind;
    if (self.phase == RankPhase::Communicating && isBesideCompute(actionFromId(self.action).kind)) {
        behind = behindPieces(rank);
    } else if (self.phase == RankPhase::Communicating) {
        const ActionKind kind = actionFromId(self.action).kind;
        for (const int other : group(rank, kind)) {
            const auto& actions = list(other);
            const auto same = std::ranges::find(actions, kind, &Action::kind);
            if (same == actions.end()) continue;  // no member of the group
            const ActionKind doing = actionFromId(ranks_[static_cast<std::size_t>(other)].action).kind;
            const bool there = progress(other).step == self.step && doing == kind && other != frozen_;
            const auto place = static_cast<std::size_t>(same - actions.begin());
            if (other != rank && !there && progress(other) <= Progress{self.step, place}) behind.push_back(other);
        }
    } else if (self.phase == RankPhase::BetweenSteps || self.phase == RankPhase::Checkpointing) {
        for (int other = 0; other < mesh_.ranks(); ++other) {
            const RankStatus& status = ranks_[static_cast<std::size_t>(other)];
            const bool between = status.phase == RankPhase::BetweenSteps || status.phase == self.phase;
            const bool ahead = status.step > self.step || between || status.phase == RankPhase::Finished;
            const bool idle = other == frozen_ && status.step == self.step;
            if (other != rank && (status.step < self.step || !ahead || idle)) behind.push_back(other);
        }
        if (behind.empty()) behind = betweenStepsTogether(rank);
    }
    return behind;
}

/// What runs beside compute is begun piece by piece during the compute action that it is announced for.
std::vector<int> WaitGraph::behindPieces(int rank) const {
    const RankStatus& self = ranks_[static_cast<std::size_t>(rank)];
    const auto& actions = list(rank);  // all replicas have the same
    std::size_t last = placeOf(rank, actionFromId(self.action));
    while (last + 1 < actions.size() && isBesideCompute(actions[last].kind)) ++last;
    std::vector<int> behind;
    const bool between = actionFromId(self.action).kind == ActionKind::ReduceParts;
    for (const int other : between ? samePart(mesh_, rank) : sameCopy(mesh_, rank)) {
        const RankStatus& status = ranks_[static_cast<std::size_t>(other)];
        const bool there = status.phase == self.phase && status.step == self.step && status.action == self.action;
        const bool begun = there || progress(other) > Progress{self.step, last};
        if (other != rank && (!begun || (other == frozen_ && status.step == self.step))) behind.push_back(other);
    }
    return behind;
}

/// All are at the same boundary: rank 0 says how it goes on; before that the replicas sum up their losses.
std::vector<int> WaitGraph::betweenStepsTogether(int rank) const {
    const RankStatus& self = ranks_[static_cast<std::size_t>(rank)];
    if (rank != 0 && ranks_.front().step == self.step) return {0};
    std::vector<int> replicas;
    for (const int other : sameWeights(mesh_, rank)) {
        const RankStatus& status = ranks_[static_cast<std::size_t>(other)];
        if (other != rank && rank != 0 && status.phase == self.phase && status.step == self.step)
            replicas.push_back(other);
    }
    return replicas;
}

std::optional<WaitGraph::Missing> WaitGraph::missing() const {
    if (!lowered_.flushes()) return std::nullopt;  // a neighbour may rightly be steps ahead
    for (int rank = 0; rank < mesh_.ranks(); ++rank) {
        const RankStatus& self = ranks_[static_cast<std::size_t>(rank)];
        const Action receive = actionFromId(self.action);
        if (self.phase != RankPhase::Waiting || self.peer < 0 || !isReceive(receive.kind)) continue;
        const Action send = otherEnd(receive);
        const std::size_t place = placeOf(self.peer, send);
        if (place < list(self.peer).size() && progress(self.peer) > Progress{self.step, place})
            return Missing{self.peer, rank, send};
    }
    return std::nullopt;
}

}  // namespace shardlab::launch
