// SPDX-License-Identifier: Apache-2.0
// The summarizer against a computation that knows all events at once and sweeps time.
#include "engine/trace/summary.h"

#include "tests/unit/random_events.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace shardlab;

namespace {

struct World {
    int ranks = 1;
    int steps = 0;
    std::vector<Event> events;  ///< rank by rank, lane by lane
};

/// Steps of every rank: random compute spans one after the other, waits between, forwards first.
World randomWorld(RandomEvents& random, int ranks, int steps) {
    World world{ranks, steps, {}};
    const std::vector<EventKind> back{EventKind::Backward, EventKind::InputGrad, EventKind::WeightGrad, EventKind::Recompute};
    for (int rank = 0; rank < ranks; ++rank) {
        std::int64_t time = 1000 + random.below(500);
        const auto add = [&](Lane lane, EventKind kind, int step, std::int64_t length, std::int64_t bytes = 0, double value = 0) {
            world.events.push_back({time, time + length, bytes, value, 0, step, static_cast<std::int16_t>(rank), lane, kind});
        };
        add(Lane::Host, EventKind::Setup, -1, 500);
        for (int step = 0; step < steps; ++step) {
            const std::int64_t begin = time;
            const auto busy = [&](EventKind kind) {
                const std::int64_t wait = random.below(3) == 0 ? random.below(900) : 0;
                if (wait > 0) add(Lane::Compute, EventKind::Wait, step, wait);
                time += wait;
                const std::int64_t length = 1 + random.below(1000);
                add(Lane::Compute, kind, step, length);
                time += length;
            };
            const std::int64_t microbatches = 1 + random.below(8);
            for (std::int64_t i = 0; i < microbatches; ++i) busy(EventKind::Forward);
            for (std::int64_t i = 0; i < microbatches; ++i) busy(back[static_cast<std::size_t>(random.below(4))]);
            busy(EventKind::Backward);
            add(Lane::Comm, EventKind::ReduceGradients, step, 50);
            add(Lane::Comm, EventKind::ReduceTied, step, 7);
            time += 57;
            add(Lane::Compute, EventKind::Optimizer, step, 30);
            time += 30;
            const std::int64_t length = time - begin;
            time = begin;
            add(Lane::Host, EventKind::Step, step, length);
            time = begin + length;
            add(Lane::Host, EventKind::MemoryPeak, step, 0, 1 + random.below(1 << 30));
            if (rank == ranks - 1) add(Lane::Host, EventKind::Loss, step, 0, 0, 5.0 / (step + 1));
            if (rank == ranks - 1 && step % 3 == 0) add(Lane::Host, EventKind::ValidationLoss, step, 0, 0, 6.0 / (step + 1));
            time += random.below(50);
        }
    }
    return world;
}

/// Idle share by definition: each instant between two event borders, on each rank, is busy or not.
double sweptBubble(const World& world, int step) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = 0;
    for (const Event& event : world.events) {
        if (event.step != step) continue;
        if (event.kind == EventKind::Forward) first = std::min(first, event.begin);
        if (event.kind == EventKind::Backward || event.kind == EventKind::InputGrad || event.kind == EventKind::WeightGrad)
            last = std::max(last, event.end);
    }
    double idleShares = 0;
    for (int rank = 0; rank < world.ranks; ++rank) {
        std::vector<std::int64_t> borders{first, last};
        for (const Event& event : world.events) {
            if (event.rank != rank || event.step != step || !isCompute(event.kind)) continue;
            for (std::int64_t border : {event.begin, event.end}) borders.push_back(std::clamp(border, first, last));
        }
        std::ranges::sort(borders);
        std::int64_t idle = 0;
        for (std::size_t i = 1; i < borders.size(); ++i) {
            const std::int64_t middle = (borders[i - 1] + borders[i]) / 2;
            const bool isBusy = std::ranges::any_of(world.events, [&](const Event& event) {
                return event.rank == rank && event.step == step && isCompute(event.kind) && event.begin <= middle && middle < event.end;
            });
            if (!isBusy) idle += borders[i] - borders[i - 1];
        }
        idleShares += static_cast<double>(idle) / static_cast<double>(last - first);
    }
    return idleShares / world.ranks;
}

}  // namespace

class SummaryTest : public QObject {
    Q_OBJECT
private slots:
    void equalsTheSweepInAnyOrderOfLanes() {
        RandomEvents random(freshSeed());
        for (int round = 0; round < 20; ++round) {
            const World world = randomWorld(random, static_cast<int>(1 + random.below(6)), static_cast<int>(1 + random.below(8)));
            // Lanes in turn, in pieces of random length: each lane ascends, nothing else is in order.
            std::map<std::pair<int, Lane>, std::vector<Event>> lanes;
            for (const Event& event : world.events) lanes[{event.rank, event.lane}].push_back(event);
            Summarizer summarizer(world.ranks);
            std::map<std::pair<int, Lane>, std::size_t> next;
            for (std::size_t given = 0; given < world.events.size();) {
                auto lane = lanes.begin();
                std::advance(lane, random.below(static_cast<std::int64_t>(lanes.size())));
                std::size_t& at = next[lane->first];
                const std::size_t count = std::min(lane->second.size() - at, static_cast<std::size_t>(random.below(20)));
                summarizer.add(std::span(lane->second).subspan(at, count));
                at += count;
                given += count;
            }
            QCOMPARE(summarizer.steps().size(), static_cast<std::size_t>(world.steps));
            std::vector<double> seconds;
            std::vector<double> bubbles;
            for (const StepSummary& step : summarizer.steps()) {
                compareStep(world, step);
                if (step.step >= 2) {
                    seconds.push_back(step.seconds);
                    bubbles.push_back(step.bubble);
                }
            }
            QCOMPARE(summarizer.medianStepSeconds(), median(seconds));
            QCOMPARE(summarizer.medianBubble(), median(bubbles));
            QCOMPARE(summarizer.validations().size(), static_cast<std::size_t>((world.steps + 2) / 3));
            for (const auto& validation : summarizer.validations()) QCOMPARE(validation.loss, 6.0 / (validation.step + 1));
        }
    }

