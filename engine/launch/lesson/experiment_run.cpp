// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/experiment_run.h"

#include "engine/trace/analysis/traffic_matrix.h"
#include "engine/base/clock.h"
#include "engine/base/device_time.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/event/exponents.h"
#include "engine/trace/event/restarts.h"
#include "engine/trace/metrics/expert_loads.h"
#include "engine/trace/metrics/summary.h"
#include "engine/launch/job/run_header.h"
#include "engine/layout/exchange.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/predict/plan/async_server.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>

namespace shardlab::launch {
namespace {

/// A reduction of gradients during which nothing is computed, or a wait for an exchange over the data axis or with the
/// host.
bool isExposed(const Event& event) {
    if (event.kind == EventKind::ReduceGradients || isServerExchange(event.kind)) return true;
    if (event.kind != EventKind::Wait) return false;
    const ActionKind awaited = actionFromId(event.action).kind;
    return awaited == ActionKind::ReduceGradients || isServerExchange(awaited) || isBesideCompute(awaited) ||
           isHostCopy(awaited);
}

/// Finds what restarts cost.
class Interruptions {
public:
    void add(const Event& event) {
        if (isRestart(event)) restarts_.add(event);
        else if (event.kind == EventKind::Step) steps_.push_back({event.begin, event.end, event.step});
    }

    void tell(RunTally& tally) const {
        std::int64_t from = std::numeric_limits<std::int64_t>::min();
        for (const Event& restart : restarts_.all()) {
            tally.restarts += restartNumber(restart) > 0 ? 1 : 0;
            if (const auto ranks = ranksAfter(restart)) tally.ranksAtEnd = static_cast<int>(*ranks);
            std::int64_t last = from, next = std::numeric_limits<std::int64_t>::max();
            int done = 0;
            for (const Done& step : steps_) {
                if (step.begin >= restart.begin) next = std::min(next, step.begin);
                else if (step.begin >= from) {
                    last = std::max(last, step.end);
                    done = std::max(done, step.number + 1);
                }
            }
            if (last > from) tally.repeatedSteps += std::max(0, done - restart.step);
            if (last > from && next < std::numeric_limits<std::int64_t>::max())
                tally.standstillSeconds += toSeconds(next - last);
            from = restart.begin;
        }
    }

private:
    struct Done {
        std::int64_t begin, end;
        int number;
    };
    Restarts restarts_;
    std::vector<Done> steps_;  ///< all ranks' steps
};

class Counting {
public:
    explicit Counting(const RunHeader& header)
        : mesh_(header.layout), traffic_(header), device_(header.stretch),
          serves_(updatesAtServer(header.layout.parallel)),
          tokensPerStep_(static_cast<double>(tokensPerStep(header.layout))) {}

    void add(std::span<const Event> events) {
        for (const Event& event : events) add(event);
    }

    RunTally tally() const {
        RunTally tally = tally_;
        if (const int steps = traffic_.steps(); steps > 0) {
            const auto perStep = [&](std::int64_t all) { return static_cast<double>(all) / steps; };
            tally.bytesPerStep = perStep(traffic_.total(TrafficMatrix::Part::All));
            for (int from = 0; from < traffic_.ranks(); ++from) {
                double sent = 0;
                for (int to = 0; to < traffic_.ranks(); ++to) {
                    const double bytes = perStep(traffic_.cell(from, to, TrafficMatrix::Part::All).bytes);
                    sent += bytes;
                    if (mesh_.host(from) != mesh_.host(to)) tally.betweenNodesPerStep += bytes;
                    tally.messagesPerStep += perStep(traffic_.cell(from, to, TrafficMatrix::Part::Messages).count);
                }
                tally.mostSentPerStep = std::max(tally.mostSentPerStep, sent);
            }
            tally.hopsPerStep = perStep(hops_);
        }
        tally.skippedSteps = static_cast<int>(skipped_.size());
        if (!steps_.empty()) {
            const ExpertLoads loads = experts_.from((steps_.begin()->first + steps_.rbegin()->first + 1) / 2);
            tally.unevenLoad = loads.unevenness();
            tally.droppedShare = loads.droppedShare();
            if (const auto chosen = loads.chosen()) {
                tally.untakenShare = chosen->untaken / tokensPerStep_;
                tally.expertsOfToken = chosen->mostOfToken;
                if (chosen->mostRounds > 0) tally.assignmentRounds = chosen->mostRounds;
            }
        }
        const auto first = std::next(steps_.begin(), steps_.size() > warmUpSteps ? static_cast<int>(warmUpSteps) : 0);
        const double share = device_.seconds(1e-9) /
                             static_cast<double>(std::max<std::ptrdiff_t>(1, std::distance(first, steps_.end()))) /
                             traffic_.ranks();
        for (auto step = first; step != steps_.end(); ++step) {
            tally.recomputeSeconds += static_cast<double>(step->second.recompute) * share;
            tally.exposedSeconds += static_cast<double>(step->second.exposed) * share;
        }
        if (serves_) tally.serverBusy = busy_.share(first == steps_.end() ? 0 : first->first);
        if (updates_ > 0) tally.staleness = late_ / updates_;
        if (written_ > 0) tally.overwritten = overwritten_ / written_;
        if (gradients_ > 0) tally.vanishing = vanishing_ / gradients_;
        interruptions_.tell(tally);
        return tally;
    }

private:
    void add(const Event& event) {
        traffic_.add(event);
        interruptions_.add(event);
        if (serves_) busy_.add(event);
        if (event.kind == EventKind::Step) steps_[event.step];
        else if (event.kind == EventKind::RingHop) ++hops_;
        else if (event.kind == EventKind::Recompute) steps_[event.step].recompute += event.end - event.begin;
        else if (isExposed(event)) steps_[event.step].exposed += event.end - event.begin;
        else if (event.kind == EventKind::Overflow) skipped_.insert(event.step);
        else if (event.kind == EventKind::WeightVersions)
            tally_.weightVersions = std::max(tally_.weightVersions, static_cast<int>(event.value));
        else if (event.kind == EventKind::Staleness) addStaleness(updatesLate(event));
        else if (event.kind == EventKind::ElasticDistance) addDistance(event);
        else if (event.kind == EventKind::OverwrittenUpdates) addOverwritten(event);
        else if (event.kind == EventKind::LossScale) addScale(event);
        else if (event.kind >= EventKind::Fp8Scale && event.kind <= EventKind::Fp8Flushed) addRounded(event);
        else if (event.kind == EventKind::GradientExponents) addExponents(event);
        else if (event.kind == EventKind::Epochs) keepLargest(tally_.epochs, event.value);
        else if (event.kind == EventKind::Samples) keepLargest(tally_.samples, event.value);
        else if (event.kind == EventKind::ReplicasThatDiffer) keepLargest(tally_.differingReplicas, event.value);
        else experts_.add(event);
    }

