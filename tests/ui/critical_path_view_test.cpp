// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path in its view and over the timeline, of a prediction and of a run.
#include "tests/support/seed.h"
#include "tests/ui/design_bench.h"
#include "engine/base/units.h"
#include "ui/core/step_account.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/path_overlay.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/critical_path/critical_path_view.h"
#include "ui/views/timeline/timeline_view.h"

#include <QAction>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace shardlab;
using namespace shardlab::test;

class CriticalPathViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pathIsFoundInPredictionAndRun() {
        sample::DesignBench bench;
        const StepAccount* account = bench.model.prediction().account();
        QVERIFY(account);
        const std::vector<Event> predicted = pathEvents(bench.model, *account, 0, nullptr);
        QCOMPARE(predicted.size(), account->path.nodes.size());
        for (std::size_t i = 1; i < predicted.size(); ++i)
            QVERIFY(std::abs(predicted[i].begin - predicted[i - 1].end) <= 2);
        QVERIFY(std::abs(predicted.back().end - bench.model.prediction().end()) <= 2);

        CriticalPathView view(bench.context(), nullptr);
        view.show();
        bench.selection.select(predicted.front());
        view.flush();
        QVERIFY(view.asTable().contains(QStringLiteral("0F0")));
        TimelineView timeline(bench.context(), nullptr);
        timeline.resize(800, 300);
        timeline.show();
        QTest::qWait(80);
        const QImage without = timeline.grab().toImage();
        view.button().click();
        QVERIFY(bench.selection.pathShown());
        QTest::qWait(80);
        const QImage with = timeline.grab().toImage();
        QVERIFY(with != without);
        const QString folder = QCoreApplication::applicationDirPath() + QStringLiteral("/pictures");
        QVERIFY(QDir().mkpath(folder) && with.save(folder + QStringLiteral("/timeline-critical-path.png")));

        sample::Bench run;
        const Plan plan = sample::plan(sample::layout(2, 4, 8));
        sample::fill(run.model, plan, 4, freshSeed());
        const StepAccount* recorded = run.model.prediction().account();
        QVERIFY(recorded);
        // The run's steps are the prediction with a time that runs unevenly: what decided is the same, and nothing
        // lies between.
        for (const int step : {0, 1, 3}) {
            const auto path = measuredPath(run.model, *recorded, 1, step);
            QVERIFY(path && path->step == step);
            const std::vector<Event> drawn =
                pathEvents(run.model, *recorded, 1, &run.model.steps().extents()[static_cast<std::size_t>(step)]);
            QVERIFY(drawn == path->events);
            QCOMPARE(path->events.size(), path->path.links.size());
            for (std::size_t i = 0; i < drawn.size(); ++i) {
                QCOMPARE(drawn[i].step, step);
                QCOMPARE(recorded->nodeOf(drawn[i]), path->path.links[i].node);
                QVERIFY(path->path.links[i].gap < 1e-6);
                if (i > 0) QVERIFY(std::abs(drawn[i].begin - drawn[i - 1].end) < 1000);
            }
            std::int64_t last = 0;
            for (int rank = 0; rank < run.model.ranks(); ++rank)
                for (const Event& event : eventsOfStep(run.model, rank, Lane::Compute, step))
                    last = std::max(last, event.end);
            QVERIFY(std::abs(drawn.back().end - last) < 1000);
        }
        QVERIFY(!measuredPath(run.model, *recorded, 1, 17));

