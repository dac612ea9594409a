// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/simulate.h"

#include "engine/base/clock.h"
#include "engine/schedule/dataflow.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

namespace shardlab {
namespace {

using Time = double;  ///< seconds; rounded only when events are made of them
constexpr Time never = -1;

std::int64_t nanoseconds(Time time) { return toNanoseconds(std::min(time, 9e9)); }  // what 63 bits hold

/// The events of one pipeline rank; replicas are copies of it.
class Sink {
public:
    explicit Sink(bool keep) : keep_(keep) {}
    void add(Lane lane, EventKind kind, Time begin, Time end, const Action& action, std::int64_t bytes = 0) {
        if (keep_)
            events_.push_back({nanoseconds(begin), nanoseconds(end), bytes, 0, actionId(action), 0, 0, lane, kind});
    }
    void addTensor(Time begin, Time end, const TensorSpan& span, const Action& action) {
        const Time length = end - begin;
        events_.push_back({nanoseconds(begin + span.begin * length), nanoseconds(begin + span.end * length), span.bytes,
                           double(span.layer), actionId(action), 0, 0, Lane::Comm, span.kind});
    }
    bool keeps() const { return keep_; }
    void addStep(Time end) {
        if (keep_) events_.push_back({0, nanoseconds(end), 0, 0, 0, 0, 0, Lane::Host, EventKind::Step});
    }
    std::vector<Event>& events() { return events_; }

private:
    bool keep_;
    std::vector<Event> events_;
};

/// Work of a rank that shares its core with others.
struct Burst {
    Time begin = 0;     ///< not before
    Time left = 0;      ///< on a core of its own
    EventKind kind = EventKind::None;
};

constexpr int noNode = -1;  ///< of the step's graph

struct Link {
    int peer = 0;
    Time free = 0;
    int node = noNode;  ///< the send that keeps it busy until then
};

struct RankState {
    Sink sink;
    std::size_t position = 0;
    bool stopped = false;   ///< cannot go on by itself, and nobody has made it ready yet
    Time free = 0;          ///< of the compute lane
    int node = noNode;      ///< what keeps the lane busy until then
    int message = noNode;   ///< what brought the action that is next its input
    std::optional<Burst> burst = {};
    Time busy = 0;  ///< F, B, I, W, R
    std::vector<Link> links = {};  ///< by receiving rank; a rank has few neighbours

    Link& link(int peer) {
        for (Link& each : links)
            if (each.peer == peer) return each;
        return links.emplace_back(Link{peer});
    }
};

/// What a simulation keeps besides its figures.
struct Keep {
    bool events = false;
    StepGraph* graph = nullptr;
    const ActionSeconds* seconds = nullptr;  ///< instead of the costs'
};

/// Members of a reduction that have come so far.
struct Gathering {
    int missing = 0;
    Time latest = 0;
    std::vector<std::pair<int, Time>> arrived;
};

class Simulator {
public:
    Simulator(const Schedule& schedule, const StepCosts& costs, const Keep& keep)
        : schedule_(schedule), costs_(costs), keep_(keep), arrival_(schedule.stages(), schedule.microbatches, never) {
        if (keep.events) posted_.emplace(schedule.stages(), schedule.microbatches, never);
        if (keep.graph) sender_.emplace(schedule.stages(), schedule.microbatches, noNode);
        ranks_.assign(schedule.ranks.size(), RankState{.sink = Sink(keep.events)});
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
                while (!state.burst && state.position < actions.size() &&
                       advance(rank, state, actions[state.position]))
                    ++state.position;
                state.stopped = true;
            }
        } while (passTime());
        for (RankState& state : ranks_) {
            end_ = std::max(end_, state.free);
            for (const Link& link : state.links) end_ = std::max(end_, link.free);
            state.sink.addStep(state.free);
        }
    }

    /// One span for all collectives of an action.
    void drawTensorTogether() { tensorTogether_ = true; }

    Time end() const { return end_; }
    std::vector<RankState>& ranks() { return ranks_; }

    double bubble() const {
        if (firstForward_ < 0 || lastBackward_ <= firstForward_) return 0;
        double idle = 0;
        for (const RankState& state : ranks_) idle += 1 - state.busy / (lastBackward_ - firstForward_);
        return std::max(0.0, idle / static_cast<double>(ranks_.size()));
    }

private:
    int rankOf(int stage) const { return schedule_.rankOfStage[static_cast<std::size_t>(stage)]; }
    Time duration(const Action& action) const {
        return keep_.seconds ? (*keep_.seconds)(action) : costs_.seconds(action);
    }

