// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/recorder.h"

#include "engine/base/clock.h"
#include "engine/trace/record/run_clock.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QTest>

#include <atomic>
#include <map>
#include <thread>

using namespace shardlab::test;

class RecorderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keepsEveryKind() {
        RandomEvents random(freshSeed());
        Recorder recorder(3, monotonicNanoseconds());
        std::vector<Event> given = random.plausible(1000, 3);
        for (const Event& event : given) recorder.record(event);
        std::vector<Event> got;
        QCOMPARE(recorder.drain([&](std::span<const Event> part) { got.insert(got.end(), part.begin(), part.end()); }),
                 0);
        QVERIFY(identical(given, got));
        got.clear();
        recorder.drain([&](std::span<const Event> part) { got.insert(got.end(), part.begin(), part.end()); });
        QVERIFY(got.empty());
    }

    void fillsInRankTimeAndLane() {
        Recorder recorder(5, monotonicNanoseconds());
        const std::int64_t before = recorder.now();
        recorder.counter(EventKind::Loss, 12, 2.5, 7);
        recorder.span(Lane::Comm, EventKind::SendForward, 12, 10, 20, 99, 4096, 1.5);
        std::vector<Event> got;
        recorder.drain([&](std::span<const Event> part) { got.assign(part.begin(), part.end()); });
        QCOMPARE(got.size(), std::size_t{2});
        QVERIFY(got[0].begin >= before && got[0].begin == got[0].end && got[0].begin <= recorder.now());
        QCOMPARE(got[0].rank, std::int16_t{5});
        QCOMPARE(got[0].value, 2.5);
        QCOMPARE(got[0].lane, Lane::Host);
        QVERIFY(identical(got[1], Event{10, 20, 4096, 1.5, 99, 12, 5, Lane::Comm, EventKind::SendForward}));
    }

    void countsWhatAFullRingDrops() {
        Recorder recorder(0, 0, 1000);  // rounded up to 1024
        for (int i = 0; i < 1500; ++i) recorder.span(Lane::Compute, EventKind::Forward, i, i, i + 1);
        std::vector<Event> got;
        const auto sink = [&](std::span<const Event> part) { got.insert(got.end(), part.begin(), part.end()); };
        QCOMPARE(recorder.drain(sink), 1500 - 1024);
        QCOMPARE(got.size(), std::size_t{1024});
        QCOMPARE(got.back().step, 1023);
        for (int i = 0; i < 10; ++i) recorder.span(Lane::Compute, EventKind::Forward, i, i, i + 1);
        got.clear();
        QCOMPARE(recorder.drain(sink), 0);
        QCOMPARE(got.size(), std::size_t{10});
    }

    /// Several threads record while one drains: nothing lost uncounted, nothing doubled, order kept in each thread.
    void threadsAndDrainAtOnce() {
        constexpr int threads = 4;
        constexpr int each = 100000;
        Recorder recorder(1, monotonicNanoseconds(), 4096);
        std::atomic<int> running{threads};
        std::vector<std::thread> producers;
        for (int t = 0; t < threads; ++t) {
            producers.emplace_back([&, t] {
                for (int i = 0; i < each; ++i) recorder.span(Lane::Compute, EventKind::Forward, i, t, t, 0);
                --running;
            });
        }
        std::map<std::int64_t, std::int32_t> last;
        std::int64_t seen = 0;
        std::int64_t dropped = 0;
        bool ordered = true;
        const auto sink = [&](std::span<const Event> part) {
            for (const Event& event : part) {
                const auto [place, first] = last.try_emplace(event.begin, -1);
                ordered = ordered && event.step > place->second;
                place->second = event.step;
                ++seen;
            }
        };
        while (running > 0) {
            dropped += recorder.drain(sink);
            std::this_thread::yield();
        }
        for (std::thread& producer : producers) producer.join();
        dropped += recorder.drain(sink);
        QVERIFY(ordered);
        QCOMPARE(last.size(), std::size_t{threads});
        QCOMPARE(seen + dropped, std::int64_t{threads} * each);
    }

    /// One thread, many recorders one after the other and two at once: each gets its own events.
    void recordersAreNotMixedUp() {
        for (int round = 0; round < 50; ++round) {
            Recorder a(1, 0, 64);
            Recorder b(2, 0, 64);
            for (int i = 0; i < 20; ++i) {
                a.counter(EventKind::Loss, i, 1);
                b.counter(EventKind::Loss, i, 2);
            }
            int count = 0;
            const auto sink = [&](double value, int rank) {
                return [&count, value, rank](std::span<const Event> part) {
                    for (const Event& event : part) count += event.value == value && event.rank == rank ? 1 : 1000;
                };
            };
            a.drain(sink(1, 1));
            b.drain(sink(2, 2));
            QCOMPARE(count, 40);
        }
    }

    /// The clock is CLOCK_MONOTONIC shifted, within what a busy machine may put between two readings, and ascends.
    void clockFollowsTheMachines() {
        const std::int64_t origin = monotonicNanoseconds() - 5'000'000'000;
        RunClock clock(origin);
        qInfo("the clock reads %s", clock.usesCounter() ? "the processor's counter" : "clock_gettime");
        std::int64_t last = clock.now();
        std::int64_t closest = std::numeric_limits<std::int64_t>::max();
        for (int i = 0; i < 40; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            clock.adjust();
            for (int k = 0; k < 1000; ++k) {
                const std::int64_t before = monotonicNanoseconds() - origin;
                const std::int64_t now = clock.now();
                const std::int64_t after = monotonicNanoseconds() - origin;
                QVERIFY(now >= last);
                last = now;
                closest = std::min(closest, std::max(before - now, now - after));
            }
        }
        QVERIFY2(closest < 20'000, std::to_string(closest).c_str());
    }

    void clockAscendsWhileItIsAdjusted() {
        RunClock clock(monotonicNanoseconds());
        std::atomic<bool> done{false};
        std::thread adjuster([&] {
            for (int i = 0; i < 20; ++i) {
                clock.adjust();
                std::this_thread::sleep_for(std::chrono::milliseconds(12));
            }
            done = true;
        });
        bool ascends = true;
        for (std::int64_t last = clock.now(); !done;) {
            const std::int64_t now = clock.now();
            ascends = ascends && now >= last;
            last = now;
        }
        adjuster.join();
        QVERIFY(ascends);
    }
};

QTEST_GUILESS_MAIN(RecorderTest)
#include "recorder_test.moc"
