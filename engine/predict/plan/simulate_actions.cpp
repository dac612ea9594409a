// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/simulate_actions.h"

#include "engine/predict/plan/simulation_layers.h"
#include "engine/predict/plan/simulation_state.h"
#include "engine/predict/plan/steady_run.h"
#include "engine/layout/schedule/dataflow.h"
#include "engine/layout/schedule/passes.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

namespace shardlab::predict {
namespace {

using namespace simulation;

class Simulator {
public:
    Simulator(const Schedule& schedule, const StepCosts& costs, const Keep& keep)
        : schedule_(schedule), costs_(costs), keep_(keep), arrival_(schedule.stages(), schedule.microbatches, never) {
        if (keep.events) posted_.emplace(schedule.stages(), schedule.microbatches, never);
        if (keep.graph) sender_.emplace(schedule.stages(), schedule.microbatches, noNode);
        ranks_.assign(schedule.ranks.size(), RankState{.sink = EventSink(keep.events)});
        tied_.missing = static_cast<int>(schedule.endRanks().size());
        norm_.missing = static_cast<int>(schedule.ranks.size());
        if (!keep.events) return;
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
            ranks_[rank].sink.events().reserve(schedule.ranks[rank].size() * 5 / 4 + 1);
    }

    void run() {
        for (int rank = static_cast<int>(ranks_.size()); rank-- > 0;) ready_.push_back(rank);
        do {
            while (!ready_.empty()) {
                const int rank = ready_.back();
                ready_.pop_back();
                RankState& state = ranks_[static_cast<std::size_t>(rank)];
                const auto& actions = schedule_.ranks[static_cast<std::size_t>(rank)];
                state.stopped = false;
                for (; !state.burst && state.position < actions.size(); ++state.position) {
                    if (keep_.borders) mark((*keep_.borders)[static_cast<std::size_t>(rank)], state);
                    if (!advance(rank, state, actions[state.position])) break;
                }
                state.stopped = true;
            }
        } while (passTime());
        for (RankState& state : ranks_) {
            waitIdle(state, state.data.free);
            waitIdle(state, state.host.up);
            end_ = std::max(end_, state.free);
            for (const PeerLink& link : state.links) end_ = std::max(end_, link.free);
            state.sink.addStep(state.free);
        }
    }

    /// One span for all collectives of an action, and one for all that it recomputes.
    void drawTogether() { together_ = true; }

    Time end() const { return end_; }
    std::vector<RankState>& ranks() { return ranks_; }

    double bubble() const {
        if (firstForward_ < 0 || lastBackward_ <= firstForward_) return 0;
        double idle = 0;
        for (const RankState& state : ranks_) idle += 1 - state.busy / (lastBackward_ - firstForward_);
        return std::max(0.0, idle / static_cast<double>(ranks_.size()));
    }

private:
    friend class Layers<Simulator>;
    bool keepsGraph() const { return keep_.graph != nullptr; }
    int rankOf(int stage) const { return schedule_.rankOfStage[static_cast<std::size_t>(stage)]; }
    Time duration(const Action& action) const {
        return keep_.seconds ? (*keep_.seconds)(action) : costs_.seconds(action);
    }

    /// A node of the graph, where one is kept.
    int note(int rank, const Action& action, Time begin, Time end, std::initializer_list<int> after) {
        return keep_.graph ? add(rank, action, begin, end, after) : noNode;
    }
    int add(int rank, const Action& action, Time begin, Time end, std::initializer_list<int> after) {
        StepGraph::Node node{rank, action, begin, end, (end - begin) * costs_.tensorShare(action), {}};
        for (const int earlier : after)
            if (earlier != noNode) node.after.push_back(earlier);
        keep_.graph->nodes.push_back(std::move(node));
        return static_cast<int>(keep_.graph->nodes.size()) - 1;
    }

    static void mark(const std::vector<std::size_t>& borders, RankState& state) {
        while (state.marks.size() < borders.size() && borders[state.marks.size()] == state.position)
            state.marks.push_back({state.free, state.busy + state.updating});
    }

    double share(int working) const { return std::min(1.0, costs_.cores / working); }

