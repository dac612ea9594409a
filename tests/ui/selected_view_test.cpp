// SPDX-License-Identifier: GPL-3.0-or-later
// What the view Selected tells of an action and of a rank, against the model it tells it of.
#include "engine/base/units.h"
#include "tests/support/wings.h"
#include "tests/ui/bench_context.h"
#include "ui/core/fact_list.h"
#include "ui/timeline/dependencies.h"
#include "ui/timeline/event_text.h"
#include "ui/views/selected/selected_view.h"

#include <QLabel>
#include <QMap>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace shardlab;
using namespace shardlab::test;

class SelectedViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tellsOfAnAction() {
        sample::Bench bench;
        const Plan plan = sample::plan(sample::layout(2, 3, 4));
        sample::fill(bench.model, plan, 4, 3);
        SelectedView view(bench.context(), nullptr);
        QVERIFY(view.emptyText().contains(QStringLiteral("Click")));
        const auto ownTime = [&](std::int64_t onClock) {
            return QString::fromStdString(formatSeconds(static_cast<double>(onClock) * 1e-9 / plan.costs.stretch));
        };
        int waits = 0, early = 0;
        for (const Event& event : eventsOfStep(bench.model, 3, Lane::Compute, 2)) {
            if (!isCompute(event.kind)) continue;
            bench.selection.select(event);
            view.flush();
            QVERIFY(view.emptyText().isEmpty());
            QCOMPARE(view.subtitle().toStdString(), toText(actionFromId(event.action)));
            QMap<QString, QString> facts;
            for (const QString& line : view.asTable().split(QLatin1Char('\n'), Qt::SkipEmptyParts))
                facts[line.section(QLatin1Char('\t'), 0, 0)] = line.section(QLatin1Char('\t'), 1, 1);
            QCOMPARE(facts[QStringLiteral("What")], whatText(bench.model, event));
            QCOMPARE(facts[QStringLiteral("Measured")], ownTime(event.end - event.begin));
            QCOMPARE(facts[QStringLiteral("Start")],
                     QStringLiteral("+") + ownTime(event.begin - bench.model.steps().extents()[2].begin));
            QVERIFY(facts[QStringLiteral("Predicted")].contains(QLatin1Char('%')));
            // The wait, if there was one, ends where the action begins.
            bool waited = false;
            for (const Event& wait : eventsOfStep(bench.model, 3, Lane::Compute, 2))
                waited = waited || (wait.kind == EventKind::Wait && std::abs(wait.end - event.begin) <= 1);
            const QString told = facts[QStringLiteral("Waited for")];
            QCOMPARE(!told.startsWith(QStringLiteral("nothing")), waited);
            waits += waited ? 1 : 0;
            // "nothing" stood beside an arrow.
            const auto arrows = dependencies(bench.model, event);
            const auto input = std::ranges::find_if(arrows, [&](const Dependency& arrow) { return arrow.to == event; });
            const auto output =
                std::ranges::find_if(arrows, [&](const Dependency& arrow) { return arrow.to != event; });
            const QString goesTo = facts[QStringLiteral("Output goes to")];
            if (output == arrows.end()) QVERIFY(goesTo.isEmpty());
            else
                QVERIFY2(goesTo.startsWith(QStringLiteral("rank %1 · ").arg(output->to.rank)) &&
                             goesTo.contains(QString::fromStdString(toText(actionFromId(output->to.action)))),
                         qPrintable(goesTo));
            if (waited) {
                QVERIFY2(told.contains(QStringLiteral("RECV_")) && told.contains(QStringLiteral("receive")) &&
                             told.contains(QStringLiteral("microbatch")),
                         qPrintable(told));
            } else if (input == arrows.end()) {
                QVERIFY2(told.endsWith(QStringLiteral("on this rank")), qPrintable(told));
            } else {
                ++early;
                QVERIFY2(told.contains(QStringLiteral("from rank %1 ").arg(input->from.rank)), qPrintable(told));
            }
        }
        QVERIFY(waits > 0 && early > 0);
    }

    void tellsOfARank() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan(sample::layout(2, 2, 4)), 3, 3);
        bench.model.report().setRank({1, "localhost", 4711, "dp1 pp0", "killed by SIGKILL"});
        SelectedView view(bench.context(), nullptr);
        bench.selection.setRank(1);
        view.flush();
        QVERIFY(view.asTable().contains(QStringLiteral("4711")));
        QVERIFY(view.asTable().contains(QStringLiteral("killed by SIGKILL")));
        QVERIFY(view.asTable().contains(QString::fromStdString(formatBytes(bench.model.steps().peakBytes(1)))));
    }

    /// The model once kept no such counter.
    void tellsWhatIsKeptInFewerBits() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan(sample::layout(2, 2, 4)), 3, 3);
        bench.model.append(std::vector<Event>{{.begin = 1,
                                               .end = 1,
                                               .bytes = 5 << 20,
                                               .value = 20 << 20,
                                               .step = 1,
                                               .rank = 1,
                                               .lane = Lane::Host,
                                               .kind = EventKind::PackedActivations}});
        SelectedView view(bench.context(), nullptr);
        bench.selection.setRank(1);
        view.flush();
        QVERIFY(view.asTable().contains(QStringLiteral("Kept in fewer bits\t5.00 MiB")));
    }

    /// A value broke into three lines beside room for one.
    void valuesTakeTheRoomThereIs() {
        FactList list(nullptr);
        const QString value = QStringLiteral("forward · stage 0 · microbatch 2");
        list.setFacts({{QStringLiteral("What"), value}, {QStringLiteral("Step"), QStringLiteral("66")}});
        list.resize(600, 200);
        list.show();
        const auto shown = [&](const QString& text) {
            for (const QLabel* label : list.findChildren<QLabel*>())
                if (label->text() == text) return label;
            return static_cast<const QLabel*>(nullptr);
        };
        const QLabel* what = shown(value);
        const int line = shown(QStringLiteral("66"))->sizeHint().height();
        QVERIFY(what && line > 0);
        int before = 99;
        for (const int width : {130, 160, 200, 240, 280, 320, 400, 600}) {
            list.resize(width, 300);
            QTest::qWait(20);
            const int lines = what->height() / line;
            QVERIFY2(lines <= before, qPrintable(QString::number(width)));
            before = lines;
            const int text = what->fontMetrics().horizontalAdvance(value);
            const int label = shown(QStringLiteral("What"))->fontMetrics().horizontalAdvance(QStringLiteral("What"));
            if (text + label < width - 40) QCOMPARE(lines, 1);
            QVERIFY(what->height() >= what->heightForWidth(what->width()));
        }
        QCOMPARE(before, 1);
        // A piece that is longer than the line had three fifths of it, beside a label of a word.
        const QString longer = QStringLiteral("Wait for 1RECV_F0, receive forward · stage 1 · microbatch 0");
        list.setFacts({{QStringLiteral("What"), longer}, {QStringLiteral("Step"), QStringLiteral("66")}});
        list.resize(300, 300);
        const auto widest = [&] { return list.viewport()->width() - 34 - shown(QStringLiteral("What"))->width(); };
        QTRY_VERIFY(shown(longer)->width() >= widest() - 1);
        QVERIFY(shown(QStringLiteral("What"))->width() < 60);
        // A unit once stood in the line below its number.
        list.setFacts({{QStringLiteral("Communication"), QStringLiteral("2.6 % · 54.8 µs")}});
        list.resize(220, 300);
        QTRY_VERIFY(shown(QStringLiteral("2.6\u00a0% · 54.8\u00a0µs")));
        QVERIFY(list.asTable().contains(QStringLiteral("2.6 % · 54.8 µs")));
    }

    /// "Pipeline rank 0" lost its number to a second line, beside a value that had room for more than its longer part.
    void labelsStayOnOneLineWhereTheyCan() {
        FactList list(nullptr);
        const QString name = QStringLiteral("Pipeline rank 0"), part = QStringLiteral("on path 74.4 % ·");
        list.setFacts({{name, part + QStringLiteral(" waits 39.7 %")}});
        list.show();
        const QLabel *label = nullptr, *value = nullptr;
        for (const QLabel* each : list.findChildren<QLabel*>()) (each->text() == name ? label : value) = each;
        QVERIFY(label && value);
        int tried = 0;
        for (int width = 180; width <= 420; ++width) {
            list.resize(width, 200);
            const double needed = std::ceil(QFontMetricsF(label->font()).horizontalAdvance(name)) +
                                  std::ceil(QFontMetricsF(value->font()).horizontalAdvance(part));
            if (needed + 34 > list.viewport()->width()) continue;  // its margins, and the gap between the two
            QTest::qWait(5);
            QVERIFY2(label->height() < 2 * label->fontMetrics().height(), qPrintable(QString::number(width)));
            ++tried;
        }
        QVERIFY(tried > 50);
    }

    /// What it told of a rank stood still at the step in which the rank was clicked.
    void followsTheRun() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan(sample::layout(2, 2, 4)), 3, 3);
        SelectedView view(bench.context(), nullptr);
        bench.selection.setRank(1);
        view.flush();
        QVERIFY(!view.asTable().contains(QStringLiteral("Weight versions")));
        bench.model.append(std::vector<Event>{{.begin = 1,
                                               .end = 1,
                                               .value = 2,
                                               .step = 1,
                                               .rank = 1,
                                               .lane = Lane::Host,
                                               .kind = EventKind::WeightVersions}});
        QTRY_VERIFY(view.asTable().contains(QStringLiteral("Weight versions\t2")));
    }
};

QTEST_MAIN(SelectedViewTest)
#include "selected_view_test.moc"
