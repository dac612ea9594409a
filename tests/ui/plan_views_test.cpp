// SPDX-License-Identifier: GPL-3.0-or-later
// Views of a prediction: memory over time, sliders, schedules side by side, copies to the host.
#include "tests/support/seed.h"
#include "tests/ui/design_bench.h"
#include "tests/support/wings.h"
#include "engine/base/units.h"
#include "engine/launch/job/run_header.h"
#include "ui/core/legend.h"
#include "ui/core/step_account.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/answer/answer_view.h"
#include "ui/views/memory_over_time/memory_curve_plot.h"
#include "ui/views/memory_over_time/memory_over_time_view.h"
#include "ui/views/mesh/mesh_grid.h"
#include "ui/views/mesh/mesh_view.h"
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
#include <QTextEdit>
#include <QUndoStack>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

using namespace shardlab;
using namespace shardlab::test;

class PlanViewsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A prediction of another program's stack tells its band, and what it stands on.
    void answersTellTheirBand() {
        Layout layout = sample::layout(1, 4, 8);
        layout.cluster.pace = PaceSpec{"h100-sxm", 60, "megatron-core"};
        layout.precision.compute = NumberFormat::Bf16;
        sample::DesignBench bench(layout);
        QTRY_VERIFY(bench.document.planIsCurrent());
        AnswerView answer(bench.context(), nullptr);
        const QString step = QString::fromStdString(formatSeconds(bench.document.plan()->stepSeconds));
        QTRY_VERIFY2(answer.asTable().contains(step + QStringLiteral(" ± ")), qPrintable(answer.asTable()));
        QVERIFY(answer.asTable().contains(QStringLiteral("published run")));
        layout.cluster.pace->stack = "shardlab";
        bench.document.change(layout, QStringLiteral("our own stack"));
        QTRY_VERIFY(bench.document.planIsCurrent());
        QTRY_VERIFY2(!answer.asTable().contains(QStringLiteral("±")), qPrintable(answer.asTable()));
    }

    /// A stage of the embedding alone, and one of the output alone, say so.
    void endsWithoutALayerAreNamed() {
        Layout layout = sample::layout(1, 4, 8);
        layout.model.layers = 2;
        layout.schedule.countEnds = true;
        sample::DesignBench bench(layout);
        QTRY_VERIFY(bench.document.planIsCurrent());
        const QString table = MeshView(bench.context(), nullptr).asTable();
        for (const char* held : {"embedding", "L0", "L1", "output"})
            QVERIFY2(table.contains(QLatin1Char('\t') + QString(held) + QLatin1Char('\t')), qPrintable(table));
    }

    /// However slowly a step is shown, Design tells the modelled device's times, and names the pace beside them.
    void pacedDesignsTellDeviceTime() {
        Layout layout = sample::layout(1, 4, 8);
        layout.cluster.pace = PaceSpec{"h100-sxm", 60};
        sample::DesignBench bench(layout);
        QTRY_VERIFY(bench.document.planIsCurrent());
        const Plan plan = *bench.document.plan();
        AnswerView answer(bench.context(), nullptr);
        TimelineView timeline(bench.context(), nullptr);
        const QString step = QString::fromStdString(formatSeconds(plan.stepSeconds)),
                      pace = QString::fromStdString(DeviceTime(plan.costs.stretch).text().english());
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
        const auto ticks = timeTicks(0, bench.model.prediction().end(), 10, bench.model.deviceTime());
        QVERIFY(ticks.size() > 2 && !ticks.back().label.endsWith(QStringLiteral(" s")));
        QVERIFY(ticks.back().time <= bench.model.prediction().end());
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
        sample::DesignBench bench;
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
        sample::DesignBench bench;
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
        const Event forward = bench.model.prediction().lane(curve.plot().curves().rank, Lane::Compute).front();
        bench.selection.setVisible({0, bench.model.prediction().end()});
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
        const StepExtent& third = bench.model.steps().extents()[2];
        bench.selection.setVisible({third.begin, third.end});
        bench.selection.setRank(1);
        view.flush();
        const MemoryCurves& curves = view.plot().curves();
        QVERIFY(curves.measured && !curves.offsets.empty());
        QCOMPARE(curves.filled.peak, bench.model.steps().all()[2].ranks[1].peakBytes);
        QCOMPARE(curves.predicted.peak, plan.memory[1].peak);
        for (const MemoryPoint& point : curves.filled.points)
            QVERIFY(point.bytes == bench.model.store().memory(1).at(point.time));
        // However many there are, no more points than asked for.
        QVERIFY(measuredMemory(bench.model, 1, 0, bench.model.recorded().last, 10).points.size() <= 10);
    }

    /// Neither the curve, where it rises over the limit, nor the peak's label has the limit's label in it.
    void limitIsNamedBesideTheCurve_data() {
        QTest::addColumn<double>("peakAt");  // as a share of the step
        for (const double at : {0.02, 0.4, 0.95}) QTest::addRow("peak at %g", at) << at;
    }
    void limitIsNamedBesideTheCurve() {
        QFETCH(double, peakAt);
        sample::DesignBench bench(sample::layout(1, 4, 8));
        QTRY_VERIFY(bench.document.planIsCurrent());
        MemoryCurvePlot plot(bench.context(), nullptr);
        plot.resize(700, 120);
        constexpr std::int64_t giga = std::int64_t{1} << 30;
        const std::int64_t whole = bench.model.prediction().end();
        MemoryCurves curves{
            .rank = 0, .predictedEnd = whole, .knownUntil = whole, .device = {.capacityBytes = 64 * giga}};
        const auto add = [&](double share, std::int64_t bytes) {
            MemoryPoint point{.time = static_cast<std::int64_t>(share * static_cast<double>(whole))};
            point.bytes[0] = bytes;
            curves.filled.points.push_back(point);
        };
        add(0, 84 * giga);
        add(peakAt, 86 * giga);
        add(peakAt + 0.01, 84 * giga);
        curves.filled.peak = 86 * giga;
        plot.setCurves(curves);
        QVERIFY(plot.limitInSight());
        const QImage picture = plot.grab().toImage();
        const auto isRed = [](const QColor& colour) { return colour.red() > colour.blue() + 60; };  // letters blend
        const int foot = plot.pointOf(0, 84 * giga).y(), limit = plot.pointOf(0, 64 * giga).y();
        const int left = plot.pointOf(0, 0).x(), middle = (left + plot.width()) / 2;
        const auto reds = [&](int fromX, int toX, int fromY, int toY) {
            int count = 0;
            for (int y = fromY; y < toY; ++y)
                for (int x = fromX; x < toX; ++x) count += isRed(picture.pixelColor(x, y)) ? 1 : 0;
            return count;
        };
        QCOMPARE(reds(left, plot.width(), foot + 1, limit - 1), 0);
        QVERIFY(reds(left, middle, 0, foot) > 20);
        QVERIFY(reds(middle, plot.width(), 0, foot) > 20);
    }

    void curveEndsWhereItsRankWasLastHeardOf() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan(sample::layout(1, 4, 8)), 2, freshSeed());
        const std::int64_t heard = bench.model.store().lane(1, Lane::Compute).lastEnd(), later = 2 * heard;
        bench.model.append(std::vector{Event{
            .begin = heard, .end = later, .step = 2, .rank = 0, .lane = Lane::Compute, .kind = EventKind::Forward}});
        MemoryOverTimeView view(bench.context(), nullptr);
        view.resize(700, 160);
        view.show();
        bench.selection.setVisible({0, later});
        bench.selection.setRank(1);
        view.flush();
        const auto filled = [&](std::int64_t time) {
            const QImage image = view.plot().grab().toImage();
            const std::int64_t little = view.plot().top() / 64;
            return image.pixelColor(view.plot().pointOf(time, little)) !=
                   image.pixelColor(view.plot().pointOf(later - 1, little));
        };
        QVERIFY(filled(heard / 2));
        QVERIFY(!filled(heard + heard / 2));
        QVERIFY(!view.plot().figures(heard / 2).isEmpty());
        QVERIFY(view.plot().figures(heard + heard / 2).isEmpty());
        bench.selection.setRank(0);
        view.flush();
        QVERIFY(!view.plot().figures(heard + heard / 2).isEmpty());
    }

    void slidersGoThroughLegalValuesAndADragIsOneUndo() {
        Layout layout = sample::layout(1, 4, 8);
        layout.batch.micro = 2;
        sample::DesignBench bench(layout);
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
        // A number is not parted from its unit where the line is wrapped.
        for (const QLabel* label : view.findChildren<QLabel*>())
            QVERIFY2(!label->text().contains(QStringLiteral(" MiB")) && !label->text().contains(QStringLiteral(" %")),
                     qPrintable(label->text()));
    }

    /// A layout with faults had "0" microbatches, and the words "legal values" beside sliders that do not move.
    void slidersOfALayoutWithFaultsSaySo() {
        sample::DesignBench bench(sample::layout(1, 4, 8));
        SlidersView view(bench.context(), nullptr);
        QCOMPARE(view.subtitle(), QStringLiteral("legal values"));
        Layout faulty = bench.document.layout();
        faulty.model.heads = 7;
        faulty.batch = {15, 2};
        bench.document.change(faulty, QStringLiteral("faults"));
        QCOMPARE(view.subtitle(), QStringLiteral("mend the faults first"));
        for (const QLabel* label : view.findChildren<QLabel*>()) QVERIFY(label->text() != QStringLiteral("0"));
        bench.document.undoStack().undo();
        QCOMPARE(view.subtitle(), QStringLiteral("legal values"));
    }

    /// Where the figures took two lines, the rows above them were pressed together until their words were cut.
    void slidersKeepTheHeightOfTheirRows() {
        sample::DesignBench bench(sample::layout(1, 4, 8));
        QWidget window;
        auto* column = new QVBoxLayout(&window);
        auto* view = new SlidersView(bench.context(), nullptr);
        column->addWidget(view);
        column->addWidget(new QTextEdit, 1);
        for (const int width : {500, 240, 180, 150, 240}) {
            window.resize(width, 220);
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            for (const QLabel* label : view->findChildren<QLabel*>())
                QTRY_VERIFY2(label->height() >= (label->wordWrap() ? label->heightForWidth(label->width())
                                                                   : label->sizeHint().height()),
                             qPrintable(label->text()));
        }
    }

    void schedulesAreComparedAndTaken() {
        sample::DesignBench bench;
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
        sample::DesignBench bench;
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
        sample::DesignBench bench(layout);
        TimelineView view(bench.context(), nullptr);
        view.resize(1200, 260);
        view.show();
        QTest::qWait(100);
        const TimelineState& state = view.plot().state();
        for (const EventKind kind : {swaps ? EventKind::SwapOut : EventKind::OffloadGradients,
                                     swaps ? EventKind::SwapIn : EventKind::ReloadWeights}) {
            const auto& copies = bench.model.prediction().lane(0, Lane::Copy);
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