    /// Shared cores: goes on to the next moment at which a rank begins or ends to work; everybody who works gets the
    /// same share of the cores until then. False where nobody works any more.
    bool passTime() {
        int working = 0;
        for (const RankState& state : ranks_) working += state.burst && state.burst->begin <= now_ ? 1 : 0;
        Time next = never;
        for (const RankState& state : ranks_) {
            if (!state.burst) continue;
            const bool works = state.burst->begin <= now_;
            const Time change = works ? now_ + state.burst->left / share(working) : state.burst->begin;
            if (next == never || change < next) next = change;
        }
        if (next == never) return false;
        const Time done = working > 0 ? (next - now_) * share(working) : 0;
        for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
            RankState& state = ranks_[static_cast<std::size_t>(rank)];
            if (!state.burst || state.burst->begin > now_) continue;
            state.burst->left -= done;
            // What rounding leaves of it is no work.
            if (next + state.burst->left / share(working) > next) continue;
            const Burst burst = *std::exchange(state.burst, std::nullopt);
            finish(rank, state, current(rank), burst.kind, burst.begin, next);
            ++state.position;
            ready_.push_back(rank);
        }
        now_ = next;
        return true;
    }

    /// False where the action must wait for another rank, or for its share of a core, which will make this one ready
    /// again.
    bool advance(int rank, RankState& state, const Action& action) {
        switch (workOf(action.kind)) {
        case ActionWork::None: break;
        case ActionWork::Compute: return compute(rank, state, action);
        case ActionWork::Send: send(rank, state, action); break;
        case ActionWork::Receive:
            if (posted_) (*posted_)[payloadOf(action)] = state.free;
            break;
        case ActionWork::ServerExchange: reduce(rank, state, action, state.free, {state.node}); break;
        case ActionWork::Reduction:
            if (action.kind == ActionKind::ReduceGradients) {
                reduce(rank, state, action, state.free, {state.node});
                break;
            }
            waitIdle(state, state.data.reduced);
            gather(rank, state, action.kind == ActionKind::ReduceTied ? tied_ : norm_);
            return false;
        case ActionWork::Update:
            waitIdle(state, state.data.reduced);
            waitIdle(state, state.host.down);
            return occupy(rank, state, action, eventKind(action.kind));
        case ActionWork::WeightVersion:
            if (action.kind == ActionKind::StashWeights) return occupy(rank, state, action, eventKind(action.kind));
            finish(rank, state, action, eventKind(action.kind), state.free, state.free);
            break;
        case ActionWork::DataPieces:
            if (action.kind == ActionKind::GatherUpdated) gatherUpdated(rank, state, action);
            else state.data.announced.push_back({state.free, state.node, &action});
            break;
        case ActionWork::HostCopy: copy(rank, state, action); break;
        case ActionWork::HostRelease: awaitSwap(state, state.host.leaving, action); break;
        }
        return true;
    }

    void gatherUpdated(int rank, RankState& state, const Action& action) {
        waitIdle(state, state.host.up);
        const auto& pieces = dataOf(action).pieces(action.kind);
        for (std::size_t i = 0; i < pieces.size(); ++i)
            startPiece(rank, state, action, pieces, i, {state.free, state.node});
    }

    /// True where the action is done.
    bool occupy(int rank, RankState& state, const Action& action, EventKind kind) {
        if (costs_.cores > 0) {
            state.burst = Burst{state.free, duration(action), kind};
            return false;
        }
        finish(rank, state, action, kind, state.free, state.free + duration(action));
        return true;
    }

    const DataCosts& dataOf(const Action& action) const {
        return costs_.stages[static_cast<std::size_t>(action.stage)].data;
    }

    /// The lane stands still until `moment`.
    void waitIdle(RankState& state, const Moment& moment) {
        if (moment.time <= state.free) return;
        state.sink.add(Lane::Compute, EventKind::Wait, state.free, moment.time, *moment.action);
        state.free = moment.time;
        state.node = moment.node;
    }

    /// Piece `index` goes when it is ready and the one before it has gone. Returns its end.
    Moment startPiece(int rank, RankState& state, const Action& action, const std::vector<DataPiece>& pieces,
                      std::size_t index, const Moment& ready) {
        const DataPiece& piece = pieces[index];
        const bool copies = isHostCopy(action.kind);
        Moment& free = copies ? state.host[action.kind] : state.data.free;
        Time length = piece.seconds * costs_.stretch;
        if (keep_.seconds && length > 0) length *= duration(action) / costs_.seconds(action);
        const Time begin = std::max(ready.time, free.time);
        free = {begin + length, note(rank, action, begin, begin + length, {ready.node, free.node}), &action};
        if (action.kind == ActionKind::ReduceBuckets || action.kind == ActionKind::ScatterGradients ||
            action.kind == ActionKind::ReduceParts)
            state.data.reduced = free;
        if (!state.sink.keeps()) return free;
        const auto value = static_cast<double>(index);
        const int halves = action.kind == ActionKind::ReduceBuckets ? 2 : 1;
        for (int hop = 0; hop < piece.hops; ++hop)
            state.sink.add(Lane::Comm, EventKind::RingHop, begin + length * hop / piece.hops,
                           begin + length * (hop + 1) / piece.hops, action,
                           halves * piece.bytes / (piece.hops + halves), value);
        const Lane lane = copies ? Lane::Copy : Lane::Comm;
        if (piece.hops == 0) state.sink.add(lane, eventKind(action.kind), begin, free.time, action, piece.bytes, value);
        return free;
    }

