// SPDX-License-Identifier: Apache-2.0
// Clocks of several hosts: the truth is always within the uncertainty, and a clock that is corrected never runs
// backwards.
#include "engine/base/clock.h"
#include "engine/trace/event/host_clock.h"
#include "engine/launch/hosts/clock_estimate.h"
#include "engine/trace/record/run_clock.h"
#include "engine/trace/record/wire.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QTest>

#include <random>
#include <thread>

using namespace shardlab::test;

class HostClockTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A made-up world: the other clock is days away and drifts, paths there and back differ, some pings are very late.
    void theTruthIsWithinTheUncertainty() {
        std::mt19937_64 random(freshSeed());
        for (int world = 0; world < 40; ++world) {
            const double drift = std::uniform_real_distribution(-80e-6, 80e-6)(random);
            const auto apart =
                std::uniform_int_distribution<std::int64_t>(-400'000'000'000'000, 400'000'000'000'000)(random);
            const auto other = [&](std::int64_t here) {
                return here + apart + std::llround(drift * static_cast<double>(here));
            };
            std::exponential_distribution<double> delay(1.0 / 200'000);
            ClockEstimate clock;
            std::int64_t now = 1'000'000'000;
            for (int i = 0; i < 900; ++i) {
                const auto there = 20'000 + std::llround(delay(random)), back = 20'000 + std::llround(delay(random));
                const auto busy = std::llround(delay(random));
                Ping ping{now, other(now + there), other(now + there + busy), now + there + busy + back};
                clock.add(ping);
                now = ping.back + (clock.ready() ? 100'000'000 : 1'000);
                if (!clock.ready()) continue;
                const ClockReading reading = clock.at(now);
                const std::int64_t truth = other(now) - now;
                QVERIFY2(std::abs(reading.offset - truth) <= reading.uncertainty,
                         qPrintable(QString("after %1 pings: off by %2 ns, said ± %3")
                                        .arg(i)
                                        .arg(reading.offset - truth)
                                        .arg(reading.uncertainty)));
            }
            const ClockReading reading = clock.at(now);
            QVERIFY2(reading.uncertainty < 400'000, qPrintable(QString("± %1 ns after 90 s").arg(reading.uncertainty)));
            QVERIFY2(std::abs(reading.drift - drift) < 20e-6,
                     qPrintable(QString("%1, said %2").arg(drift).arg(reading.drift)));
        }
    }

    void pingsThatCannotHaveHappenedDoNotCount() {
        ClockEstimate clock;
        clock.add({100, 5000, 5010, 50});
        clock.add({100, 5000, 4000, 150});
        clock.add({100, 5000, 9000, 150});
        QCOMPARE(clock.pings(), 0);
        clock.add({100, 5000, 5010, 150});
        QCOMPARE(clock.pings(), 1);
        QVERIFY(!clock.ready());
        for (int i = 1; i < ClockEstimate::leastPings; ++i) clock.add({i * 1000, 5000, 5010, i * 1000 + 500});
        QVERIFY(clock.ready());
    }

    void aCorrectedClockNeverRunsBackwards() {
        std::mt19937_64 random(freshSeed());
        const std::int64_t origin = monotonicNanoseconds();
        RunClock clock(origin);
        ClockLine line{origin, origin, 0};
        std::int64_t last = clock.now();
        for (int correction = 0; correction < 6; ++correction) {
            line.origin += std::uniform_int_distribution<std::int64_t>(-3'000'000, 3'000'000)(random);
            line.at = monotonicNanoseconds();
            line.drift = std::uniform_real_distribution(-1e-4, 1e-4)(random);
            clock.follow(line);
            for (const std::int64_t until = monotonicNanoseconds() + 120'000'000; monotonicNanoseconds() < until;) {
                if (monotonicNanoseconds() % 3 == 0) clock.adjust();
                const std::int64_t now = clock.now();
                QVERIFY2(now >= last, qPrintable(QString("%1 ns back").arg(last - now)));
                last = now;
            }
        }
        // It comes to what was said: the error halves with each half second, so within a generous time.
        const auto error = [&] {
            clock.adjust();
            return std::abs(clock.now() - line.runTime(monotonicNanoseconds()));
        };
        QTRY_VERIFY_WITH_TIMEOUT(error() < 200'000, 30000);
    }

    /// The thread that adjusts may be kept waiting on a busy machine for much longer than an error takes to be worked
    /// off.
    void aClockThatIsSeldomAdjustedDoesNotOvershoot() {
        for (const std::int64_t error : {-20'000'000, 20'000'000}) {
            ClockLine line{monotonicNanoseconds() - 1'000'000'000, 0, 0};
            RunClock clock(line.origin);
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            line.origin -= error;
            clock.follow(line);
            clock.adjust();
            std::this_thread::sleep_for(std::chrono::milliseconds(1500));
            const std::int64_t before = monotonicNanoseconds(), shown = clock.now(), after = monotonicNanoseconds();
            QVERIFY2(shown > line.runTime(before) - 2'000'000 && shown < line.runTime(after) + 2'000'000,
                     qPrintable(QString("%1 ns off").arg(shown - line.runTime(after))));
        }
    }

    void aLineComesOverTheWire() {
        const ClockLine line{-5'000'000'000'000, 7, 3e-5};
        const auto read = decode<ClockLine>(encode(line));
        QVERIFY(read && *read == line);
        QVERIFY(!decode<ClockLine>(encode(ClockLine{0, 0, 1.0})));
        QVERIFY(!decode<ClockLine>(encode(ClockLine{0, 0, std::nan("")})));
        QVERIFY(!decode<ClockLine>(Bytes(23)));
    }

    void aRunKeepsTheFirstTheLastAndSomeBetween() {
        HostClocks clocks;
        constexpr int count = 5000;
        for (int i = 0; i < count; ++i)
            for (const char* host : {"b", "c"}) clocks.add({host, i, 1000 + i, 10, 0});
        const std::vector<HostClock> kept = clocks.all();
        QVERIFY(kept.size() <= 2 * HostClocks::most && kept.size() >= HostClocks::most / 2);
        for (const char* host : {"b", "c"}) {
            std::vector<std::int64_t> times;
            for (const HostClock& clock : kept)
                if (clock.host == host) times.push_back(clock.time);
            QCOMPARE(times.front(), 0);
            QCOMPARE(times.back(), count - 1);
            QVERIFY(std::ranges::is_sorted(times) && std::ranges::adjacent_find(times) == times.end());
        }
        std::vector<HostClock> read;
        QVERIFY(readClocks(writeClocks(kept), read).has_value());
        QVERIFY(read == kept);
        QCOMPARE(QString::fromStdString(toText(HostClock{"b", 0, -1'200'000, 15'000, 0})),
                 QString::fromUtf8("−1.20 ms ± 15.0 µs"));
    }
};

QTEST_GUILESS_MAIN(HostClockTest)
#include "host_clock_test.moc"
