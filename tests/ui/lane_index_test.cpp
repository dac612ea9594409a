// SPDX-License-Identifier: GPL-3.0-or-later
// The level of detail against looking at every event.
#include "tests/support/seed.h"
#include "ui/timeline/lane_shape.h"

#include "tests/ui/random_lane.h"
#include "tests/support/wings.h"

#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// Nanoseconds of each paint in [begin, end), by looking at every event.
Coverage scan(const std::vector<Event>& events, std::int64_t begin, std::int64_t end) {
    Coverage covered;
    for (const Event& event : events) {
        const std::int64_t overlap = std::min(event.end, end) - std::max(event.begin, begin);
        if (overlap > 0 && paintOf(event.kind) != Paint::None) covered[paintOf(event.kind)] += overlap;
    }
    return covered;
}

}  // namespace

class LaneIndexTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void coverageEqualsScan_data() { kinds(); }
    void coverageEqualsScan();
    void incrementalEqualsWhole_data() { kinds(); }
    void incrementalEqualsWhole();
    void firstEndingAndBeginning_data() { kinds(); }
    void firstEndingAndBeginning();
    void columnsEqualScan_data() { kinds(); }
    void columnsEqualScan();
    void barsEqualScan_data() { kinds(); }
    void barsEqualScan();
    void hitEqualsScan();
    void emptyLane();

private:
    static void kinds() {
        QTest::addColumn<bool>("overlapping");
        QTest::newRow("one after the other") << false;
        QTest::newRow("overlapping") << true;
    }
};

void LaneIndexTest::coverageEqualsScan() {
    QFETCH(bool, overlapping);
    const std::uint64_t seed = freshSeed();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 60; ++round) {
        const auto events = sample::randomLane(random, std::uniform_int_distribution<int>(1, 300)(random), overlapping);
        LaneIndex index;
        index.update(events);
        std::uniform_int_distribution<std::int64_t> time(-500, events.back().end + 500);
        for (int query = 0; query < 50; ++query) {
            std::int64_t begin = time(random), end = time(random);
            if (end < begin) std::swap(begin, end);
            QVERIFY2(index.between(events, begin, end) == scan(events, begin, end),
                     qPrintable(QStringLiteral("seed %1 round %2 [%3, %4)").arg(seed).arg(round).arg(begin).arg(end)));
        }
    }
}

void LaneIndexTest::incrementalEqualsWhole() {
    QFETCH(bool, overlapping);
    const std::uint64_t seed = freshSeed();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 40; ++round) {
        const auto events = sample::randomLane(random, 400, overlapping);
        // Arrives nearly in order: recorded at the end, sorted by begin.
        std::vector<Event> arrival = events;
        std::stable_sort(arrival.begin(), arrival.end(), [](const Event& a, const Event& b) { return a.end < b.end; });
        std::vector<Event> known;
        LaneIndex index;
        std::uniform_int_distribution<std::size_t> portion(1, 60);
        for (std::size_t at = 0; at < arrival.size();) {
            const std::size_t count = std::min(portion(random), arrival.size() - at);
            for (std::size_t i = 0; i < count; ++i, ++at) {
                const Event& event = arrival[at];
                known.insert(std::upper_bound(known.begin(), known.end(), event,
                                              [](const Event& a, const Event& b) { return a.begin < b.begin; }),
                             event);
            }
            index.update(known);
            QCOMPARE(index.size(), known.size());
            LaneIndex whole;
            whole.update(known);
            for (int query = 0; query < 20; ++query) {
                const std::int64_t time =
                    std::uniform_int_distribution<std::int64_t>(0, events.back().end + 10)(random);
                QVERIFY2(index.before(known, time) == whole.before(known, time),
                         qPrintable(QStringLiteral("seed %1").arg(seed)));
                QCOMPARE(index.firstEndingAfter(known, time), whole.firstEndingAfter(known, time));
            }
        }
    }
}

void LaneIndexTest::firstEndingAndBeginning() {
    QFETCH(bool, overlapping);
    const std::uint64_t seed = freshSeed();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 60; ++round) {
        const auto events = sample::randomLane(random, 200, overlapping);
        LaneIndex index;
        index.update(events);
        for (int query = 0; query < 50; ++query) {
            const std::int64_t time = std::uniform_int_distribution<std::int64_t>(-10, events.back().end + 10)(random);
            std::size_t ending = 0;
            while (ending < events.size() && events[ending].end <= time) ++ending;
            std::size_t beginning = 0;
            while (beginning < events.size() && events[beginning].begin < time) ++beginning;
            QVERIFY2(index.firstEndingAfter(events, time) == ending, qPrintable(QStringLiteral("seed %1").arg(seed)));
            QCOMPARE(index.firstBeginningAt(events, time), beginning);
        }
    }
}

