// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of other programs' runs, as the view draws them: against the samples that they were made of.
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/ui/bench_context.h"
#include "ui/core/child.h"
#include "ui/views/counters/counter_plot.h"
#include "ui/views/counters/counters_view.h"
#include "ui/views/timeline/timeline_view.h"

#include <QMenu>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

using namespace shardlab;
using namespace shardlab::test;

namespace {

constexpr std::int64_t second = 1'000'000'000;

/// A run of another program with so many ranks.
RunHeader foreign(int ranks) {
    RunHeader header;
    header.origin = "Nsight Systems";
    header.layout.parallel.data = ranks;
    header.layout.cluster.hosts.front().devices = ranks;
    header.layoutGiven = false;
    return header;
}

Event point(std::uint32_t name, int rank, std::int64_t time, double value, std::int64_t bytes = 0) {
    return {time,
            time,
            bytes,
            value,
            namedId(name),
            3,
            static_cast<std::int16_t>(rank),
            Lane::Host,
            EventKind::NamedCounter};
}

/// The same by looking at every sample.
Extent heldIn(const std::vector<Event>& samples, std::int64_t begin, std::int64_t end) {
    Extent extent;
    const Event* held = nullptr;
    for (const Event& each : samples) {
        if (each.begin >= end) break;
        if (each.begin < begin) held = &each;
        else extent.add(each.value);
    }
    if (held) extent.add(held->value);
    return extent;
}

std::size_t placeOf(const CounterPlot& plot, const QString& title) {
    const auto found = std::ranges::find(plot.counters(), title, &ShownCounter::title);
    return static_cast<std::size_t>(found - plot.counters().begin());
}

}  // namespace

class CountersViewTest : public QObject {
    Q_OBJECT
private:
    /// A view over a run of so many ranks, in which everything is in sight.
    struct Room {
        explicit Room(int ranks, Workspace where = Workspace::Replay) : bench(where), view(bench.context(), nullptr) {
            bench.model.begin(foreign(ranks), {});
            view.resize(900, 400);
            view.show();
        }
        void take(const std::vector<Event>& events) {
            bench.model.append(events);
            bench.selection.setVisible({0, bench.model.recorded().last + 1});
            view.flush();
        }
        sample::Bench bench;
        CountersView view;
    };

private Q_SLOTS:
    /// The columns of a million samples, and of a few, whatever is in sight.
    void columnsHoldWhatTheSamplesSay() {
        std::mt19937_64 random(freshSeed());
        const auto below = [&](std::int64_t end) {
            return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random);
        };
        for (const std::int64_t count : {std::int64_t{1}, 1 + below(50), 1 + below(5000), std::int64_t{1'000'000}}) {
            std::vector<Event> samples;
            CounterSeries series;
            for (std::int64_t i = 0, time = 0; i < count; ++i) {
                time += below(3) == 0 ? 0 : below(2000);
                const double value = below(200) == 0 ? std::nan("") : std::normal_distribution<double>(0, 100)(random);
                samples.push_back(point(1, 0, time, value));
            }
            if (count < 1000) std::ranges::shuffle(samples, random);  // they may come late
            for (const Event& each : samples) series.add({each.begin, each.value, each.step});
            std::ranges::stable_sort(samples, {}, &Event::begin);
            QCOMPARE(series.samples().size(), samples.size());
            const std::int64_t last = samples.back().begin;
            for (int turn = 0; turn < (count > 10'000 ? 2 : 30); ++turn) {
                TimeScale scale{.begin = below(last + 2) - 1000, .end = 0, .left = 90, .width = int(1 + below(60))};
                scale.end = scale.begin + 1 + below(2 * last + 2);
                if (turn == 0) scale = {0, last + 1, 90, 60};
                const std::int64_t end = turn == 0 ? last : below(last + 1);
                const std::vector<Extent> columns = columnsOf(series, scale, end);
                QCOMPARE(columns.size(), static_cast<std::size_t>(scale.width));
                for (int column = 0; column < scale.width; ++column) {
                    const std::int64_t begin = scale.columnBegin(column);
                    const Extent told = begin > end ? Extent() : heldIn(samples, begin, scale.columnBegin(column + 1));
                    QCOMPARE(columns[static_cast<std::size_t>(column)], told);
                }
            }
        }
    }