    /// Two ranks, GPipe, two microbatches of equal cost: (p−1)/(m+p−1) = 1/3.
    void equalsTheory() {
        std::vector<Event> events;
        const auto add = [&](int rank, EventKind kind, std::int64_t begin, std::int64_t length) {
            events.push_back({begin, begin + length, 0, 0, 0, 0, static_cast<std::int16_t>(rank), Lane::Compute, kind});
        };
        for (int rank = 0; rank < 2; ++rank) {
            for (int m = 0; m < 2; ++m) {
                add(rank, EventKind::Forward, 100 + 10 * (rank + m), 10);
                add(rank, EventKind::Backward, 130 + 20 * (1 - rank + m), 20);
            }
        }
        Summarizer summarizer(2);
        summarizer.add(events);
        QVERIFY(std::abs(summarizer.steps().at(0).bubble - 1.0 / 3) < 1e-12);
        QVERIFY(!summarizer.steps()[0].complete);
        QCOMPARE(summarizer.steps()[0].seconds, 0.0);
        QVERIFY(std::isnan(summarizer.steps()[0].loss));
    }

    void aRunningStepIsNotComplete() {
        Summarizer summarizer(2);
        QCOMPARE(summarizer.medianStepSeconds(), 0.0);
        Event event;
        event.lane = Lane::Host;
        event.kind = EventKind::Step;
        event.step = 4;
        event.begin = 1'000'000'000;
        event.end = 3'000'000'000;
        summarizer.add(std::span(&event, 1));
        QVERIFY(!summarizer.steps().at(0).complete);
        event.rank = 1;
        event.begin = 2'000'000'000;
        event.end = 4'000'000'000;
        summarizer.add(std::span(&event, 1));
        QVERIFY(summarizer.steps().at(0).complete);
        QCOMPARE(summarizer.steps().at(0).seconds, 3.0);
    }

    /// Ranks that do not exist and steps in any order do no harm.
    void strangeEventsDoNoHarm() {
        RandomEvents random(freshSeed());
        Summarizer summarizer(3);
        for (int i = 0; i < 200; ++i) {
            std::vector<Event> events = random.plausible(50, static_cast<int>(random.below(10)) - 4);
            for (Event& event : events) {
                event.step = static_cast<std::int32_t>(random.anyNumber());
                if (random.below(5) == 0) event.begin = random.anyNumber();
            }
            summarizer.add(events);
        }
        const auto& steps = summarizer.steps();
        QVERIFY(!steps.empty());
        QVERIFY(std::ranges::is_sorted(steps, std::ranges::less{}, &StepSummary::step));
        QVERIFY(steps.front().step >= 0);
    }

private:
    static double median(std::vector<double> values) {
        if (values.empty()) return 0;
        std::ranges::sort(values);
        return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
    }

    static void compareStep(const World& world, const StepSummary& step) {
        const double swept = sweptBubble(world, step.step);
        QVERIFY2(std::abs(step.bubble - swept) < 1e-9, qPrintable(QString("%1 is not %2").arg(step.bubble).arg(swept)));
        QVERIFY(step.complete);
        QCOMPARE(step.loss, 5.0 / (step.step + 1));
        std::int64_t begin = std::numeric_limits<std::int64_t>::max();
        std::int64_t end = 0;
        for (int rank = 0; rank < world.ranks; ++rank) {
            std::int64_t waiting = 0, reduce = 0, optimizer = 0, busy = 0, peak = 0;
            for (const Event& event : world.events) {
                if (event.rank != rank || event.step != step.step) continue;
                const std::int64_t length = event.end - event.begin;
                if (event.kind == EventKind::Wait) waiting += length;
                if (event.kind == EventKind::ReduceGradients || event.kind == EventKind::ReduceTied) reduce += length;
                if (event.kind == EventKind::Optimizer) optimizer += length;
                if (isCompute(event.kind)) busy += length;
                if (event.kind == EventKind::MemoryPeak) peak = event.bytes;
                if (event.kind != EventKind::Step) continue;
                begin = std::min(begin, event.begin);
                end = std::max(end, event.end);
            }
            const RankStep& figures = step.ranks.at(static_cast<std::size_t>(rank));
            QCOMPARE(figures.waiting, waiting);
            QCOMPARE(figures.reduce, reduce);
            QCOMPARE(figures.optimizer, optimizer);
            QCOMPARE(figures.busy, busy);
            QCOMPARE(figures.peakBytes, peak);
        }
        QVERIFY(std::abs(step.seconds - static_cast<double>(end - begin) * 1e-9) < 1e-15);
    }
};

QTEST_GUILESS_MAIN(SummaryTest)
#include "summary_test.moc"
