// SPDX-License-Identifier: GPL-3.0-or-later
// The list of what happened in a run: its order, its filter, where a click goes, and how wide its columns are.
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "ui/views/events/events_view.h"
#include "ui/views/events/happenings.h"

#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// Seconds, the second column of a table's line.
double timeOf(const QString& line) { return line.section(QLatin1Char('\t'), 1, 1).toDouble(); }

}  // namespace

class EventsViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eventsFilterAndGo() {
        sample::Bench bench;
        const Plan plan = sample::plan(sample::layout(2, 2, 4));
        sample::fill(bench.model, plan, 6, 3);
        const std::int64_t moment = bench.model.steps().extents()[3].begin;
        bench.model.report().add(LogLine{moment, 2, LogLevel::Warning, "rank 2 is slow today"});
        bench.model.append(std::vector<Event>{sample::command(moment + 5, Command::Pause)});
        bench.model.report().setRank({1, "localhost", 77, "dp0 pp1", "killed by SIGKILL at step 5, 1F3"});
        bench.model.report().setEnd({"failed", "rank 1 was killed"});
        EventsView view(bench.context(), nullptr);
        view.resize(300, 300);
        view.show();
        view.flush();
        QAbstractItemModel& shown = *view.table().model();
        const int all = shown.rowCount();
        QVERIFY(all >= 5);
        QCOMPARE(view.subtitle(), QStringLiteral("3 problems"));
        for (int row = 1; row < all; ++row) {
            const QStringList rows = view.asTable().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
            QVERIFY2(timeOf(rows[row]) >= timeOf(rows[row + 1]), "newest first");
        }
        view.filterField().setText(QStringLiteral("SLOW rank"));
        QCOMPARE(shown.rowCount(), 1);
        bench.selection.setVisible({0, 1000});
        QTest::mouseClick(view.table().viewport(), Qt::LeftButton, {},
                          view.table().visualRect(shown.index(0, 2)).center());
        QCOMPARE(bench.selection.cursor(), moment);
        QCOMPARE(bench.selection.rank(), 2);
        QVERIFY(bench.selection.visible().begin <= moment && bench.selection.visible().end >= moment);
        QVERIFY(!bench.selection.followLive());
        view.filterField().clear();
        view.problemsButton().setChecked(true);
        QCOMPARE(shown.rowCount(), 3);
        view.problemsButton().setChecked(false);
        QCOMPARE(shown.rowCount(), all);
        bench.model.report().add(LogLine{bench.model.recorded().last + 1, -1, LogLevel::Info, "one more"});
        view.flush();
        QCOMPARE(shown.rowCount(), all + 1);
    }

    void theEndOfARunWithoutEventsIsTheNewest() {
        sample::Bench bench;
        const Plan plan = sample::plan(sample::layout(1, 2, 4));
        bench.model.begin(headerOf(plan), {});
        bench.model.report().add(LogLine{400'000'000, 1, LogLevel::Warning, "cannot open the file"});
        bench.model.report().add(LogLine{900'000'000, -1, LogLevel::Info, "mpirun detected that a process exited"});
        bench.model.report().setRank({0, "localhost", 1, "pp0", "ended with the run"});
        bench.model.report().setEnd({"failed", "rank 1: cannot open the file"});
        const std::vector<Happening> all = happenings(bench.model);
        QCOMPARE(all.front().text, QStringLiteral("run failed: rank 1: cannot open the file"));
        QCOMPARE(all.front().time, std::int64_t{900'000'000});
        QCOMPARE(all.back().text, QStringLiteral("cannot open the file"));
    }

    void stepsAreShownWhole() {
        sample::Bench bench;
        const Plan plan = sample::plan(sample::layout(1, 2, 4));
        sample::fill(bench.model, plan, 2, 1);
        EventsView view(bench.context(), nullptr);
        for (const int step : {9, 123456}) {
            Event command = sample::command(bench.model.recorded().last, Command::Pause);
            command.step = step;
            bench.model.append(std::vector<Event>{command});
            view.flush();
            const QModelIndex newest = view.table().model()->index(0, 0);
            QCOMPARE(newest.data().toInt(), step);
            const QFontMetrics digits(newest.data(Qt::FontRole).value<QFont>());
            QVERIFY(view.table().columnWidth(0) > digits.horizontalAdvance(newest.data().toString()));
        }
    }
};

QTEST_MAIN(EventsViewTest)
#include "events_view_test.moc"