        CriticalPathView measured(run.context(), nullptr);
        measured.show();
        run.selection.setCursor(run.model.steps().extents()[2].begin);
        measured.flush();
        QVERIFY(measured.subtitle().startsWith(QStringLiteral("step 2 · ")));
        QVERIFY(measured.asTable().startsWith(QStringLiteral("step 2\n")));
        run.selection.setCursor(-1);
        measured.flush();
        QVERIFY(measured.subtitle().startsWith(QStringLiteral("step 3 · ")));
        const auto path = measuredPath(run.model, *recorded, 0, 3);
        const auto rows =
            measured.asTable().split(QStringLiteral("lasts s\n")).last().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(static_cast<std::size_t>(rows.size()), path->path.links.size());
        run.selection.select(path->events.front());
        measured.flush();
        QVERIFY(measured.findChild<FactList*>()->asTable().contains(QStringLiteral("decided the step")));
        run.model.clear();
        measured.flush();
        QVERIFY(measured.subtitle().isEmpty() && measured.asTable().isEmpty());
    }

    /// What tensor groups exchange within actions stands on a line of its own, of the prediction and of a step; both as
    /// the events have it.
    void tensorCollectivesOnThePathAreNoCompute() {
        Layout layout = sample::layout(1, 2, 4);
        layout.parallel.tensor = 2;
        layout.cluster.hosts = {{"localhost", 4}};
        for (const int zero : {0, 3}) {
            layout.parallel.data = zero > 0 ? 2 : 1;
            layout.parallel.zero = zero;
            layout.batch.global = 4 * layout.parallel.data;
            layout.cluster.hosts = {{"localhost", 4 * layout.parallel.data}};
            sample::Bench run;
            const Plan plan = sample::plan(layout);
            sample::fill(run.model, plan, 3, freshSeed());
            const StepAccount* account = run.model.prediction().account();
            QVERIFY(account);
            QVERIFY(std::abs(account->graph.stepSeconds / plan.stepSeconds - 1) <
                    0.01);  // actions are whole, waits or not
            const CriticalPath::Share predicted = account->path.share();
            QVERIFY(predicted.tensor > 0 && predicted.compute > 0);
            QVERIFY(std::abs(predicted.seconds() - account->graph.stepSeconds) < 1e-6 * account->graph.stepSeconds);
            double costs = 0;
            for (const int index : account->path.nodes) {
                const StepGraph::Node& node = account->graph.nodes[static_cast<std::size_t>(index)];
                costs += plan.costs.tensorShare(node.action) * (node.end - node.begin);
            }
            QVERIFY(std::abs(predicted.tensor - costs) < 1e-3 * costs);
            const auto path = measuredPath(run.model, *account, 0, 1);
            QVERIFY(path.has_value());
            if (zero == 0)
                QVERIFY(std::abs(path->path.share().tensor / predicted.tensor - 1) < 0.2);  // the sample's jitter
            QVERIFY(path->path.share().tensor > 0);
            CriticalPathView view(run.context(), nullptr);
            view.show();
            view.flush();
            QVERIFY(view.findChild<FactList*>()->asTable().contains(QStringLiteral("Tensor comm")));
            QVERIFY(view.asTable().contains(QStringLiteral("predicted: tensor collectives s")));
        }
        sample::DesignBench without;
        CriticalPathView view(without.context(), nullptr);
        view.flush();
        QVERIFY(!view.findChild<FactList*>()->asTable().contains(QStringLiteral("Tensor comm")));
    }

    /// A step that goes on is not spoken of as if it were over, and is once it is.
    void pathOfAStepWaitsForItsEnd() {
        sample::Bench run;
        const Plan plan = sample::plan(sample::layout(1, 4, 8));
        run.model.begin(headerOf(plan), plan.simulation.events);
        const std::vector<Event> all = sample::events(plan, 2, freshSeed());
        const auto most = std::span(all).first(all.size() - 40);
        run.model.append(most);
        CriticalPathView view(run.context(), nullptr);
        run.selection.setCursor(run.model.steps().extents()[1].begin);
        view.flush();
        QVERIFY(!run.model.steps().all()[1].complete);
        QVERIFY(view.subtitle().startsWith(QStringLiteral("predicted · ")));
        run.model.append(std::span(all).subspan(most.size()));
        QVERIFY(run.model.steps().all()[1].complete);
        QTRY_VERIFY(view.subtitle().startsWith(QStringLiteral("step 1 · ")));
        const auto path = measuredPath(run.model, *run.model.prediction().account(), 0, 1);
        QVERIFY(view.asTable().count(QLatin1Char('\n')) > static_cast<qsizetype>(path->path.links.size()));
        QVERIFY(view.subtitle().contains(QStringLiteral(" %1 actions").arg(path->path.links.size())));
    }

    /// What decides a step that is not flushed lies in part in those before it: the predicted path's actions are shown.
    void pathOfAStepWithoutFlushIsThePrediction() {
        sample::Bench run;
        Layout layout = sample::layout(1, 4, 8);
        layout.schedule.kind = "pipedream";
        layout.optimizer.clip = 0;
        const Plan plan = sample::plan(layout);
        sample::fill(run.model, plan, 3, freshSeed());
        const StepAccount* account = run.model.prediction().account();
        QVERIFY(account);
        QVERIFY(!measuredPath(run.model, *account, 0, 1));
        QVERIFY(!pathEvents(run.model, *account, 0, &run.model.steps().extents()[1]).empty());
        CriticalPathView view(run.context(), nullptr);
        view.flush();
        QVERIFY(view.subtitle().startsWith(QStringLiteral("predicted · ")));
    }
};

QTEST_MAIN(CriticalPathViewTest)
#include "critical_path_view_test.moc"