    void finish(int rank, RankState& state, const Action& action, EventKind kind, Time begin, Time end) {
        const Time length = end - begin;
        bool drawnAgain = false;
        if (isCompute(action.kind) && !state.data.announced.empty()) {
            const LayeredShares shares = costs_.layered(action);
            drawnAgain = shares.again > 0 && !together_;
            Layers<Simulator>(*this, rank, state, action, kind, begin)
                .run({length * shares.again, length * shares.use, length * shares.gradient}, drawnAgain);
            end = state.free;
        } else {
            state.free = end;
            state.node = note(rank, action, begin, end, {state.node, std::exchange(state.message, noNode)});
            const bool weights = kind == EventKind::StashWeights || kind == EventKind::FreeWeights;
            state.sink.add(Lane::Compute, kind, begin, end, action, weights ? costs_.bytes(action) : 0);
        }
        if (!isCompute(action.kind)) {
            state.updating += length;
            if (state.sink.keeps())
                for (const TensorSpan& span : costs_.tensorSpans(action, together_))
                    state.sink.addTensor(begin, end, span, action);
            return;
        }
        if (state.sink.keeps()) {
            for (const TensorSpan& span : costs_.tensorSpans(action, together_))
                state.sink.addTensor(begin, end, span, action);
            if (!drawnAgain)
                for (const ActionPart& part : costs_.recomputed(action, together_))
                    state.sink.addRecompute(begin, end, part, action);
        }
        state.busy += length;
        if (action.kind != ActionKind::Forward && action.kind != ActionKind::Recompute)
            lastBackward_ = std::max(lastBackward_, end);
        // Between stages of one rank nothing is sent: the product is there at once.
        if (const auto product = productOf(action)) {
            const int taker = takerOf(*product);
            if (taker >= 0 && taker < schedule_.stages() && rankOf(taker) == rank) arrival_[*product] = end;
        }
    }

    bool compute(int rank, RankState& state, const Action& action) {
        if (const auto need = needOf(action, schedule_.stages())) {
            const Time arrived = arrival_[*need];
            if (arrived == never) return false;
            if (posted_ && rankOf(need->stage) != rank) receive(state, action, *need, arrived);
            if (sender_) state.message = (*sender_)[*need];
            state.free = std::max(state.free, arrived);
        }
        if (givesInputGrad(action.kind)) awaitSwap(state, state.host.returning, action);
        if (action.kind == ActionKind::Forward && (firstForward_ < 0 || state.free < firstForward_))
            firstForward_ = state.free;
        return occupy(rank, state, action, eventKind(action.kind));
    }

    void receive(RankState& state, const Action& action, const Product& need, Time arrived) {
        Action message = action;
        message.kind = need.gradient ? ActionKind::RecvBackward : ActionKind::RecvForward;
        message.version = -1;
        const Time post = std::max((*posted_)[need], Time{0});
        state.sink.add(Lane::Comm, eventKind(message.kind), post, std::max(post, arrived), message,
                       costs_.bytes(message));
        if (arrived > state.free) state.sink.add(Lane::Compute, EventKind::Wait, state.free, arrived, message);
    }

    void send(int rank, RankState& state, const Action& action) {
        const int peer = rankOf(otherEnd(action).stage);
        PeerLink& link = state.link(peer);
        const Time begin = std::max(state.free, link.free);
        link.free = begin + duration(action);
        link.node = note(rank, action, begin, link.free, {state.node, link.node});
        if (sender_) (*sender_)[payloadOf(action)] = link.node;
        arrival_[payloadOf(action)] = link.free;
        if (state.sink.keeps())
            state.sink.add(Lane::Comm, eventKind(action.kind), begin, link.free, action, costs_.bytes(action));
        if (std::exchange(ranks_[static_cast<std::size_t>(peer)].stopped, false)) ready_.push_back(peer);
    }

