// SPDX-License-Identifier: Apache-2.0
// The two clocks of a step: a paced clock gives work the time of a modelled device, a real clock waits for nobody.
#include "engine/base/clock.h"
#include "engine/train/comm/loopback/loopback.h"
#include "engine/train/run/paced_clock.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <array>
#include <chrono>
#include <random>
#include <thread>

using namespace shardlab::test;

namespace {

constexpr std::int64_t millisecond = 1'000'000;

StepCosts costsOf(double forward, double send) {
    StepCosts costs;
    costs.stages.resize(3);
    for (StageCosts& stage : costs.stages) {
        stage.forward = forward;
        stage.inputGrad = 2 * forward;
        stage.backward = 3 * forward;
        stage.send = send;
    }
    return costs;
}

Action forward(int microbatch) { return {ActionKind::Forward, 1, microbatch}; }

/// A rank whose clock is tried, and what it recorded.
struct Bench {
    explicit Bench(StepCosts stepCosts) : costs(std::move(stepCosts)) {}

    std::vector<Event> take(EventKind kind) {
        std::vector<Event> found;
        recorder.drain([&](std::span<const Event> events) {
            std::ranges::copy_if(events, std::back_inserter(found), [&](const Event& e) { return e.kind == kind; });
        });
        return found;
    }
    /// Nanoseconds by which the clock has been moved on since the last call.
    std::int64_t overruns() {
        std::int64_t sum = 0;
        for (const Event& event : take(EventKind::PaceOverrun)) sum += toNanoseconds(event.value);
        return sum;
    }
    void slowDown(double factor) {
        const InjectedFault slow{.kind = InjectedFaultKind::Slow, .factor = factor};
        faults.emplace(std::vector{slow}, recorder, [] {});
        faults->beginStep(0);
    }

    const StepCosts costs;
    const std::unique_ptr<Device> device = makeCpuDevice();
    Arena arena{*device};
    LoopbackWorld world{1};
    std::unique_ptr<Communicator> alone = world.communicator(0);
    Recorder recorder{0, monotonicNanoseconds()};
    RankTrace trace{recorder, nullptr, arena};
    std::optional<FaultInjector> faults;
};

/// A paced clock that begins its step now.
struct PacedBench : Bench {
    explicit PacedBench(StepCosts stepCosts) : Bench(std::move(stepCosts)) { clock.startStep(*alone); }

    PacedClock clock{trace, *device, costs, nullptr, false};
};

}  // namespace

class StepClockTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Work beside compute queues on its link, that of different links does not; links stay busy from step to step.
    void workQueuesOnALink() {
        PacedBench bench(costsOf(0, 0.005));
        StepClock& clock = bench.clock;
        const std::int64_t start = clock.now();
        std::int64_t up = 0, down = 0;
        const std::int64_t duration = clock.duration({ActionKind::SendForward, 1, 0});
        const TimeSpan first = *clock.reserve(up, start, duration), second = *clock.reserve(up, start, duration);
        const TimeSpan other = *clock.reserve(down, start, duration);
        QCOMPARE(first.begin, start);
        QCOMPARE(first.end, start + 5 * millisecond);
        QCOMPARE(second.begin, first.end);
        QCOMPARE(second.end, start + 10 * millisecond);
        QCOMPARE(other.begin, start);
        QCOMPARE(clock.now(), start);  // the compute lane is free
        clock.waitUntil(start + 1 * millisecond);
        QCOMPARE(clock.reserve(up, clock.now(), duration)->begin, second.end);
        QCOMPARE(clock.reserve(down, start + 20 * millisecond, duration)->begin, start + 20 * millisecond);
    }

    void aSlowDeviceComputesLongerAndSendsAsQuickly() {
        Bench bench(costsOf(0.004, 0.005));
        bench.slowDown(2.5);
        PacedClock clock(bench.trace, *bench.device, bench.costs, &*bench.faults, false);
        QCOMPARE(clock.duration(forward(0)), 10 * millisecond);
        QCOMPARE(clock.duration({ActionKind::SendForward, 1, 0}), 5 * millisecond);
        clock.startStep(*bench.alone);
        const std::int64_t start = clock.now();
        clock.finishPart(forward(0), 0.002);
        QCOMPARE(clock.now(), start + 5 * millisecond + bench.overruns());
    }

    void actionsWaitForTheirMessage() {
        PacedBench bench(costsOf(0.003, 0));
        StepClock& clock = bench.clock;
        const std::int64_t start = clock.now();
        clock.waitUntil(start + 20 * millisecond);
        QVERIFY(bench.trace.now() >= start + 20 * millisecond);
        QCOMPARE(clock.now(), start + 20 * millisecond);
        clock.waitUntil(start + 5 * millisecond);  // it came long ago
        QCOMPARE(clock.now(), start + 20 * millisecond);
        clock.finish(forward(0));
        QVERIFY(bench.trace.now() >= clock.now());
        QCOMPARE(clock.now(), start + 23 * millisecond + bench.overruns());
    }

    /// The clock moves by the modelled time, however long real work and oversleeping took, except for overruns.
    void jitterDoesNotAddUp() {
        const unsigned seed = freshSeed();
        std::mt19937 random(seed);
        PacedBench bench(costsOf(0.004, 0));
        const std::int64_t start = bench.clock.now();
        std::int64_t overruns = 0;
        for (int i = 0; i < 50; ++i) {
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 3500));
            bench.clock.finish(forward(i));
            overruns += bench.overruns();
            QVERIFY2(bench.clock.now() == start + (i + 1) * 4 * millisecond + overruns,
                     qPrintable(QString::number(seed)));
        }
    }

    void overrunMovesTheClockOn() {
        PacedBench bench(costsOf(0.002, 0));
        StepClock& clock = bench.clock;
        const std::int64_t start = clock.now();
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        const std::int64_t before = bench.trace.now();
        clock.finish(forward(0));
        QVERIFY(clock.now() >= before && clock.now() <= bench.trace.now());
        QCOMPARE(clock.now(), start + 2 * millisecond + bench.overruns());
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        const std::int64_t later = bench.trace.now();
        clock.catchUp();
        QVERIFY(clock.now() >= later);
    }

    /// Members that carry out an action together end it at the latest begin plus the longest duration.
    void membersMeet() {
        PacedBench bench(costsOf(0.003, 0));
        const std::int64_t start = bench.clock.now();
        QCOMPARE(bench.clock.meet(*bench.alone, forward(0)), start + 3 * millisecond);
        QCOMPARE(bench.clock.now(), start);
        bench.clock.finishAt(forward(0), start + 8 * millisecond);
        QCOMPARE(bench.clock.now(), start + 8 * millisecond + bench.overruns());
    }

    /// A forward that is computed again is recorded when the modelled device would have done it: within its layers
    /// where they are paced one by one, else where the model has it in the whole action.
    void recomputeIsRecordedAtItsModelledTime_data() {
        QTest::addColumn<bool>("layerByLayer");
        QTest::newRow("layer by layer") << true;
        QTest::newRow("as one action") << false;
    }
    void recomputeIsRecordedAtItsModelledTime() {
        QFETCH(bool, layerByLayer);
        StepCosts costs = costsOf(0.004, 0);
        costs.stages[1].recompute = 0.002;
        costs.stages[1].recomputed = {{0, 1, true, 1}};
        PacedBench bench(std::move(costs));
        StepClock& clock = bench.clock;
        const Action backward{ActionKind::Backward, 1, 0};
        bench.trace.doing(RankPhase::Compute, backward);
        const std::int64_t start = clock.now();
        const LayerObservers observers = clock.layerObservers();
        QVERIFY(!observers.tensor && !observers.context && !observers.experts);
        Buffer activations;
        observers.recompute([&] {
            activations = bench.arena.allocate(MemoryCategory::Activations, 1000);
            if (layerByLayer) clock.finishPart(backward, 0.005);
        });
        const std::int64_t end = layerByLayer ? clock.now() : start + 2 * millisecond;
        if (layerByLayer) clock.finishPart(backward, 0.007);
        else clock.finish(backward);
        const std::int64_t overrun = layerByLayer ? 0 : clock.now() - start - 12 * millisecond;
        clock.recordParts(backward, start);
        std::vector<Event> events;
        bench.recorder.drain([&](std::span<const Event> more) { events.assign(more.begin(), more.end()); });
        const auto again = std::ranges::find(events, EventKind::Recompute, &Event::kind);
        QVERIFY(again != events.end());
        QCOMPARE(std::ranges::count(events, EventKind::Recompute, &Event::kind), 1);
        QCOMPARE(again->begin, start);
        QVERIFY(std::abs(again->end - end) <= overrun);
        const auto memory = std::ranges::find(events, memoryKind(MemoryCategory::Activations), &Event::kind);
        QVERIFY(memory != events.end());
        QCOMPARE(memory->begin, again->end);
    }

    /// A real clock shows the time that it is, models nothing, and holds nobody up.
    void aRealClockWaitsForNobody() {
        Bench bench(costsOf(100, 100));
        RealClock clock(bench.trace, *bench.device);
        const std::int64_t begin = bench.trace.now();
        std::int64_t link = 0;
        QVERIFY(!clock.reserve(link, begin, clock.duration(forward(0))));
        QCOMPARE(link, 0);
        clock.startStep(*bench.alone);
        clock.waitUntil(begin + 100'000 * millisecond);
        clock.finishAt(forward(0), clock.meet(*bench.alone, forward(0)));
        clock.finish(forward(0));
        clock.slowDown(begin);
        QVERIFY(clock.now() >= begin && clock.now() < begin + 100'000 * millisecond);
        const LayerObservers observers = clock.layerObservers();
        QVERIFY(observers.tensor && observers.context && observers.experts && observers.recompute);
        QCOMPARE(bench.overruns(), 0);
    }

    /// Nobody models what a slowed rank takes longer at full speed: it sleeps.
    void aSlowRealClockSleeps() {
        Bench bench(costsOf(0, 0));
        bench.slowDown(3);
        RealClock clock(bench.trace, *bench.device, &*bench.faults);
        const std::int64_t began = clock.now();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        clock.slowDown(began);
        QVERIFY(clock.now() - began >= 15 * millisecond);
        PacedClock paced(bench.trace, *bench.device, bench.costs, &*bench.faults, false);
        const std::int64_t again = paced.unmodelled().now();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        paced.unmodelled().slowDown(again);
        QVERIFY(paced.unmodelled().now() - again >= 15 * millisecond);
    }
};

QTEST_GUILESS_MAIN(StepClockTest)
#include "step_clock_test.moc"