    /// Names, units and numbers; also of what was recorded as a kind of its own.
    void eachCounterHasItsUnitAndItsScale() {
        Room room(1);
        room.bench.model.report().addName(1, "SMs Active [Throughput %], device 0");
        room.bench.model.report().addName(2, "memory allocated, device 0");
        room.bench.model.report().addName(3, "queue");
        std::vector<Event> events;
        for (int i = 0; i < 10; ++i) {
            events.push_back(point(1, 0, i * second, 40 + i));
            events.push_back(point(2, 0, i * second, (1 + i) * 1048576.0, (1 + i) * 1048576));
            events.push_back(point(3, 0, i * second, i == 3 ? 2e6 : 5));
            Event rate = point(0, 0, i * second, 1e-4 * i);
            rate.kind = EventKind::LearningRate;
            rate.action = 0;
            events.push_back(rate);
        }
        QVERIFY(room.view.emptyText().contains(QStringLiteral("The trace has no counters.")));
        room.take(events);
        QVERIFY(room.view.emptyText().isEmpty());
        QCOMPARE(room.view.subtitle(), QStringLiteral("4 counters"));
        const CounterPlot& plot = room.view.plot();
        QStringList titles;
        for (const ShownCounter& each : plot.counters()) titles += each.title;
        QCOMPARE(titles, (QStringList{"learning rate", "memory allocated, device 0", "queue",
                                      "SMs Active [Throughput %], device 0"}));
        QCOMPARE(plot.counters()[3].number(57), QStringLiteral("57 %"));
        QCOMPARE(plot.counters()[1].number(1048576), QStringLiteral("1.00 MiB"));
        QCOMPARE(plot.counters()[2].number(2e6), QStringLiteral("2.00 M"));
        QCOMPARE(plot.chart(3).values, (Extent{40, 49}));  // from 0 it would be flat
        QCOMPARE(plot.chart(2).values, (Extent{0, 2e6}));
        // What is pointed at is told.
        const QRect area = plot.area(3);
        const int x = static_cast<int>(plot.scale().x(5 * second + second / 2));
        QCOMPARE(plot.wordsAt({x, area.center().y()}),
                 QStringLiteral("SMs Active [Throughput %], device 0\nrank 0: 45 % · step 3"));
        QVERIFY(plot.wordsAt({area.left() - 5, area.center().y()}).isEmpty());
        // The same numbers as a table, of what is in sight and what it began with.
        room.bench.selection.setVisible({4 * second + 1, 6 * second});
        room.view.names().setText(QStringLiteral("sms"));
        room.view.flush();
        QCOMPARE(room.view.asTable(), QStringLiteral("counter\trank\ttime ms\tstep\tvalue\n"
                                                     "SMs Active [Throughput %], device 0\t0\t4000.000000\t3\t44\n"
                                                     "SMs Active [Throughput %], device 0\t0\t5000.000000\t3\t45\n"
                                                     "SMs Active [Throughput %], device 0\t0\t6000.000000\t3\t46\n"));
        QCOMPARE(room.view.subtitle(), QStringLiteral("1 of 4 counters"));
        room.view.names().setText(QStringLiteral("active SMS, queue"));
        room.view.flush();
        QCOMPARE(plot.counters().size(), std::size_t{2});
        room.view.names().setText(QStringLiteral("no such"));
        room.view.flush();
        QCOMPARE(plot.counters().size(), std::size_t{0});
        QVERIFY(room.view.emptyText().isEmpty());  // its fields have to stay
    }

    /// 256 ranks are one chart: a line of the selected one, and the band in which all are; a click finds a rank.
    void manyRanksAreABand() {
        std::mt19937_64 random(freshSeed());
        constexpr int ranks = 256;
        Room room(ranks);
        room.bench.model.report().addName(1, "load [%]");
        std::map<int, std::vector<Event>> of;
        std::vector<Event> events;
        for (int rank = 0; rank < ranks; ++rank)
            for (int i = 0; i < 40; ++i) {
                const std::int64_t time =
                    i * second + std::uniform_int_distribution<std::int64_t>(0, second / 2)(random);
                const double value = rank == 200 ? 99 : std::uniform_real_distribution<double>(10, 60)(random);
                of[rank].push_back(point(1, rank, time, value));
                events.push_back(of[rank].back());
            }
        room.take(events);
        CounterPlot& plot = room.view.plot();
        const auto compare = [&](int line, const std::vector<int>& shown) {
            const CounterPlot::Chart& chart = plot.chart(0);
            QCOMPARE(chart.rank, line);
            for (int column = 0; column < chart.scale.width; ++column) {
                const std::int64_t begin = chart.scale.columnBegin(column), end = chart.scale.columnBegin(column + 1);
                Extent all;
                for (const int rank : shown) all.add(heldIn(of[rank], begin, end));
                QCOMPARE(chart.band[static_cast<std::size_t>(column)], all);
                QCOMPARE(chart.line[static_cast<std::size_t>(column)], heldIn(of[line], begin, end));
            }
        };
        std::vector<int> all(ranks);
        std::iota(all.begin(), all.end(), 0);
        compare(0, all);
        room.bench.selection.setRank(77);
        room.view.flush();
        compare(77, all);
        room.view.ranks().setText(QStringLiteral("4-7, 9"));
        room.view.flush();
        compare(4, {4, 5, 6, 7, 9});
        room.view.ranks().clear();
        room.view.flush();
        // The one that stands out: words name it, a click selects it, and puts the cursor there.
        const QRect area = plot.area(0);
        const CounterPlot::Chart& chart = plot.chart(0);
        const double share = (99 - chart.values.low) / (chart.values.high - chart.values.low);
        const QPoint at(area.center().x(), area.bottom() - static_cast<int>(std::lround(share * (area.height() - 1))));
        QVERIFY(plot.wordsAt(at).contains(QStringLiteral("most 99 % on rank 200")));
        QTest::mouseClick(&plot, Qt::LeftButton, {}, at);
        QCOMPARE(room.bench.selection.rank(), 200);
        QCOMPARE(room.bench.selection.cursor(), plot.scale().time(at.x() + 0.5));
        QVERIFY(!room.bench.selection.followLive());
        // More than a table is for says so.
        QVERIFY(room.view.asTable().endsWith(QStringLiteral("more, zoom in or choose fewer to see them\n")));
    }