    static void keepLargest(std::optional<double>& most, double value) { most = std::max(most.value_or(value), value); }

    void addExponents(const Event& event) {
        const std::int64_t bin = exponentBin(event);
        gradients_ += event.value;
        if (bin == zeroBin || bin < fp16Smallest - firstExponent) vanishing_ += event.value;
    }

    void addStaleness(double value) {
        ++updates_;
        late_ += value;
    }

    void addOverwritten(const Event& event) {
        overwritten_ += elementsOverwritten(event);
        written_ += static_cast<double>(elementsWritten(event));
    }

    void addDistance(const Event& event) {
        if (event.step < lastExchange_) return;
        lastExchange_ = event.step;
        tally_.elasticDistance = event.value;
    }

    void addRounded(const Event& event) {
        if (!tally_.saturated) tally_.saturated = tally_.flushed = 0;
        if (event.kind == EventKind::Fp8Saturated) *tally_.saturated += event.value;
        if (event.kind == EventKind::Fp8Flushed) *tally_.flushed += event.value;
    }

    void addScale(const Event& event) {
        if (!tally_.firstScale || event.step < firstScaled_) {
            tally_.firstScale = event.value;
            firstScaled_ = event.step;
        }
        if (!tally_.lastScale || event.step >= lastScaled_) {
            tally_.lastScale = event.value;
            lastScaled_ = event.step;
        }
    }

    const Mesh mesh_;
    TrafficMatrix traffic_;
    ExpertLoads experts_;
    const DeviceTime device_;
    const bool serves_;
    const double tokensPerStep_;
    ServerBusy busy_;
    Interruptions interruptions_;
    double late_ = 0;
    int updates_ = 0;
    std::int64_t hops_ = 0;
    double overwritten_ = 0, written_ = 0;  ///< elements
    double vanishing_ = 0, gradients_ = 0;  ///< numbers of gradients
    int lastExchange_ = -1;
    RunTally tally_;
    struct Nanoseconds {
        std::int64_t recompute = 0;
        std::int64_t exposed = 0;
    };
    std::map<int, Nanoseconds> steps_;  ///< by number, over all ranks
    std::set<int> skipped_;
    int firstScaled_ = 0;
    int lastScaled_ = 0;
};

}  // namespace

tl::expected<PlannedRun, std::vector<Fault>> planRun(const Layout& layout, const Measurements& measurements) {
    auto plan = makePlan(layout, measurements);
    if (!plan) return tl::unexpected(plan.error());
    Counting counting(headerOf(*plan));
    counting.add(plan->simulation.events);
    RunTally tally = counting.tally();
    if (runsAtOwnPace(layout.parallel)) tally.staleness = workers(layout.parallel) - 1;
    for (const RankMemory& memory : plan->memory)
        tally.weightVersions = std::max(tally.weightVersions, memory.weightVersions);
    return PlannedRun{std::move(*plan), tally};
}

Result<MeasuredRun> measureRun(const RunReader& run) {
    auto summary = summarize(run);
    if (!summary) return fail(summary.error());
    Counting counting(run.header());
    const Status read = run.readEvents([&](std::span<const Event> events) {
        counting.add(events);
        return true;
    });
    if (!read) return fail(read.error());
    return MeasuredRun{std::move(*summary), counting.tally()};
}

Result<MeasuredRun> measureRun(const std::filesystem::path& file) {
    const auto reader = RunReader::open(file);
    if (!reader) return fail(reader.error());
    return measureRun(**reader);
}

}  // namespace shardlab::launch
