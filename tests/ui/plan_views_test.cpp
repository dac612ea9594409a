// SPDX-License-Identifier: GPL-3.0-or-later
// Views of a prediction: memory over time, sliders, schedules side by side, the critical path.
#include "tests/support/seed.h"
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "engine/base/units.h"
#include "engine/launch/job/run_header.h"
#include "ui/core/legend.h"
#include "ui/core/step_account.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/path_overlay.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/answer/answer_view.h"
#include "ui/views/critical_path/critical_path_view.h"
#include "ui/views/memory_over_time/memory_curve_plot.h"
#include "ui/views/memory_over_time/memory_over_time_view.h"
#include "ui/views/mesh/mesh_grid.h"
#include "ui/views/schedules/schedules_plot.h"
#include "ui/views/schedules/schedules_view.h"
#include "ui/views/sliders/sliders_view.h"
#include "ui/views/timeline/timeline_view.h"

#include <QAction>
#include <QDir>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSlider>
#include <QTableWidget>
#include <QTest>
#include <QUndoStack>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// A bench in Design whose model follows the document, as the workbench has it.
struct DesignBench : sample::Bench {
    explicit DesignBench(const Layout& layout = sample::layout(1, 4, 8)) : Bench(Workspace::Design) {
        QObject::connect(&document, &Document::planChanged, &model, [this] { show(); });
        document.replace(layout, {});
        show();
        selection.setVisible({0, model.predictedEnd()});
    }
    void show() {
        if (document.plan() && document.planIsCurrent())
            model.begin(headerOf(*document.plan()), document.plan()->simulation.events);
    }
};

}  // namespace

class PlanViewsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// However slowly a step is shown, Design tells the modelled device's times, and names the pace beside them.
    void pacedDesignsTellDeviceTime() {
        Layout layout = sample::layout(1, 4, 8);
        layout.cluster.pace = PaceSpec{"h100-sxm", 60};
        DesignBench bench(layout);
        QTRY_VERIFY(bench.document.planIsCurrent());
        const Plan plan = *bench.document.plan();
        AnswerView answer(bench.context(), nullptr);
        TimelineView timeline(bench.context(), nullptr);
        const QString step = QString::fromStdString(formatSeconds(plan.stepSeconds)),
                      pace = QString::fromStdString(DeviceTime(plan.costs.stretch).text());
        QVERIFY(!pace.isEmpty() && plan.stepSeconds < 1);
        QVERIFY2(answer.asTable().contains(QLatin1Char('\t') + step), qPrintable(answer.asTable()));
        QVERIFY(answer.asTable().contains(QString::fromStdString(formatCount(plan.tokensPerSecond))));
        QCOMPARE(answer.subtitle(), pace);
        QVERIFY2(timeline.subtitle().contains(step) && timeline.subtitle().endsWith(pace),
                 qPrintable(timeline.subtitle()));
        for (const View* view : std::initializer_list<const View*>{&answer, &timeline})
            QVERIFY2(view->subtitleHelp().contains(pace + QStringLiteral(": a step lasts 1 min 0 s")),
                     qPrintable(view->subtitleHelp()));
        // The axis ends where the step does, in device time.
        const auto ticks = timeTicks(0, bench.model.predictedEnd(), 10, bench.model.deviceTime());
        QVERIFY(ticks.size() > 2 && !ticks.back().label.endsWith(QStringLiteral(" s")));
        QVERIFY(ticks.back().time <= bench.model.predictedEnd());
    }

    /// Whatever the mesh: every rank is large enough to be named, none covers another, and tensor ranks touch.
    void everyRankOfAMeshCanBeRead_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("stagesDown");
        QTest::newRow("pipeline of tensor ranks") << 1 << 8 << 8 << true;
        QTest::newRow("replicas of it") << 2 << 8 << 8 << true;
        QTest::newRow("more replicas than stages") << 8 << 2 << 8 << false;
        QTest::newRow("no tensor ranks") << 4 << 16 << 1 << false;
        QTest::newRow("few tensor ranks") << 1 << 4 << 2 << false;
    }
    void everyRankOfAMeshCanBeRead() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(bool, stagesDown);
        Layout layout;
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.parallel.tensor = tensor;
        layout.cluster.hosts = {{"localhost", data * pipeline * tensor}};
        const Mesh mesh(layout);
        sample::Bench bench(Workspace::Design);
        MeshGrid grid(bench.theme, nullptr);
        QStringList heads;
        for (int stage = 0; stage < pipeline; ++stage) heads << QString("L%1").arg(stage);
        grid.setMesh(mesh, heads);
        grid.resize(grid.minimumSizeHint().expandedTo({246, 180}));
        if (data == 1 && stagesDown) QVERIFY2(grid.width() <= 246, "a narrow column scrolls sideways");
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            const QRect cell = grid.cellRect(rank);
            QVERIFY2(cell.width() >= 20 && cell.height() >= 15, "too small for a rank's number");
            QVERIFY(grid.rect().contains(cell));
            for (int other = 0; other < rank; ++other) QVERIFY(!cell.intersects(grid.cellRect(other)));
        }
        const auto at = [&](int d, int p, int t) {
            for (int rank = 0; rank < mesh.ranks(); ++rank)
                if (mesh.coordinate(rank, Axis::Data) == d && mesh.coordinate(rank, Axis::Pipeline) == p &&
                    mesh.coordinate(rank, Axis::Tensor) == t)
                    return rank;
            return -1;
        };
        if (tensor > 1) QVERIFY(grid.cellRect(at(0, 0, 1)).left() - grid.cellRect(at(0, 0, 0)).right() <= 2);
        QCOMPARE(grid.cellRect(at(0, 1, 0)).top() > grid.cellRect(at(0, 0, 0)).bottom(), stagesDown);

        // The keys go where the eye does.
        int picked = -1;
        connect(&grid, &MeshGrid::picked, &grid, [&](int rank) { grid.setSelected(picked = rank); });
        grid.setSelected(at(0, 0, 0));
        QTest::keyClick(&grid, stagesDown ? Qt::Key_Down : Qt::Key_Right);
        for (int press = 1; press < tensor && !stagesDown; ++press) QTest::keyClick(&grid, Qt::Key_Right);
        QCOMPARE(picked, at(0, 1, 0));
    }

    void curvesPeakIsThePlansAndTheRankFollowsTheSelection() {
        DesignBench bench;
        MemoryOverTimeView view(bench.context(), nullptr);
        view.resize(700, 160);
        view.show();
        view.flush();
        const auto& memory = bench.document.plan()->memory;
        const auto most = std::max_element(memory.begin(), memory.end(),
                                           [](const RankMemory& a, const RankMemory& b) { return a.peak < b.peak; });
        QCOMPARE(view.plot().curves().rank, most->rank);
        for (const RankMemory& rank : memory) {
            bench.selection.setRank(rank.rank);
            view.flush();
            QCOMPARE(view.plot().curves().rank, rank.rank);
            QCOMPARE(view.plot().curves().filled.peak, rank.peak);
            QVERIFY(!view.plot().curves().measured);
        }
        QVERIFY(view.asTable().count(QLatin1Char('\n')) > 10);
        QVERIFY(view.subtitle().contains(QStringLiteral("predicted")));
    }

    void curveLiesOnTheTimelinesAxis() {
        DesignBench bench;
        TimelineView timeline(bench.context(), nullptr);
        MemoryOverTimeView curve(bench.context(), nullptr);
        for (QWidget* view : std::initializer_list<QWidget*>{&timeline, &curve}) {
            view->resize(800, 240);
            view->show();
        }
        QTRY_COMPARE(timeline.plot().state().scale.left, curve.plot().scale().left);
        const TimeScale above = timeline.plot().state().scale, below = curve.plot().scale();
        QCOMPARE(below.left, above.left);
        QCOMPARE(below.width, above.width);
        QCOMPARE(below.begin, above.begin);
        QCOMPARE(below.end, above.end);
        // Zoomed in one, zoomed in both; what is clicked in one is selected in both.
        QWheelEvent wheel(QPointF(400, 80), curve.plot().mapToGlobal(QPointF(400, 80)), {}, {0, 120}, Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&curve.plot(), &wheel);
        QTRY_VERIFY(timeline.plot().state().scale.end - timeline.plot().state().scale.begin < above.end - above.begin);
        QCOMPARE(curve.plot().scale().begin, timeline.plot().state().scale.begin);
        const Event forward = bench.model.predicted(curve.plot().curves().rank, Lane::Compute).front();
        bench.selection.setVisible({0, bench.model.predictedEnd()});
        const QPoint at =
            curve.plot().pointOf((forward.begin + forward.end) / 2, curve.plot().curves().filled.peak / 2);
        QTest::mouseClick(&curve.plot(), Qt::LeftButton, {}, at);
        QVERIFY(bench.selection.event().has_value());
        QCOMPARE(bench.selection.event()->action, forward.action);
        QVERIFY(curve.plot().figures((forward.begin + forward.end) / 2).contains(QStringLiteral("activations")));
    }

    void measuredCurveFollowsTheCounters() {
        sample::Bench bench;
        const Plan plan = sample::plan(sample::layout(1, 4, 8));
        sample::fill(bench.model, plan, 6, freshSeed());
        MemoryOverTimeView view(bench.context(), nullptr);
        view.resize(700, 160);
        view.show();
        const StepExtent& third = bench.model.stepExtents()[2];
        bench.selection.setVisible({third.begin, third.end});
        bench.selection.setRank(1);
        view.flush();
        const MemoryCurves& curves = view.plot().curves();
        QVERIFY(curves.measured && !curves.offsets.empty());
        QCOMPARE(curves.filled.peak, bench.model.summary().steps()[2].ranks[1].peakBytes);
        QCOMPARE(curves.predicted.peak, plan.memory[1].peak);
        for (const MemoryPoint& point : curves.filled.points)
            QVERIFY(point.bytes == bench.model.memoryAt(1, point.time));
        // However many there are, no more points than asked for.
        QVERIFY(bench.model.measuredMemory(1, 0, bench.model.lastTime(), 10).points.size() <= 10);
    }

    void slidersGoThroughLegalValuesAndADragIsOneUndo() {
        Layout layout = sample::layout(1, 4, 8);
        layout.batch.micro = 2;
        DesignBench bench(layout);
        const Layout before = bench.document.layout();
        SlidersView view(bench.context(), nullptr);
        view.show();
        QSlider& microbatches_ = view.slider(SweepAxis::Microbatches);
        QVERIFY(microbatches_.isEnabled());
        const double bubble = bench.document.plan()->bubble;
        microbatches_.setSliderDown(true);
        Q_EMIT microbatches_.sliderPressed();
        for (int position = 0; position <= microbatches_.maximum(); ++position) {
            microbatches_.setSliderPosition(position);
            QVERIFY(bench.document.faults().empty());
            QVERIFY(bench.document.planIsCurrent());  // redrawn while it moves
        }
        microbatches_.setSliderDown(false);
        QCOMPARE(microbatches(bench.document.layout()), before.batch.global / before.parallel.data);
        QVERIFY(bench.document.plan()->bubble <= bubble);
        QCOMPARE(bench.document.undoStack().count(), 1);
        bench.document.undoStack().undo();
        QVERIFY(bench.document.layout() == before);
        // A schedule with one chunk has nothing to slide, and says so.
        QVERIFY(!view.slider(SweepAxis::Chunks).isEnabled());
        QVERIFY(view.slider(SweepAxis::Chunks).toolTip().contains(QStringLiteral("exactly 1")));
        // Keys are steps of their own.
        view.slider(SweepAxis::Pipeline).setFocus();
        QTest::keyClick(&view.slider(SweepAxis::Pipeline), Qt::Key_Left);
        QCOMPARE(bench.document.layout().parallel.pipeline, 2);
        QTest::keyClick(&view.slider(SweepAxis::Pipeline), Qt::Key_Left);
        QCOMPARE(bench.document.undoStack().count(), 2);
        QVERIFY(view.asTable().contains(QStringLiteral("Pipeline\t1")));
    }

    void schedulesAreComparedAndTaken() {
        DesignBench bench;
        SchedulesView view(bench.context(), nullptr);
        view.resize(420, 320);
        view.show();
        QTRY_COMPARE(view.outcomes().outcomes().size(), std::size_t{2});  // its own is 1F1B
        for (const ScheduleOutcome& outcome : view.outcomes().outcomes()) {
            QVERIFY(outcome.legal());
            const auto plan = makePlan(outcome.layout);
            QCOMPARE(outcome.bubble, plan->bubble);
            QVERIFY(std::abs(outcome.stepSeconds / plan->stepSeconds - 1) < 1e-9);
        }
        view.outcomes().choose({"gpipe", "1f1b", "zb-h1", "interleaved-1f1b"});
        QTRY_COMPARE(view.table().rowCount(), 4);
        QVERIFY(view.asTable().contains(QStringLiteral("zb-h1")));
        QVERIFY(view.grab().toImage().width() > 0);
        // What cannot be says why and is not taken.
        const auto& outcomes = view.outcomes().outcomes();
        const auto illegal =
            std::find_if(outcomes.begin(), outcomes.end(), [](const ScheduleOutcome& each) { return !each.legal(); });
        if (illegal != outcomes.end()) {
            const int row = static_cast<int>(illegal - outcomes.begin());
            QVERIFY(!view.table().item(row, 1)->text().isEmpty());
            const Layout before = bench.document.layout();
            Q_EMIT view.plot().picked(row);
            QVERIFY(!view.takeButton().isEnabled());
            Q_EMIT view.plot().taken(row);
            QVERIFY(bench.document.layout() == before);
        }
        const Layout before = bench.document.layout();
        // A click selects; a button, Enter and a double click take.
        const QPoint gpipe = view.plot().blockOf(0).center(),
                     cell = view.table().visualItemRect(view.table().item(0, 0)).center();
        QTest::mouseClick(view.table().viewport(), Qt::LeftButton, {},
                          view.table().visualItemRect(view.table().item(1, 0)).center());
        QVERIFY(!view.takeButton().isEnabled());  // the layout's own
        QTest::mouseClick(&view.plot(), Qt::LeftButton, {}, gpipe);
        QCOMPARE(view.table().currentRow(), 0);
        QTest::mouseClick(view.table().viewport(), Qt::LeftButton, {}, cell);
        QVERIFY(bench.document.layout() == before && view.takeButton().isEnabled());
        const std::vector<std::function<void()>> takes{
            [&] { QTest::mouseClick(&view.takeButton(), Qt::LeftButton); },
            [&] { QTest::keyClick(&view.table(), Qt::Key_Return); },
            [&] { QTest::mouseDClick(view.table().viewport(), Qt::LeftButton, {}, cell); },
            [&] { QTest::mouseDClick(&view.plot(), Qt::LeftButton, {}, gpipe); },
        };
        for (const auto& take : takes) {
            take();
            QCOMPARE(bench.document.layout().schedule.kind, std::string("gpipe"));
            QVERIFY(bench.document.faults().empty());
            QCOMPARE(bench.document.undoStack().index(), 1);
            bench.document.undoStack().undo();
            QVERIFY(bench.document.layout() == before);
        }
    }

    void schedulesThatTakeAsLongAreAllTheQuickest() {
        DesignBench bench;
        SchedulesView view(bench.context(), nullptr);
        view.resize(420, 320);
        view.show();
        view.outcomes().choose({"naive", "gpipe", "1f1b"});
        QTRY_COMPARE(view.table().rowCount(), 3);
        const auto step = [&](int row) { return view.table().item(row, 3); };
        QCOMPARE(step(1)->text(), step(2)->text());  // the same bubble
        const QColor good = bench.theme.theme().good;
        QVERIFY(step(0)->foreground().color() != good);
        QCOMPARE(step(1)->foreground().color(), good);
        QCOMPARE(step(2)->foreground().color(), good);
    }

    void pathIsFoundInPredictionAndRun() {
        DesignBench bench;
        const StepAccount* account = bench.model.account();
        QVERIFY(account);
        const std::vector<Event> predicted = pathEvents(bench.model, *account, 0, nullptr);
        QCOMPARE(predicted.size(), account->path.nodes.size());
        for (std::size_t i = 1; i < predicted.size(); ++i)
            QVERIFY(std::abs(predicted[i].begin - predicted[i - 1].end) <= 2);
        QVERIFY(std::abs(predicted.back().end - bench.model.predictedEnd()) <= 2);

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
        const StepAccount* recorded = run.model.account();
        QVERIFY(recorded);
        // Its steps are the prediction with a time that runs unevenly: what decided is the same, and nothing lies
        // between.
        for (const int step : {0, 1, 3}) {
            const auto path = measuredPath(run.model, *recorded, 1, step);
            QVERIFY(path && path->step == step);
            const std::vector<Event> drawn =
                pathEvents(run.model, *recorded, 1, &run.model.stepExtents()[static_cast<std::size_t>(step)]);
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
                for (const Event& event : run.model.eventsOfStep(rank, Lane::Compute, step))
                    last = std::max(last, event.end);
            QVERIFY(std::abs(drawn.back().end - last) < 1000);
        }
        QVERIFY(!measuredPath(run.model, *recorded, 1, 17));

        CriticalPathView measured(run.context(), nullptr);
        measured.show();
        run.selection.setCursor(run.model.stepExtents()[2].begin);
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
            const StepAccount* account = run.model.account();
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
        DesignBench without;
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
        run.selection.setCursor(run.model.stepExtents()[1].begin);
        view.flush();
        QVERIFY(!run.model.summary().steps()[1].complete);
        QVERIFY(view.subtitle().startsWith(QStringLiteral("predicted · ")));
        run.model.append(std::span(all).subspan(most.size()));
        QVERIFY(run.model.summary().steps()[1].complete);
        QTRY_VERIFY(view.subtitle().startsWith(QStringLiteral("step 1 · ")));
        const auto path = measuredPath(run.model, *run.model.account(), 0, 1);
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
        const StepAccount* account = run.model.account();
        QVERIFY(account);
        QVERIFY(!measuredPath(run.model, *account, 0, 1));
        QVERIFY(!pathEvents(run.model, *account, 0, &run.model.stepExtents()[1]).empty());
        CriticalPathView view(run.context(), nullptr);
        view.flush();
        QVERIFY(view.subtitle().startsWith(QStringLiteral("predicted · ")));
    }

    /// With an optimizer or activations on the host: a strip below the bar, which is not taken for a checkpoint's.
    void copiesToTheHostAreAStrip_data() {
        QTest::addColumn<bool>("swaps");
        QTest::newRow("optimizer") << false;
        QTest::newRow("activations") << true;
    }
    void copiesToTheHostAreAStrip() {
        QFETCH(bool, swaps);
        Layout layout = sample::layout(1, 2, swaps ? 4 : 2);
        if (swaps) layout.schedule.kind = "gpipe";
        layout.memory.swap = swaps ? SwapKind::Activations : SwapKind::None;
        layout.memory.offload = swaps ? OffloadKind::None : OffloadKind::Optimizer;
        DesignBench bench(layout);
        TimelineView view(bench.context(), nullptr);
        view.resize(1200, 260);
        view.show();
        QTest::qWait(100);
        const TimelineState& state = view.plot().state();
        for (const EventKind kind : {swaps ? EventKind::SwapOut : EventKind::OffloadGradients,
                                     swaps ? EventKind::SwapIn : EventKind::ReloadWeights}) {
            const auto& copies = bench.model.predicted(0, Lane::Copy);
            auto copy = std::ranges::find(copies, kind, &Event::kind);
            QVERIFY(copy != copies.end());
            // The last of what comes back: the first are beside what still goes.
            if (kind == EventKind::SwapIn)
                copy = std::prev(std::ranges::find(copies.rbegin(), copies.rend(), kind, &Event::kind).base());
            const std::int64_t margin = 2 * (copy->end - copy->begin);
            bench.selection.setVisible({copy->begin - margin, copy->end + margin});
            QTest::qWait(100);
            const QRect place = eventRect(state, *copy);
            QVERIFY(!place.isEmpty());
            QCOMPARE(view.plot().canvas()->grab().toImage().pixelColor(place.center()),
                     bench.theme.theme().action(kind));
            QTest::mouseClick(view.plot().canvas(), Qt::LeftButton, {}, place.center());
            QVERIFY(bench.selection.event());
            QCOMPARE(bench.selection.event()->kind, kind);
        }
        const QString legend = view.findChild<Legend*>()->accessibleName();
        QVERIFY2(legend.contains(QStringLiteral("host copy")) && !legend.contains(QStringLiteral("checkpoint")),
                 qPrintable(legend));
    }
};

QTEST_MAIN(PlanViewsTest)
#include "plan_views_test.moc"
