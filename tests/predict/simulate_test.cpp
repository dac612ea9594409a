// SPDX-License-Identifier: Apache-2.0
#include "engine/base/random.h"
#include "engine/trace/metrics/summary.h"
#include "engine/predict/plan/host_traffic.h"
#include "engine/predict/plan/simulate.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "engine/layout/schedule/validate.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

using namespace shardlab::test;

namespace {

Mesh meshOf(int pipeline, int data = 1) {
    Layout layout;
    layout.parallel.pipeline = pipeline;
    layout.parallel.data = data;
    return Mesh(layout);
}

StepCosts equalCosts(int stages, double forward, double send = 0) {
    StageCosts stage;
    stage.forward = stage.inputGrad = stage.weightGrad = forward;
    stage.backward = 2 * forward;
    stage.send = send;
    return {std::vector<StageCosts>(static_cast<std::size_t>(stages), stage), 1};
}

StepCosts randomCosts(int stages, RandomStream& random) {
    StepCosts costs = equalCosts(stages, 1);
    for (StageCosts& stage : costs.stages) {
        stage.forward = 0.1 + random.uniform();
        stage.inputGrad = 0.1 + random.uniform();
        stage.weightGrad = 0.1 + random.uniform();
        stage.backward = stage.inputGrad + stage.weightGrad;
        stage.send = random.uniform();
        stage.reduce = random.uniform();
        stage.tied = random.uniform();
        stage.norm = random.uniform();
        stage.optimizer = random.uniform();
        stage.offload = random.uniform();
        stage.reload = random.uniform();
        stage.swap = random.uniform();
    }
    return costs;
}

/// Another way to the same times: the longest path through the actions, each relaxed until nothing changes.
double longestPath(const Schedule& lowered, const StepCosts& costs) {
    std::map<std::pair<int, Action>, double> end;  // of a send: arrival
    bool changed = true;
    double last = 0;
    while (changed) {
        changed = false;
        for (int rank = 0; rank < static_cast<int>(lowered.ranks.size()); ++rank) {
            double free = 0;
            std::map<int, double> link;
            double down = 0, up = 0;                                   // the host's link
            std::map<std::pair<int, int>, double> leaving, returning;  // by stage and microbatch
            for (const Action& action : lowered.ranks[static_cast<std::size_t>(rank)]) {
                double begin = free;
                const auto endOf = [&](const Action& other) {
                    return end[{lowered.rankOfStage[static_cast<std::size_t>(other.stage)], other}];
                };
                if (isReceive(action.kind)) continue;
                if (isHostCopy(action.kind)) {
                    const bool toHost =
                        action.kind == ActionKind::OffloadGradients || action.kind == ActionKind::SwapOut;
                    double& way = toHost ? down : up;
                    way = std::max(free, way) + costs.seconds(action);
                    last = std::max(last, way);
                    if (action.kind == ActionKind::SwapOut) leaving[{action.stage, action.microbatch}] = way;
                    if (action.kind == ActionKind::SwapIn) returning[{action.stage, action.microbatch}] = way;
                    continue;
                }
                if (action.kind == ActionKind::SwapFree) {
                    free = std::max(free, leaving.at({action.stage, action.microbatch}));
                    continue;
                }
                if (const auto back = returning.find({action.stage, action.microbatch});
                    back != returning.end() && givesInputGrad(action.kind))
                    begin = std::max(begin, back->second);
                if (action.kind == ActionKind::OptimizerStep) begin = std::max(begin, down);
                if (isSend(action.kind)) {
                    const int peer = lowered.rankOfStage[static_cast<std::size_t>(otherEnd(action).stage)];
                    begin = std::max(begin, link[peer]);
                    link[peer] = begin + costs.seconds(action);
                    last = std::max(last, link[peer]);
                    changed |= std::exchange(end[{rank, action}], link[peer]) != link[peer];
                    continue;
                }
                if (action.kind == ActionKind::Forward && action.stage > 0)
                    begin = std::max(begin, endOf({lowered.crossesRanks(action.stage - 1) ? ActionKind::SendForward
                                                                                          : ActionKind::Forward,
                                                   action.stage - 1, action.microbatch}));
                if (givesInputGrad(action.kind) && action.stage + 1 < lowered.stages())
                    for (const ActionKind giver : {ActionKind::Backward, ActionKind::InputGrad})
                        begin = std::max(begin,
                                         endOf({lowered.crossesRanks(action.stage) ? ActionKind::SendBackward : giver,
                                                action.stage + 1, action.microbatch}));
                if (action.kind == ActionKind::ReduceNorm || action.kind == ActionKind::ReduceTied)
                    for (int other = 0; other < static_cast<int>(lowered.ranks.size()); ++other)
                        for (const Action& member : lowered.ranks[static_cast<std::size_t>(other)])
                            if (member.kind == action.kind)
                                begin = std::max(
                                    begin,
                                    end[{other, {ActionKind::None, member.stage, static_cast<int>(member.kind)}}]);
                // When a rank comes to a reduction, under a name of its own.
                if (action.kind == ActionKind::ReduceNorm || action.kind == ActionKind::ReduceTied)
                    changed |=
                        std::exchange(end[{rank, {ActionKind::None, action.stage, static_cast<int>(action.kind)}}],
                                      free) != free;
                free = begin + costs.seconds(action);
                changed |= std::exchange(end[{rank, action}], free) != free;
                last = std::max(last, free);
            }
        }
    }
    return last;
}

constexpr const char* interleaved = "0F0,0F1,2F0,2F1,2B0,2B1,0B0,0B1\n"
                                    "1F0,1F1,3F0,3B0,3F1,3B1,1B0,1B1\n";
constexpr const char* vShaped = "0F0,0F1,3F0,3I0,3W0,3F1,3I1,3W1,0I0,0I1,0W0,0W1\n"
                                "1F0,2F0,1F1,2F1,2I0,1I0,2W0,2I1,1I1,1W0,2W1,1W1\n";

}  // namespace

class SimulateTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bubbleIsTheoryWhereStagesAreEqualAndTransfersFree() {
        for (const ScheduleMethod& method : generatedMethods())
            for (int p = 1; p <= 8; ++p)
                for (int m = 1; m <= 32; ++m) {
                    const ScheduleShape shape{p, method.minChunks, m};
                    const auto compute = generateSchedule(method.name, shape);
                    if (!compute) continue;  // refused; schedule_kinds_test asks why
                    const Simulation simulation =
                        simulate(lower(*compute, {}), equalCosts(compute->stages(), 0.01), meshOf(p));
                    const double theory = method.theoreticalBubble(shape);
                    if (method.name == "naive") QVERIFY(std::abs(theory - double(p - 1) / p) < 1e-12);
                    if (method.name == "gpipe" || method.name == "1f1b")
                        QVERIFY(std::abs(theory - double(p - 1) / (m + p - 1)) < 1e-12);
                    QVERIFY2(std::abs(simulation.bubble - theory) < 1e-9, qPrintable(QString("%1 p %2 m %3: %4, not %5")
                                                                                         .arg(method.name.data())
                                                                                         .arg(p)
                                                                                         .arg(m)
                                                                                         .arg(simulation.bubble)
                                                                                         .arg(theory)));
                    QVERIFY(std::abs(simulation.stepSeconds - 0.03 * m * shape.chunks / (1 - theory)) < 1e-9);
                }
    }

    void stepIsTheLongestPath() {
        const std::uint32_t seed = freshSeed();
        RandomStream random(seed, "costs");
        for (int i = 0; i < 300; ++i) {
            const int p = 1 + static_cast<int>(random.below(5)), m = 1 + static_cast<int>(random.below(6));
            const ScheduleMethod& method = generatedMethods()[random.below(generatedMethods().size())];
            const auto generated = generateSchedule(method.name, {p, method.minChunks, m});
            if (!generated || !generated->flushes()) continue;
            Schedule compute = *generated;
            if (i % 10 == 0) compute = *parseCsv(i % 20 == 0 ? interleaved : vShaped);
            LowerOptions options{random.below(2) == 0, random.below(2) == 0, random.below(2) == 0};
            options.offload = random.below(3) == 0;
            options.swap = random.below(2) == 0;
            const Schedule lowered = lower(compute, options);
            QVERIFY(!findWrong(lowered));
            const StepCosts costs = randomCosts(lowered.stages(), random);
            const double expected = longestPath(lowered, costs);
            QVERIFY2(std::abs(simulatedSeconds(lowered, costs) - expected) < 1e-9 * expected, toCsv(lowered).c_str());
            QVERIFY(std::abs(simulate(lowered, costs, meshOf(static_cast<int>(lowered.ranks.size()))).stepSeconds -
                             expected) < 1e-9 * expected);
        }
    }

    /// A layer begins when its weights have come from the host and, where there are replicas, from them; those of the
    /// next layer are asked for then.
    void weightsComeBeforeTheirLayers() {
        RandomStream random(freshSeed(), "fetches");
        for (int i = 0; i < 200; ++i) {
            const std::size_t layers = 1 + random.below(6);
            LowerOptions options;
            options.dataParallel = random.below(2) == 0;
            options.zero = 3;
            options.offload = options.fetch = true;
            const int microbatches = 1 + static_cast<int>(random.below(3));
            const Schedule lowered = lower(*generateSchedule("1f1b", {1, 1, microbatches}), options);
            StepCosts costs = randomCosts(1, random);
            StageCosts& stage = costs.stages[0];
            DataCosts& data = stage.data;
            double sum = 0;
            for (std::size_t layer = 0; layer < layers; ++layer)
                sum += data.layerShare.emplace_back(0.1 + random.uniform());
            for (double& share : data.layerShare) share /= sum;
            data.segments.assign(layers, -1);
            data.againShare.assign(layers, 0);
            for (auto* pieces : {&data.fetchForward, &data.gatherForward, &data.fetchBackward, &data.gatherBackward})
                for (std::size_t k = 0; k < layers; ++k) {
                    const bool up = pieces == &data.fetchForward || pieces == &data.gatherForward;
                    pieces->push_back({static_cast<int>(up ? k : layers - 1 - k), 1, 0.3 * random.uniform()});
                }
            double now = 0, link = 0, ring = 0, copied = 0, waited = 0;
            const auto pass = [&](bool forward) {
                const auto& fetch = forward ? data.fetchForward : data.fetchBackward;
                const auto& gather = forward ? data.gatherForward : data.gatherBackward;
                const auto bring = [&](std::size_t k) {
                    if (k == layers) return;
                    copied += fetch[k].seconds;
                    link = std::max(now, link) + fetch[k].seconds;
                    if (options.dataParallel) ring = std::max(link, ring) + gather[k].seconds;
                };
                bring(0);
                for (std::size_t k = 0; k < layers; ++k) {
                    waited += std::max(0.0, link - now);
                    now = std::max({now, link, ring});
                    bring(k + 1);
                    now += (forward ? stage.forward : stage.backward) *
                           data.layerShare[static_cast<std::size_t>(fetch[k].layer)];
                }
            };
            for (int microbatch = 0; microbatch < microbatches; ++microbatch) {
                pass(true);
                pass(false);
            }
            now += stage.offload + stage.optimizer;
            waited += stage.offload;
            const Simulation simulation = simulate(lowered, costs, meshOf(1));
            for (const double seconds :
                 {simulatedSeconds(lowered, costs), simulation.stepSeconds, stepGraph(lowered, costs).stepSeconds})
                QVERIFY2(std::abs(seconds - now) < 1e-9 * now, toCsv(lowered).c_str());
            const HostTraffic traffic = hostTraffic(simulation.events, 1).front();
            QVERIFY(std::abs(traffic.fromHostSeconds - copied) < 1e-6);  // events are rounded to nanoseconds
            QVERIFY(std::abs(traffic.exposedSeconds - waited) < 1e-6);
            QCOMPARE(traffic.fromHost, static_cast<std::int64_t>(2 * layers) * microbatches);
        }
    }

    /// Without a flush: the step is what a long run takes more for each further one.
    void aSteadyStepIsWhatALongRunTakesMore() {
        const std::uint32_t seed = freshSeed();
        RandomStream random(seed, "steady");
        for (int i = 0; i < 100; ++i) {
            const int p = 1 + static_cast<int>(random.below(4)), m = p + static_cast<int>(random.below(6));
            const char* kind = random.below(2) ? "pipedream" : "pipedream-2bw";
            const Schedule lowered = lower(*generateSchedule(kind, {p, 1, m}), {});
            const StepCosts costs = randomCosts(p, random);
            const auto run = [&](int steps) { return simulatedSeconds(unrolled(lowered, steps).schedule, costs); };
            const double expected = (run(72) - run(60)) / 12;
            const Simulation step = simulate(lowered, costs, meshOf(p));
            QVERIFY2(
                std::abs(step.stepSeconds - expected) < 1e-9 + 2e-3 * expected,
                qPrintable(
                    QString("%1 p %2 m %3: %4, not %5").arg(kind).arg(p).arg(m).arg(step.stepSeconds).arg(expected)));
            int forwards = 0, updates = 0;
            for (const Event& event : step.events) {
                forwards += event.kind == EventKind::Forward;
                updates += event.kind == EventKind::Optimizer;
            }
            QCOMPARE(forwards, p * m);
            QCOMPARE(updates, p * lowered.updates);
        }
    }

    void eventsTellTheSameStory() {
        const std::uint32_t seed = freshSeed();
        RandomStream random(seed, "events");
        for (int round = 0; round < 30; ++round) {
            const int p = 1 + static_cast<int>(random.below(5)), d = 1 + static_cast<int>(random.below(3)),
                      m = 1 + static_cast<int>(random.below(6));
            const Mesh mesh = meshOf(p, d);
            const Schedule lowered = lower(*generateSchedule("1f1b", {p, 1, m}), {d > 1, p > 1, true});
            const Simulation simulation = simulate(lowered, randomCosts(p, random), mesh);
            std::map<int, std::vector<Event>> byRank;
            for (const Event& event : simulation.events) {
                QVERIFY(event.begin >= 0 && event.end >= event.begin && event.step == 0);
                byRank[event.rank].push_back(event);
            }
            QCOMPARE(static_cast<int>(byRank.size()), mesh.ranks());
            std::int64_t latest = 0;
            for (const auto& [rank, events] : byRank) {
                QVERIFY(std::ranges::is_sorted(events, {}, &Event::begin));
                const auto& actions = lowered.ranks[static_cast<std::size_t>(mesh.coordinate(rank, Axis::Pipeline))];
                std::multiset<ActionId> expected, told;
                for (const Action& action : actions) expected.insert(actionId(action));
                std::int64_t free = 0;
                for (const Event& event : events) {
                    if (event.kind != EventKind::Wait && event.kind != EventKind::Step) told.insert(event.action);
                    if (event.kind == EventKind::Step) latest = std::max(latest, event.end);
                    if (event.lane != Lane::Compute) continue;
                    QVERIFY(event.begin >= free);  // one thing at a time
                    free = event.end;
                    if (event.kind != EventKind::Wait) continue;
                    const ActionKind awaited = actionFromId(event.action).kind;
                    QVERIFY(isReceive(awaited) || awaited == ActionKind::ReduceNorm ||
                            awaited == ActionKind::ReduceTied);
                }
                QCOMPARE(told, expected);
            }
            QVERIFY(std::abs(static_cast<double>(latest) * 1e-9 - simulation.stepSeconds) < 1e-8);
            // A reduction moves data only once all are there: it begins at one moment, whatever each waited.
            for (const EventKind kind : {EventKind::ReduceNorm, EventKind::ReduceTied}) {
                std::set<std::int64_t> begins;
                for (const Event& event : simulation.events)
                    if (event.kind == kind) begins.insert(event.begin);
                QVERIFY(begins.size() <= 1);
            }
            // What is told of measured steps, told of this one, agrees.
            Summarizer summarizer(mesh.ranks());
            summarizer.add(simulation.events);
            QCOMPARE(summarizer.steps().size(), std::size_t{1});
            QVERIFY(summarizer.steps()[0].complete);
            QVERIFY2(std::abs(summarizer.steps()[0].bubble - simulation.bubble) < 1e-6,
                     qPrintable(QString("%1 %2").arg(summarizer.steps()[0].bubble).arg(simulation.bubble)));
        }
    }

    void slowTransfersCostTimeAndFastOnesQueue() {
        const Schedule lowered = lower(*generateSchedule("gpipe", {2, 1, 3}), {});
        // Forwards every second, transfers of two: the third activation leaves at 5 and arrives at 7.
        StepCosts costs = equalCosts(2, 1, 2);
        const Simulation simulation = simulate(lowered, costs, meshOf(2));
        std::vector<double> arrivals;
        for (const Event& event : simulation.events)
            if (event.kind == EventKind::SendForward) arrivals.push_back(static_cast<double>(event.end) * 1e-9);
        QCOMPARE(arrivals, (std::vector<double>{3, 5, 7}));
        costs.stretch = 10;
        QVERIFY(std::abs(simulate(lowered, costs, meshOf(2)).stepSeconds - 10 * simulation.stepSeconds) < 1e-9);
    }

    /// A core that all ranks share is never idle where messages take no time; a core each is as good as one's own.
    void sharedCoresAreSharedEqually() {
        RandomStream random(freshSeed(), "shared cores");
        for (const ScheduleMethod& method : scheduleMethods()) {
            ScheduleShape shape;
            shape.ranks = 4;
            shape.chunks = method.minChunks;
            shape.microbatches = 8;
            if (method.refusal != nullptr && method.refusal(shape)) continue;
            const Schedule lowered = lower(method.generate(shape), {});
            StepCosts costs = randomCosts(lowered.stages(), random);
            for (StageCosts& stage : costs.stages) stage.send = stage.reduce = stage.tied = stage.norm = 0;
            double work = 0;
            for (const auto& actions : lowered.ranks)
                for (const Action& action : actions) work += costs.seconds(action);
            // Steps that are not flushed are averaged, and those of some costs come round later than the average ends.
            const double off = method.flushes ? 1e-9 : 0.03;
            const double apart = simulatedSeconds(lowered, costs);
            costs.cores = 1;
            const double one = simulatedSeconds(lowered, costs);
            QVERIFY2(std::abs(one / work - 1) < off,
                     qPrintable(QString("%1 %2").arg(method.name.data()).arg(one / work - 1)));
            costs.cores = 2;
            const double two = simulatedSeconds(lowered, costs);
            QVERIFY(two >= work / 2 * (1 - off) && two >= apart * (1 - off) && two <= one * (1 + off));
            costs.cores = 4;
            QVERIFY(std::abs(simulatedSeconds(lowered, costs) / apart - 1) < 1e-9);
        }
    }

    void splitBackwardFillsTheBubble() {
        // The same work reordered: the last weight gradients run while others wait.
        const Schedule whole = *parseCsv("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
        const Schedule split = *parseCsv("0F0,0F1,0I0,0I1,0W0,0W1\n1F0,1I0,1F1,1I1,1W0,1W1\n");
        const StepCosts costs = equalCosts(2, 1);
        QVERIFY(simulatedSeconds(addTransfers(split), costs) < simulatedSeconds(addTransfers(whole), costs));
    }
};

QTEST_GUILESS_MAIN(SimulateTest)
#include "simulate_test.moc"
