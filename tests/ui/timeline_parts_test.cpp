// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a timeline that need no window: rows, ticks, navigation, rank filter.
#include "engine/trace/event/legal_time.h"
#include "tests/support/seed.h"
#include "tests/ui/sample_run.h"
#include "tests/support/wings.h"
#include "ui/core/run_model.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/navigation.h"
#include "ui/timeline/rank_filter.h"
#include "ui/timeline/rows.h"
#include "ui/timeline/run_index.h"
#include "ui/timeline/time_ticks.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace shardlab;
using namespace shardlab::test;

class TimelinePartsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rowsFillOrScroll();
    void rowPartsStayInside_data();
    void rowPartsStayInside();
    void ticksAreRoundAndInside();
    void ticksFillTheRoomTheyHave();
    void ticksHaveTheirUnit();
    void ticksEndWhateverTheRange();
    void zoomKeepsTheFixedMoment();
    void nothingLeavesSight();
    void whatIsInSightStaysCountable();
    void filterOfRanks();
    void equallyLongBarsAllHaveNumbersOrNone();
};

/// Some of several equally long forwards had numbers and others none, as their bars differ by a pixel.
void TimelinePartsTest::equallyLongBarsAllHaveNumbersOrNone() {
    Layout layout = sample::layout(1, 4, 8);
    layout.schedule.kind = "gpipe";
    const Plan plan = sample::plan(layout);
    RunModel model;
    model.begin(headerOf(plan), plan.simulation.events);
    RunIndex index(model);
    index.rebuild();
    Rows rows;
    rows.arrange({1}, 0, 60, false);
    std::map<std::size_t, std::set<std::ptrdiff_t>> counts;  // by colour
    for (int width = 100; width <= 900; ++width) {
        GanttScene scene;
        buildScene(scene, model, index, {0, model.prediction().end(), 10, width}, rows);
        for (const Paint paint : {Paint::Forward, Paint::Backward}) {
            const std::size_t colour = GanttScene::colour(paint, false);
            counts[colour].insert(std::ranges::count(scene.numbers, colour, &GanttScene::Number::colour));
        }
    }
    for (const auto& [colour, found] : counts) QCOMPARE(found, (std::set<std::ptrdiff_t>{0, 8}));
}

void TimelinePartsTest::rowsFillOrScroll() {
    std::vector<int> ranks(64);
    std::iota(ranks.begin(), ranks.end(), 0);
    Rows rows;
    rows.arrange({0, 1, 2, 3}, 30, 400, true);
    QCOMPARE(rows.largestScroll(), 0);
    QCOMPARE(rows.visible().size(), std::size_t{4});
    // On a large screen half of the view once stayed empty.
    rows.arrange({0, 1, 2, 3}, 30, 620, true);
    QVERIFY(rows.contentHeight() > 600);
    rows.arrange(ranks, 30, 400, true);
    QCOMPARE(rows.rowHeight(), Rows::leastHeight);
    QCOMPARE(rows.largestScroll(), 64 * Rows::leastHeight - 400);
    rows.setScroll(100000);
    QCOMPARE(rows.scroll(), rows.largestScroll());
    QCOMPARE(rows.visible().back().rank, 63);
    QCOMPARE(rows.positionAt(30 + 399), 63);
    QCOMPARE(rows.positionAt(29), -1);
    rows.reveal(0);
    QCOMPARE(rows.scroll(), 0);
    rows.reveal(63);
    QCOMPARE(rows.scroll(), rows.largestScroll());
    for (const Row& row : rows.visible()) QCOMPARE(rows.positionOf(row.rank), row.rank);
    // Larger letters want higher rows.
    rows.setLetters(2);
    rows.arrange(ranks, 30, 400, true);
    QCOMPARE(rows.rowHeight(), 2 * Rows::leastHeight);
    rows.arrange({0, 1, 2, 3}, 30, 4000, true);
    QCOMPARE(rows.rowHeight(), 2 * Rows::largestHeight);
    // One bar or two were once as thick as the view was high.
    rows.setLetters(1);
    for (const int count : {1, 2}) {
        rows.arrange(std::vector<int>(ranks.begin(), ranks.begin() + count), 30, 620, true);
        QVERIFY(rows.contentHeight() < 220 && rows.rowHeight() > 60);
    }
}

void TimelinePartsTest::rowPartsStayInside_data() {
    QTest::addColumn<int>("height");
    for (const int height : {40, 120, 400, 900}) QTest::addRow("%d", height) << height;
}

void TimelinePartsTest::rowPartsStayInside() {
    QFETCH(int, height);
    for (const bool band : {false, true}) {
        Rows rows;
        rows.arrange({0, 1, 2, 3, 4, 5, 6, 7}, 10, height, band);
        for (const Row& row : rows.visible()) {
            QVERIFY(row.bandTop >= row.top);
            QVERIFY(row.barTop >= row.bandTop + row.bandHeight);
            QVERIFY(row.barHeight >= 8);
            QVERIFY(row.barTop + row.barHeight <= row.top + row.height);
            QVERIFY(row.tickHeight < row.barHeight);
            QCOMPARE(row.bandHeight > 0, band);
        }
    }
}