void LaneIndexTest::columnsEqualScan() {
    QFETCH(bool, overlapping);
    const std::uint64_t seed = freshSeed();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 30; ++round) {
        const auto events = sample::randomLane(random, 2000, overlapping);
        LaneIndex index;
        index.update(events);
        const std::int64_t last = events.back().end;
        std::int64_t begin = std::uniform_int_distribution<std::int64_t>(-last / 4, last)(random);
        std::int64_t end = std::uniform_int_distribution<std::int64_t>(begin + 200, begin + 2 * last)(random);
        const std::int64_t offset = std::uniform_int_distribution<std::int64_t>(-1000, 1000)(random);
        const TimeScale scale{begin, end, 17, std::uniform_int_distribution<int>(1, 400)(random)};
        std::map<int, Column> drawn;
        for (const Column& column : laneColumns(events, index, scale, offset, 0, 10000)) drawn[column.x] = column;
        for (int x = 0; x < scale.width; ++x) {
            const std::int64_t from = scale.columnBegin(x) - offset;
            const std::int64_t to = scale.columnBegin(x + 1) - offset;
            const Coverage covered = scan(events, from, to);
            const auto column = drawn.find(scale.left + x);
            if (covered.sum() == 0) {
                QVERIFY(column == drawn.end());
                continue;
            }
            QVERIFY2(column != drawn.end(), qPrintable(QStringLiteral("seed %1 column %2").arg(seed).arg(x)));
            const auto whole = static_cast<float>(std::max(covered.sum(), to - from));
            for (std::size_t paint = 0; paint < paintCount; ++paint)
                QCOMPARE(column->second.share[paint], static_cast<float>(covered.of[paint]) / whole);
        }
    }
}

void LaneIndexTest::barsEqualScan() {
    QFETCH(bool, overlapping);
    const std::uint64_t seed = freshSeed();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 60; ++round) {
        const auto events = sample::randomLane(random, 60, overlapping);
        LaneIndex index;
        index.update(events);
        const std::int64_t last = events.back().end;
        const std::int64_t begin = std::uniform_int_distribution<std::int64_t>(-last / 4, last)(random);
        const TimeScale scale{begin, std::uniform_int_distribution<std::int64_t>(begin + 200, begin + 2 * last)(random),
                              5, 600};
        const LaneShape shape = laneShape(events, index, scale, 0, 0, 10000);
        QVERIFY(shape.columns.empty());
        std::set<ActionId> drawn;
        for (const Bar& bar : shape.bars) {
            QVERIFY(bar.left >= scale.left && bar.right <= scale.left + scale.width && bar.right > bar.left);
            const Event& event = bar.event;
            QVERIFY(std::abs(bar.left - std::max<double>(scale.left, scale.x(event.begin))) <= 1.0);
            QVERIFY(std::abs(bar.right - std::min<double>(scale.left + scale.width, scale.x(event.end))) <= 1.0 + 1e-6);
            drawn.insert(event.action);
        }
        for (std::size_t i = 0; i < events.size(); ++i) {
            const bool inside = events[i].end > scale.begin &&
                                events[i].begin < scale.end - static_cast<std::int64_t>(scale.perPixel());
            if (inside)
                QVERIFY2(drawn.contains(events[i].action),
                         qPrintable(QStringLiteral("seed %1 event %2").arg(seed).arg(i)));
            if (events[i].end < scale.begin || events[i].begin >= scale.end) QVERIFY(!drawn.contains(events[i].action));
        }
    }
}

void LaneIndexTest::hitEqualsScan() {
    const std::uint64_t seed = freshSeed();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 60; ++round) {
        const auto events = sample::randomLane(random, 40, false);
        LaneIndex index;
        index.update(events);
        const TimeScale scale{0, events.back().end, 0, 1000};
        for (int x = 0; x < scale.width; x += 7) {
            const std::int64_t time = scale.time(x);
            std::optional<Event> expected;
            for (const Event& event : events)
                if (event.begin <= time && time < event.end) expected = event;
            QVERIFY2(eventAt(events, index, scale, 0, x, 0) == expected,
                     qPrintable(QStringLiteral("seed %1 x %2").arg(seed).arg(x)));
        }
    }
}

void LaneIndexTest::emptyLane() {
    const std::vector<Event> none;
    LaneIndex index;
    index.update(none);
    QVERIFY(index.before(none, 100) == Coverage{});
    QCOMPARE(index.firstEndingAfter(none, 0), std::size_t{0});
    const LaneShape shape = laneShape(none, index, {0, 100, 0, 10}, 0, 0, 10);
    QVERIFY(shape.bars.empty() && shape.columns.empty());
}

QTEST_GUILESS_MAIN(LaneIndexTest)
#include "lane_index_test.moc"
