// SPDX-License-Identifier: Apache-2.0
// The summarizer against a computation that knows all events at once and sweeps time.
#include "engine/trace/metrics/summary.h"

#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace shardlab::test;

namespace {

struct World {
    int ranks = 1;
    int steps = 0;
    std::vector<Event> events;  ///< rank by rank, lane by lane
};

/// Steps of every rank: random compute spans one after the other, waits between, forwards first.
World randomWorld(RandomEvents& random, int ranks, int steps) {
    World world{ranks, steps, {}};
    const std::vector<EventKind> back{EventKind::Backward, EventKind::InputGrad, EventKind::WeightGrad,
                                      EventKind::Recompute};
    for (int rank = 0; rank < ranks; ++rank) {
        std::int64_t time = 1000 + random.below(500);
        const auto add = [&](Lane lane, EventKind kind, int step, std::int64_t length, std::int64_t bytes = 0,
                             double value = 0) {
            world.events.push_back(
                {time, time + length, bytes, value, 0, step, static_cast<std::int16_t>(rank), lane, kind});
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
            if (rank == ranks - 1 && step % 3 == 0)
                add(Lane::Host, EventKind::ValidationLoss, step, 0, 0, 6.0 / (step + 1));
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
        if (event.kind == EventKind::Backward || event.kind == EventKind::InputGrad ||
            event.kind == EventKind::WeightGrad)
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
                return event.rank == rank && event.step == step && isCompute(event.kind) && event.begin <= middle &&
                       middle < event.end;
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
private Q_SLOTS:
    void equalsTheSweepInAnyOrderOfLanes() {
        RandomEvents random(freshSeed());
        for (int round = 0; round < 20; ++round) {
            const World world =
                randomWorld(random, static_cast<int>(1 + random.below(6)), static_cast<int>(1 + random.below(8)));
            // Lanes in turn, in pieces of random length: each lane ascends, nothing else is in order.
            std::map<std::pair<int, Lane>, std::vector<Event>> lanes;
            for (const Event& event : world.events) lanes[{event.rank, event.lane}].push_back(event);
            Summarizer summarizer(world.ranks);
            std::map<std::pair<int, Lane>, std::size_t> next;
            for (std::size_t given = 0; given < world.events.size();) {
                auto lane = lanes.begin();
                std::advance(lane, random.below(static_cast<std::int64_t>(lanes.size())));
                std::size_t& at = next[lane->first];
                const std::size_t count =
                    std::min(lane->second.size() - at, static_cast<std::size_t>(random.below(20)));
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
            for (const auto& validation : summarizer.validations())
                QCOMPARE(validation.loss, 6.0 / (validation.step + 1));
        }
    }

    /// A program that is watched may record some steps without the spans in them: those are in no bubble.
    void stepsWithoutDetailsHaveTimesAlone() {
        RandomEvents random(freshSeed());
        for (int round = 0; round < 20; ++round) {
            World world = randomWorld(random, static_cast<int>(1 + random.below(4)), 12);
            std::map<int, int> without;  // ranks, by step
            std::vector<Event> told;
            const auto spare = [&](const Event& event) { return event.step >= 0 && event.step % 3 != event.rank % 2; };
            for (Event event : world.events) {
                if (event.kind == EventKind::Step && spare(event)) {
                    event.value = 1;
                    ++without[event.step];
                }
                if (!spare(event) || event.lane == Lane::Host) told.push_back(event);
            }
            Summarizer summarizer(world.ranks);
            summarizer.add(told);
            std::vector<double> seconds, bubbles;
            for (const StepSummary& step : summarizer.steps()) {
                QVERIFY(step.complete);
                QCOMPARE(step.withoutDetails, std::int64_t{without[step.step]});
                QCOMPARE(step.computes(), without[step.step] == 0);
                if (step.step >= 2) seconds.push_back(step.seconds);
                if (step.step >= 2 && step.detailed()) bubbles.push_back(sweptBubble(world, step.step));
            }
            QCOMPARE(summarizer.medianStepSeconds(), median(seconds));
            QVERIFY(std::abs(summarizer.medianBubble() - median(bubbles)) < 1e-9);
            QVERIFY(summarizer.withoutDetails() >= 8);
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

    /// Steps 0 to 5, again from 3 to 7, again from 2 to 4 and from 4 to 9: told as it happens, or from a file, whose
    /// lanes come in any order after the restarts. What counts of a step is the last time it was done, as if there had
    /// been no other.
    void stepsDoneAgainCountOnce() {
        std::vector<Event> all, counting;
        std::int64_t now = 1000;
        const std::vector<std::pair<int, int>> runs{{0, 5}, {3, 7}, {2, 4}, {4, 9}};
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const auto [first, last] = runs[run];
            if (run > 0)
                all.push_back({now, now, 0, static_cast<double>(run), 0, first, -1, Lane::Host, EventKind::Restart});
            for (int step = first; step <= last; ++step) {
                bool counts = true;
                for (std::size_t later = run + 1; later < runs.size(); ++later)
                    counts = counts && step < runs[later].first;
                const auto add = [&](int rank, Lane lane, EventKind kind, std::int64_t length, double value = 0) {
                    all.push_back({now, now + length, 0, value, 0, step, static_cast<std::int16_t>(rank), lane, kind});
                    if (counts) counting.push_back(all.back());
                };
                for (int rank = 0; rank < 2; ++rank) {
                    add(rank, Lane::Compute, EventKind::Forward, 10 + static_cast<int>(run));
                    if (step < last || run + 1 == runs.size())
                        add(rank, Lane::Host, EventKind::Step, 40);  // died in it
                }
                add(1, Lane::Host, EventKind::Loss, 0, 100.0 * static_cast<double>(run) + step);
                add(1, Lane::Host, EventKind::ValidationLoss, 0, 7.0 * static_cast<double>(run) + step);
                now += 100;
            }
        }
        Summarizer wanted(2), live(2), read(2);
        wanted.add(counting);
        for (const Event& event : all) live.add(std::span(&event, 1));
        for (const Event& event : all)
            if (event.kind == EventKind::Restart) read.add(std::span(&event, 1));
        for (const Lane lane : {Lane::Host, Lane::Compute})
            for (const int rank : {1, 0, -1})
                for (const Event& event : all)
                    if (event.lane == lane && event.rank == rank) read.add(std::span(&event, 1));
        for (const Summarizer* each : {&live, &read}) {
            QCOMPARE(each->steps().size(), std::size_t{10});
            for (std::size_t i = 0; i < 10; ++i) {
                const StepSummary &step = each->steps()[i], &one = wanted.steps()[i];
                QCOMPARE(step.step, static_cast<int>(i));
                QCOMPARE(step.loss, one.loss);
                QCOMPARE(step.seconds, one.seconds);
                QCOMPARE(step.bubble, one.bubble);
                QVERIFY(step.complete);
                for (int rank : {0, 1}) QCOMPARE(step.ranks[std::size_t(rank)].busy, one.ranks[std::size_t(rank)].busy);
            }
            QCOMPARE(each->validations().size(), std::size_t{10});
            QCOMPARE(each->validations()[3].loss, 7.0 * 2 + 3);
        }
        Restarts restarts;
        for (const Event& event : all) restarts.add(event);
        for (const Event& event : all) {
            if (event.kind == EventKind::Restart) continue;
            const bool counts = std::ranges::find(counting, event) != counting.end();
            QCOMPARE(restarts.superseded(event), !counts);
            const Restarts::Window window = restarts.lastOf(event.step);
            QCOMPARE(event.begin >= window.begin && event.begin < window.end, counts);
        }
    }

    /// Ranks that do not exist, steps in any order, and restarts among them do no harm.
    void strangeEventsDoNoHarm() {
        RandomEvents random(freshSeed());
        Summarizer all(3), undisturbed(3);
        for (int i = 0; i < 200; ++i) {
            std::vector<Event> events = random.plausible(50, static_cast<int>(random.below(10)) - 4);
            for (Event& event : events) {
                event.step = static_cast<std::int32_t>(random.anyNumber());
                if (random.below(5) == 0) event.begin = random.anyNumber();
            }
            all.add(events);
            std::erase_if(events, isRestart);
            undisturbed.add(events);
        }
        QVERIFY(!undisturbed.steps().empty());  // a restart may take away every step there is
        for (const auto* steps : {&all.steps(), &undisturbed.steps()}) {
            QVERIFY(std::ranges::is_sorted(*steps, std::ranges::less{}, &StepSummary::step));
            QVERIFY(steps->empty() || steps->front().step >= 0);
        }
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