    void itLiesOnTheTimelinesAxis() {
        Room room(3);
        room.bench.model.report().addName(1, "load");
        room.take({point(1, 0, 0, 1), point(1, 2, 9 * second, 2)});
        TimelineView timeline(room.bench.context(), nullptr);
        timeline.resize(900, 300);
        timeline.show();
        CounterPlot& plot = room.view.plot();
        QTRY_COMPARE(timeline.plot().state().scale, plot.scale());
        const TimeScale before = plot.scale();
        QWheelEvent wheel(QPointF(400, 20), plot.mapToGlobal(QPointF(400, 20)), {}, {0, 120}, Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&plot, &wheel);
        QTRY_VERIFY(timeline.plot().state().scale.end - timeline.plot().state().scale.begin <
                    before.end - before.begin);
        QCOMPARE(plot.scale(), timeline.plot().state().scale);
        QMenu menu;
        room.view.fillContextMenu(menu, {});
        menu.actions().front()->trigger();
        QVERIFY(plot.scale().begin <= 0 && plot.scale().end >= 9 * second);
        // Many counters scroll: then the wheel by itself is the list's.
        std::vector<Event> events;
        for (std::uint32_t name = 2; name < 40; ++name) {
            room.bench.model.report().addName(name, "counter " + std::to_string(name));
            events.push_back(point(name, 1, 5 * second, name));
        }
        room.take(events);
        QCOMPARE(plot.counters().size(), std::size_t{39});
        QTRY_VERIFY(plot.height() > room.view.height());
        const TimeScale still = plot.scale();
        QWheelEvent plain(QPointF(400, 20), plot.mapToGlobal(QPointF(400, 20)), {}, {0, -120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&plot, &plain);
        QCOMPARE(plot.scale(), still);
        const std::size_t last = placeOf(plot, QStringLiteral("counter 39"));
        QVERIFY(plot.chart(last).rank == 1 && plot.area(last).bottom() < plot.height());
    }

    /// Where no timeline has chosen a stretch of time, the whole run is in sight, also once more of it is there.
    void withoutATimelineItShowsTheRun() {
        Room room(1);
        room.bench.model.report().addName(1, "load");
        for (const std::int64_t time : {9 * second, 20 * second}) {
            room.bench.model.append(std::vector{point(1, 0, time - 2 * second, 1), point(1, 0, time, 2)});
            room.view.flush();
            const CounterPlot& plot = room.view.plot();
            QVERIFY(plot.scale().begin <= 7 * second && plot.scale().end >= time);
            QCOMPARE(plot.chart(0).values.high, 2.0);
            QVERIFY(room.view.asTable().contains(QStringLiteral("load")));
        }
    }

    /// What was recorded before a restart of steps that were done again counts in no figure.
    void aRestartTakesAway() {
        Counters counters;
        for (int step = 0; step < 5; ++step) {
            Event event = point(1, 0, step * second, step);
            event.step = step;
            counters.add(event);
        }
        const Event restart{.begin = 10 * second,
                            .end = 10 * second,
                            .step = 3,
                            .rank = -1,
                            .lane = Lane::Host,
                            .kind = EventKind::Restart};
        counters.drop(Restarts(std::span(&restart, 1)));
        const CounterSeries& series = counters.all().front().ranks.at(0);
        QCOMPARE(series.samples().size(), std::size_t{3});
        QCOMPARE(series.extent(0, 3), (Extent{0, 2}));
        QVERIFY(!series.at(-1) && series.at(99 * second)->value == 2);
    }

    void anotherRunHasItsOwn() {
        Room room(1, Workspace::Run);
        room.bench.model.report().addName(1, "load");
        room.take({point(1, 0, second, 1)});
        QVERIFY(room.view.emptyText().isEmpty());
        const QPixmap drawn = room.view.grab();
        room.bench.model.begin(foreign(2), {});
        QVERIFY(room.view.plot().wordsAt(room.view.plot().area(0).center()).isEmpty());  // not yet refreshed
        QVERIFY(!room.view.grab().isNull());
        room.view.flush();
        QVERIFY(room.view.emptyText().contains(QStringLiteral("The trace has no counters.")));
        QVERIFY(room.view.plot().counters().empty());
        // One of our own has what its steps tell.
        sample::fill(room.bench.model, sample::plan(sample::layout(1, 2, 4)), 3, freshSeed());
        room.view.flush();
        QCOMPARE(room.view.subtitle(), QStringLiteral("3 counters"));
    }
};

QTEST_MAIN(CountersViewTest)
#include "counters_view_test.moc"