    /// A node of the graph, where one is kept.
    int note(int rank, const Action& action, Time begin, Time end, std::initializer_list<int> after) {
        if (!keep_.graph) return noNode;
        StepGraph::Node node{rank, action, begin, end, {}};
        for (const int earlier : after)
            if (earlier != noNode) node.after.push_back(earlier);
        keep_.graph->nodes.push_back(std::move(node));
        return static_cast<int>(keep_.graph->nodes.size()) - 1;
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
        switch (action.kind) {
            case ActionKind::SendForward:
            case ActionKind::SendBackward: send(rank, state, action); return true;
            case ActionKind::RecvForward:
            case ActionKind::RecvBackward:
                if (posted_) (*posted_)[payloadOf(action)] = state.free;
                return true;
            case ActionKind::ReduceGradients:
                reduce(rank, state, action, state.free, {state.node});
                return true;
            case ActionKind::ReduceTied: gather(rank, state, tied_); return false;
            case ActionKind::ReduceNorm: gather(rank, state, norm_); return false;
            case ActionKind::OptimizerStep: return occupy(rank, state, action, EventKind::Optimizer);
            default: return compute(rank, state, action);
        }
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

    void finish(int rank, RankState& state, const Action& action, EventKind kind, Time begin, Time end) {
        state.free = end;
        state.node = note(rank, action, begin, end, {state.node, std::exchange(state.message, noNode)});
        state.sink.add(Lane::Compute, kind, begin, end, action);
        if (!isCompute(action.kind)) return;
        if (state.sink.keeps())
            for (const TensorSpan& span : costs_.tensorSpans(action, tensorTogether_))
                state.sink.addTensor(begin, end, span, action);
        state.busy += end - begin;
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
        Link& link = state.link(peer);
        const Time begin = std::max(state.free, link.free);
        link.free = begin + duration(action);
        link.node = note(rank, action, begin, link.free, {state.node, link.node});
        if (sender_) (*sender_)[payloadOf(action)] = link.node;
        arrival_[payloadOf(action)] = link.free;
        state.sink.add(Lane::Comm, eventKind(action.kind), begin, link.free, action, costs_.bytes(action));
        if (std::exchange(ranks_[static_cast<std::size_t>(peer)].stopped, false)) ready_.push_back(peer);
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
    std::optional<ProductTable<int>> sender_;  ///< nodes of the graph
    Gathering tied_, norm_;
    std::vector<int> ready_;
    Time firstForward_ = -1;
    Time lastBackward_ = -1;
    Time now_ = 0;  ///< where cores are shared
    Time end_ = 0;
    bool tensorTogether_ = false;
};

}  // namespace

namespace {

constexpr std::size_t mostTensorSpans = std::size_t{1} << 19;

/// Over all ranks of the mesh.
std::size_t tensorSpanCount(const Schedule& lowered, const StepCosts& costs, const Mesh& mesh) {
    if (mesh.size(Axis::Tensor) < 2) return 0;
    std::size_t count = 0;
    for (const auto& actions : lowered.ranks)
        for (const Action& action : actions) count += costs.tensorSpans(action).size();
    return count * static_cast<std::size_t>(mesh.ranks()) / lowered.ranks.size();
}

Simulation figuresOf(Simulator& simulator) {
    Simulation result;
    result.stepSeconds = simulator.end();
    result.bubble = simulator.bubble();
    for (const RankState& state : simulator.ranks()) result.busySeconds.push_back(state.busy);
    return result;
}

}  // namespace

Simulation simulateWithoutEvents(const Schedule& lowered, const StepCosts& costs) {
    Simulator simulator(lowered, costs, {});
    simulator.run();
    return figuresOf(simulator);
}

Simulation simulate(const Schedule& lowered, const StepCosts& costs, const Mesh& mesh) {
    Simulator simulator(lowered, costs, {.events = true});
    if (tensorSpanCount(lowered, costs, mesh) > mostTensorSpans) simulator.drawTensorTogether();
    simulator.run();
    Simulation result = figuresOf(simulator);
    std::size_t count = 0;
    for (RankState& state : simulator.ranks()) {
        std::ranges::stable_sort(state.sink.events(), {}, &Event::begin);
        count += state.sink.events().size();
    }
    const auto ranks = static_cast<std::size_t>(mesh.ranks());
    result.events.reserve(count * ranks / std::max<std::size_t>(1, lowered.ranks.size()));
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const auto pipelineRank = static_cast<std::size_t>(mesh.coordinate(rank, Axis::Pipeline));
        for (Event event : simulator.ranks()[pipelineRank].sink.events()) {
            event.rank = static_cast<std::int16_t>(rank);
            result.events.push_back(event);
        }
    }
    return result;
}

double simulatedSeconds(const Schedule& lowered, const StepCosts& costs) {
    Simulator simulator(lowered, costs, {});
    simulator.run();
    return simulator.end();
}

double simulatedSeconds(const Schedule& lowered, const StepCosts& costs, const ActionSeconds& seconds) {
    Simulator simulator(lowered, costs, {.seconds = &seconds});
    simulator.run();
    return simulator.end();
}

StepGraph stepGraph(const Schedule& lowered, const StepCosts& costs) {
    return stepGraph(lowered, costs, [&](const Action& action) { return costs.seconds(action); });
}

StepGraph stepGraph(const Schedule& lowered, const StepCosts& costs, const ActionSeconds& seconds) {
    StepGraph graph;
    Simulator simulator(lowered, costs, {.graph = &graph, .seconds = &seconds});
    simulator.run();
    graph.stepSeconds = simulator.end();
    return graph;
}

}  // namespace shardlab