    void copy(int rank, RankState& state, const Action& action) {
        Moment& link = state.host[action.kind];
        const Moment& reduced = state.data.reduced;
        const bool waits = action.kind == ActionKind::OffloadGradients && reduced.time > state.free;
        const Time begin = std::max(waits ? reduced.time : state.free, link.time);
        const Time end = begin + duration(action);
        link = {end, note(rank, action, begin, end, {waits ? reduced.node : state.node, link.node}), &action};
        if (action.kind == ActionKind::SwapOut) state.host.leaving.push_back({&action, link});
        if (action.kind == ActionKind::SwapIn) state.host.returning.push_back({&action, link});
        state.sink.add(Lane::Copy, eventKind(action.kind), begin, end, action, costs_.bytes(action));
    }

    /// What is on its way of the action's microbatch, if anything, has arrived.
    void awaitSwap(RankState& state, std::vector<HostLink::Swap>& swaps, const Action& action) {
        std::erase_if(swaps, [&](const HostLink::Swap& swap) {
            if (swap.action->stage != action.stage || swap.action->microbatch != action.microbatch) return false;
            waitIdle(state, swap.over);
            return true;
        });
    }

    void reduce(int rank, RankState& state, const Action& action, Time begin, std::initializer_list<int> after) {
        const Time end = begin + duration(action);
        state.node = note(rank, action, begin, end, after);
        state.sink.add(Lane::Comm, eventKind(action.kind), begin, end, action, costs_.bytes(action));
        state.free = end;
    }

    void gather(int rank, const RankState& state, Gathering& gathering) {
        // A rank made ready by a message may look at its reduction again.
        for (const auto& [member, time] : gathering.arrived)
            if (member == rank) return;
        gathering.arrived.emplace_back(rank, state.free);
        gathering.latest = std::max(gathering.latest, state.free);
        if (--gathering.missing > 0) return;
        std::vector<int> before;  // every member waits for all
        for (const auto& [member, time] : gathering.arrived)
            if (const int node = ranks_[static_cast<std::size_t>(member)].node; node != noNode) before.push_back(node);
        for (const auto& [member, time] : gathering.arrived) {
            RankState& other = ranks_[static_cast<std::size_t>(member)];
            const Action& action = current(member);
            if (gathering.latest > time) other.sink.add(Lane::Compute, EventKind::Wait, time, gathering.latest, action);
            reduce(member, other, action, gathering.latest, {});
            if (keep_.graph) keep_.graph->nodes.back().after = before;
            ++other.position;
            ready_.push_back(member);
        }
    }

    const Action& current(int rank) const {
        return schedule_.ranks[static_cast<std::size_t>(rank)][ranks_[static_cast<std::size_t>(rank)].position];
    }

    const Schedule& schedule_;
    const StepCosts& costs_;
    Keep keep_;
    std::vector<RankState> ranks_;
    ProductTable<Time> arrival_;
    std::optional<ProductTable<Time>> posted_;  ///< where events are kept
    std::optional<ProductTable<int>> sender_;   ///< nodes of the graph
    Gathering tied_, norm_;
    std::vector<int> ready_;
    std::vector<Moment> arriving_;  ///< room for Layers
    Time firstForward_ = -1;
    Time lastBackward_ = -1;
    Time now_ = 0;  ///< where cores are shared
    Time end_ = 0;
    bool together_ = false;
};

constexpr std::size_t mostInnerSpans = std::size_t{1} << 19;

/// Spans within actions, over all ranks of the mesh.
std::size_t innerSpanCount(const Schedule& lowered, const StepCosts& costs, const Mesh& mesh) {
    const bool none = mesh.size(Axis::Tensor) < 2 &&
                      std::ranges::all_of(costs.stages, [](const StageCosts& cost) { return cost.recompute <= 0; });
    if (none) return 0;
    std::size_t count = 0;
    for (const auto& actions : lowered.ranks)
        for (const Action& action : actions)
            count += costs.tensorSpans(action).size() + costs.recomputed(action).size();
    return count * static_cast<std::size_t>(mesh.ranks()) / lowered.ranks.size();
}

Simulation figuresOf(Simulator& simulator) {
    Simulation result;
    result.stepSeconds = simulator.end();
    result.bubble = simulator.bubble();
    for (const RankState& state : simulator.ranks()) result.busySeconds.push_back(state.busy);
    return result;
}

Simulation steadyFigures(const Schedule& lowered, const StepCosts& costs, const ActionSeconds* seconds = nullptr) {
    const SteadyRun steady(lowered);
    Simulator simulator(steady.run.schedule, costs, {.seconds = seconds, .borders = &steady.run.borders});
    simulator.run();
    return steady.figures(simulator.ranks());
}

constexpr std::size_t mostEvents = std::size_t{1} << 21;  ///< of a step, before replicas are folded

/// The lowest and the highest rank of each pipeline rank.
std::vector<bool> firstAndLast(const Mesh& mesh, std::size_t pipelineRanks) {
    std::vector<int> first(pipelineRanks, -1), last(pipelineRanks, -1);
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const auto pipelineRank = static_cast<std::size_t>(mesh.coordinate(rank, Axis::Pipeline));
        if (first[pipelineRank] < 0) first[pipelineRank] = rank;
        last[pipelineRank] = rank;
    }
    std::vector<bool> shown(static_cast<std::size_t>(mesh.ranks()));
    for (const std::vector<int>* ranks : {&first, &last})
        for (const int rank : *ranks)
            if (rank >= 0) shown[static_cast<std::size_t>(rank)] = true;
    return shown;
}