void TimelinePartsTest::ticksAreRoundAndInside() {
    const std::uint64_t seed = freshSeed();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 2000; ++round) {
        const auto length =
            static_cast<std::int64_t>(std::pow(10.0, std::uniform_real_distribution<double>(2.3, 15)(random)));
        const std::int64_t begin = std::uniform_int_distribution<std::int64_t>(-length, 100 * length)(random);
        const int most = std::uniform_int_distribution<int>(1, 20)(random);
        const auto ticks = timeTicks(begin, begin + length, most);
        const QByteArray where = QByteArray("seed ") + QByteArray::number(qulonglong(seed)) + " length " +
                                 QByteArray::number(qlonglong(length));
        QVERIFY2(static_cast<int>(ticks.size()) <= most + 1, where);
        std::set<QString> labels;
        for (const TimeTick& tick : ticks) {
            QVERIFY2(tick.time >= begin && tick.time <= begin + length, where);
            QVERIFY2(tick.label.contains(QLatin1Char(' ')), where);
            QVERIFY2(labels.insert(tick.label).second,
                     (where + " label " + tick.label.toUtf8() + " twice").constData());
        }
        if (most >= 5) QVERIFY2(ticks.size() >= 1, where);
        // On a slower clock the same labels stand at as much later moments.
        const std::int64_t slower = length < 1'000'000'000'000 && begin < 1'000'000'000'000 ? 700 : 1;
        const auto slowed =
            timeTicks(slower * begin, slower * (begin + length), most, DeviceTime(static_cast<double>(slower)));
        QCOMPARE(slowed.size(), ticks.size());
        for (std::size_t i = 0; i < ticks.size(); ++i) {
            QCOMPARE(slowed[i].label, ticks[i].label);
            QVERIFY2(std::abs(static_cast<double>(slowed[i].time - slower * ticks[i].time)) <=
                         1e-9 * static_cast<double>(slower * (std::abs(begin) + length)),
                     where);
        }
    }
}

void TimelinePartsTest::ticksFillTheRoomTheyHave() {
    const std::uint64_t seed = freshSeed();
    std::mt19937_64 random(seed);
    const auto width = [](const QString& label) { return 6 * static_cast<int>(label.size()); };
    for (int round = 0; round < 2000; ++round) {
        const int pixels = std::uniform_int_distribution<int>(480, 2200)(random);
        const auto length =
            static_cast<std::int64_t>(std::pow(10.0, std::uniform_real_distribution<double>(4, 10.9)(random)));
        const std::int64_t begin = std::uniform_int_distribution<std::int64_t>(0, length)(random);
        const auto ticks = timeTicksWithin(begin, begin + length, pixels, width);
        const QByteArray where = QByteArray("seed ") + QByteArray::number(qulonglong(seed)) + " length " +
                                 QByteArray::number(qlonglong(length));
        QVERIFY2(ticks.size() >= 3, where);
        for (std::size_t i = 1; i < ticks.size(); ++i) {
            const double apart =
                static_cast<double>(ticks[i].time - ticks[i - 1].time) / static_cast<double>(length) * pixels;
            QVERIFY2(apart > width(ticks[i - 1].label), where);
        }
    }
    QVERIFY(timeTicksWithin(0, 96'000'000, 570, width).size() >= 5);  // one predicted step in a narrow panel
}

/// A run that ends at the last moment that 64 bits hold had ticks without end.
void TimelinePartsTest::ticksEndWhateverTheRange() {
    constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min(),
                           last = std::numeric_limits<std::int64_t>::max();
    const auto width = [](const QString& label) { return 6 * static_cast<int>(label.size()); };
    for (const auto& [begin, end] : {std::pair(std::int64_t{0}, last),
                                     {first, last},
                                     {first, first + 1000},
                                     {last - 1000, last},
                                     {first, std::int64_t{0}},
                                     {std::int64_t{-1}, last}}) {
        for (int most = 1; most < 40; ++most) {
            const auto ticks = timeTicks(begin, end, most);
            QVERIFY(static_cast<int>(ticks.size()) <= most + 2);
            for (std::size_t i = 0; i < ticks.size(); ++i) {
                QVERIFY(ticks[i].time >= begin && ticks[i].time <= end);
                QVERIFY(i == 0 || ticks[i].time > ticks[i - 1].time);
            }
        }
        QVERIFY(timeTicksWithin(begin, end, 2000, width).size() <= 34);
    }
    QVERIFY(!formatMoment(first, 1).isEmpty());
}

