// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose file kept a size limit, opened: every step is there, those without events are drawn from their figures,
// and it is said why.
#include "bench_context.h"
#include "engine/launch/job/run_header.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "ui/core/replay_session.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/figure_strips.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

constexpr int steps = 2500;

Layout limited() {
    Layout layout = sample::layout(2, 2, 8);
    layout.run.sizeLimit = 2 << 20;
    layout.run.keepLast = 20;
    layout.run.keepEvery = 50;
    return layout;
}

}  // namespace

class ThinnedRunTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const quint32 seed = freshSeed();
        const Plan plan = sample::plan(limited());
        given_ = sample::events(plan, steps, seed);
        auto writer = RunWriter::create(file(), headerOf(plan));
        QVERIFY(writer);
        QVERIFY((*writer)->appendPredicted(plan.simulation.events));
        QVERIFY((*writer)->append(given_));
        QVERIFY((*writer)->finish({"finished", ""}));
    }

    void everyStepIsThere() {
        sample::Bench bench(Workspace::Replay);
        open(bench);
        const RunModel& model = bench.model;
        QVERIFY(model.steps().thinning().steps() > 0);
        QVERIFY(!model.steps().thinning().thinned(steps - 1));
        Summarizer wanted(model.ranks(), true, sentBytesOf(model.header()));
        wanted.add(given_);
        QCOMPARE(model.steps().all().size(), wanted.steps().size());
        QCOMPARE(model.steps().summary().medianStepSeconds(), wanted.medianStepSeconds());
        for (std::size_t i = 0; i < wanted.steps().size(); ++i) {
            QVERIFY(model.steps().all()[i].ranks == wanted.steps()[i].ranks);
            QCOMPARE(model.steps().extents()[i].complete, wanted.steps()[i].complete);
        }
        QCOMPARE(model.points().of(EventKind::Loss).size(),
                 static_cast<std::size_t>(std::ranges::count(given_, EventKind::Loss, &Event::kind)));
        for (int rank = 0; rank < model.ranks(); ++rank) {
            std::int64_t peak = 0;
            for (const Event& event : given_)
                if (event.rank == rank && event.kind == EventKind::MemoryPeak) peak = std::max(peak, event.bytes);
            QCOMPARE(model.steps().peakBytes(rank), peak);
        }
    }

    void stepsWithoutEventsAreDrawnAndExplained() {
        sample::Bench bench(Workspace::Replay);
        open(bench);
        TimelinePlot plot(bench.context(), nullptr);
        plot.resize(1200, 500);
        plot.show();
        bench.selection.setVisible({0, bench.model.recorded().last});
        plot.draw();
        QVERIFY(!plot.scene().figures.empty());
        int thinned = 0, whole = 0;
        for (std::size_t i = 0; i < bench.model.steps().extents().size(); ++i) {
            const StepExtent& extent = bench.model.steps().extents()[i];
            const std::int64_t middle = extent.begin + (extent.end - extent.begin) / 2;
            const auto without = stepWithoutEvents(bench.model, 1, middle);
            if (bench.model.steps().thinning().thinned(extent.step)) {
                ++thinned;
                if (!without) continue;  // of the block that the lane was filling when the rest was thinned
                QCOMPARE(*without, i);
                const QString text = figuresText(bench.model, i, 1);
                QVERIFY2(text.contains("size limit of 2.00 MiB") && text.contains("forward"), qPrintable(text));
            } else {
                QVERIFY(!without);
                ++whole;
            }
        }
        QVERIFY(thinned > 0 && whole > 0);
        QVERIFY(!stepWithoutEvents(bench.model, 1, -5));
        // Only whole steps in sight: nothing is drawn from figures.
        const StepExtent& last = bench.model.steps().extents().back();
        bench.selection.setVisible({last.begin, last.end});
        plot.draw();
        QVERIFY(plot.scene().figures.empty());
        // Only thinned ones: nothing else is.
        std::size_t place = 1;
        while (!bench.model.steps().thinning().thinned(bench.model.steps().extents()[place].step)) ++place;
        const StepExtent& gone = bench.model.steps().extents()[place];
        bench.selection.setVisible({gone.begin, gone.end});
        plot.draw();
        QCOMPARE(plot.scene().figures.size(), static_cast<std::size_t>(bench.model.ranks()));
        // Until a block around it is read, what it looks like from afar stands for it.
        QTRY_VERIFY_WITH_TIMEOUT((plot.draw(), plot.scene().strips.empty()), 5000);
    }

    void theViewSaysIt() {
        for (const bool dark : {true, false}) {
            sample::Bench bench(Workspace::Replay);
            bench.theme.setDark(dark);
            open(bench);
            TimelineView view(bench.context(), nullptr);
            view.resize(1280, 420);
            view.show();
            bench.selection.setVisible({0, bench.model.recorded().last});
            QVERIFY2(view.subtitle().contains("only figures are left"), qPrintable(view.subtitle()));
            if (const QString folder = qEnvironmentVariable("SHARDLAB_SCREENSHOTS"); !folder.isEmpty()) {
                QTest::qWait(200);
                view.grab().save(QStringLiteral("%1/thinned-%2.png").arg(folder, dark ? "dark" : "light"));
                const auto& extents = bench.model.steps().extents();
                bench.selection.setVisible({extents[96].begin, extents[104].end});
                QTest::qWait(200);
                view.grab().save(QStringLiteral("%1/thinned-near-%2.png").arg(folder, dark ? "dark" : "light"));
            }
            std::size_t place = 1;
            while (!bench.model.steps().thinning().thinned(bench.model.steps().extents()[place].step)) ++place;
            const StepExtent& gone = bench.model.steps().extents()[place];
            bench.selection.setVisible({gone.begin + 1, gone.end - 1});
            QVERIFY(view.asTable().contains(QStringLiteral("\t%1\t").arg(gone.step)));
        }
    }

private:
    std::string file() const { return folder_.filePath("run.shardlab").toStdString(); }
    void open(sample::Bench& bench) {
        ReplaySession session(bench.model);
        QSignalSpy finished(&session, &ReplaySession::finished);
        session.open(file());
        QVERIFY(finished.wait(30000));
    }

    QTemporaryDir folder_;
    std::vector<Event> given_;
};

QTEST_MAIN(ThinnedRunTest)
#include "thinned_run_test.moc"