Simulation withEvents(Simulation result, Simulator& simulator, const StepCosts& costs, const Mesh& mesh) {
    std::size_t count = 0;
    for (RankState& state : simulator.ranks()) {
        std::ranges::stable_sort(state.sink.events(), {}, &Event::begin);
        count += state.sink.events().size();
    }
    const auto ranks = static_cast<std::size_t>(mesh.ranks()), simulated = simulator.ranks().size();
    const std::size_t all = count * ranks / std::max<std::size_t>(1, simulated);
    result.folded = all > mostEvents && ranks > 2 * simulated;
    result.events.reserve(result.folded ? 2 * count + ranks : all);
    const std::vector<bool> shown = firstAndLast(mesh, simulated);
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const auto pipelineRank = static_cast<std::size_t>(mesh.coordinate(rank, Axis::Pipeline));
        const bool whole = !result.folded || shown[static_cast<std::size_t>(rank)];
        for (Event event : simulator.ranks()[pipelineRank].sink.events()) {
            if (!whole && event.kind != EventKind::Step) continue;
            event.rank = static_cast<std::int16_t>(rank);
            if (isOfHeads(event.kind))
                event.bytes = costs.ofTensorMember(event.bytes, mesh.coordinate(rank, Axis::Tensor));
            result.events.push_back(event);
        }
    }
    return result;
}

}  // namespace

Simulation simulateActionsWithoutEvents(const Schedule& lowered, const StepCosts& costs) {
    if (!lowered.flushes()) return steadyFigures(lowered, costs);
    Simulator simulator(lowered, costs, {});
    simulator.run();
    return figuresOf(simulator);
}

Simulation simulateActions(const Schedule& lowered, const StepCosts& costs, const Mesh& mesh) {
    if (!lowered.flushes()) {
        const SteadyRun steady(lowered);
        Simulator simulator(steady.run.schedule, costs, {.events = true, .borders = &steady.run.borders});
        if (innerSpanCount(steady.run.schedule, costs, mesh) > mostInnerSpans) simulator.drawTogether();
        simulator.run();
        steady.cut(lowered, simulator.ranks());
        return withEvents(steady.figures(simulator.ranks()), simulator, costs, mesh);
    }
    Simulator simulator(lowered, costs, {.events = true});
    if (innerSpanCount(lowered, costs, mesh) > mostInnerSpans) simulator.drawTogether();
    simulator.run();
    return withEvents(figuresOf(simulator), simulator, costs, mesh);
}

double simulatedSeconds(const Schedule& lowered, const StepCosts& costs, const ActionSeconds& seconds) {
    if (!lowered.flushes()) return steadyFigures(lowered, costs, &seconds).stepSeconds;
    Simulator simulator(lowered, costs, {.seconds = &seconds});
    simulator.run();
    return simulator.end();
}

StepGraph stepGraph(const Schedule& lowered, const StepCosts& costs) {
    return stepGraph(lowered, costs, [&](const Action& action) { return costs.seconds(action); });
}

StepGraph stepGraph(const Schedule& lowered, const StepCosts& costs, const ActionSeconds& seconds) {
    if (!lowered.flushes()) return stepGraph(unrolled(lowered, 1).schedule, costs, seconds);
    StepGraph graph;
    Simulator simulator(lowered, costs, {.graph = &graph, .seconds = &seconds});
    simulator.run();
    graph.stepSeconds = simulator.end();
    return graph;
}

}  // namespace shardlab::predict