void TimelinePartsTest::whatIsInSightStaysCountable() {
    constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min(),
                           last = std::numeric_limits<std::int64_t>::max();
    Selection selection;
    selection.setVisible({first, last});
    QVERIFY(selection.visible().begin < 0 && selection.visible().end > 0);
    QVERIFY(selection.visible().end - selection.visible().begin > 0);
    selection.setCursor(last);
    QVERIFY(selection.cursor() - selection.visible().begin > 0);
    for (const TimeRange whole : {TimeRange{0, last}, TimeRange{first, last}, TimeRange{-latestTime, latestTime}}) {
        TimeRange range{0, 1'000'000};
        for (int i = 0; i < 300; ++i) {
            range = zoomed(range, 2, range.end, whole);
            QVERIFY(range.end > range.begin);
        }
        for (const double factor : {1.0, -1.0, 1e9, -1e9})
            QVERIFY(panned(range, factor, whole).end > panned(range, factor, whole).begin);
        QVERIFY(padded(range, 10).end >= padded(range, 10).begin);
    }
}

void TimelinePartsTest::ticksHaveTheirUnit() {
    QCOMPARE(formatMoment(41'200'000, 100'000), QStringLiteral("41.2 ms"));
    QCOMPARE(formatMoment(12'450'000'000, 10'000'000), QStringLiteral("12.45 s"));
    QCOMPARE(formatMoment(1500, 1), QStringLiteral("1500 ns"));
    QCOMPARE(formatMoment(2500, 100), QStringLiteral("2.5 µs"));
    QCOMPARE(formatMoment(185'000'000'000, 1'000'000'000), QStringLiteral("3:05 min"));
    QCOMPARE(formatMoment(7'265'000'000'000, 1'000'000'000), QStringLiteral("2:01:05 h"));
}

void TimelinePartsTest::zoomKeepsTheFixedMoment() {
    const TimeRange whole{0, 1'000'000'000};
    const TimeRange range{200'000'000, 600'000'000};
    const TimeRange closer = zoomed(range, 0.5, 300'000'000, whole);
    QCOMPARE(closer.end - closer.begin, 200'000'000);
    QCOMPARE(closer.begin, 250'000'000);
    const TimeRange back = zoomed(closer, 2, 300'000'000, whole);
    QVERIFY(std::abs(back.begin - range.begin) < 10);
    QVERIFY(std::abs(back.end - range.end) < 10);
    const TimeRange least = zoomed(range, 1e-12, 300'000'000, whole);
    QCOMPARE(least.end - least.begin, leastVisible);
    const TimeRange most = zoomed(range, 1e12, 300'000'000, whole);
    QVERIFY(most.end - most.begin <= 5 * (whole.end - whole.begin) / 4 + 1);
}

void TimelinePartsTest::nothingLeavesSight() {
    const std::uint64_t seed = freshSeed();
    std::mt19937_64 random(seed);
    const TimeRange whole{1000, 2'000'000};
    TimeRange range{1000, 500'000};
    for (int i = 0; i < 3000; ++i) {
        if (i % 3 == 0)
            range = zoomed(range, std::uniform_real_distribution<double>(0.3, 3)(random), range.begin + 10, whole);
        else range = panned(range, std::uniform_real_distribution<double>(-3, 3)(random), whole);
        QVERIFY2(range.end - range.begin >= leastVisible, qPrintable(QString::number(seed)));
        const std::int64_t overlap = std::min(range.end, whole.end) - std::max(range.begin, whole.begin);
        QVERIFY2(overlap > 0, qPrintable(QStringLiteral("seed %1 round %2").arg(seed).arg(i)));
        // Zooming out once ran to −100 s.
        QVERIFY2(range.begin >= whole.begin - (range.end - range.begin) / 20 - 1,
                 qPrintable(QStringLiteral("seed %1 round %2").arg(seed).arg(i)));
    }
    // A run that has just begun fills what is in sight from its begin on.
    for (const std::int64_t now : {2'000, 400'000, 499'000, 5'000'000}) {
        const TimeRange shown = following({1000, 501'000}, {1000, now});
        QCOMPARE(shown.end - shown.begin, 500'000);
        QVERIFY(shown.begin >= 1000 - 25'000 && shown.end >= now);
    }
}

void TimelinePartsTest::filterOfRanks() {
    const Plan plan = sample::plan(sample::layout(2, 4, 4));
    RunModel model;
    model.begin(headerOf(plan), plan.simulation.events);
    QCOMPARE(filterRanks(model, "").size(), std::size_t{8});
    QCOMPARE(filterRanks(model, "0-2, 7"), (std::vector<int>{0, 1, 2, 7}));
    QCOMPARE(filterRanks(model, "6-"), (std::vector<int>{6, 7}));
    std::vector<int> ofStage;
    for (int rank = 0; rank < 8; ++rank) {
        if (plan.mesh.coordinate(rank, Axis::Pipeline) == 2) ofStage.push_back(rank);
    }
    QCOMPARE(filterRanks(model, "pp2"), ofStage);
    QCOMPARE(filterRanks(model, " dp1  pp2 ").size(), std::size_t{1});
    QVERIFY(filterRanks(model, "pp9").empty());
    QVERIFY(filterRanks(model, "nonsense").empty());
}

QTEST_GUILESS_MAIN(TimelinePartsTest)
#include "timeline_parts_test.moc"
