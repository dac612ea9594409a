// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of every workspace, dark and light, small and large, for people to look at; and what a picture can be asked:
// no view is squeezed away, every view draws something.
#include "desktop_fixture.h"
#include "engine/launch/job/run_header.h"
#include "synthetic_run.h"
#include "tests/ui/sample_precision.h"
#include "tests/support/wings.h"

#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QDir>
#include <QImage>
#include <QtTest>

#include <set>

using namespace shardlab;
using namespace shardlab::test;

class ScreenshotsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pictures_data();
    void pictures();
    void faultyDesign();
    void emptyRun();

private:
    static void save(const QImage& picture, const QString& name) {
        const QString folder = QCoreApplication::applicationDirPath() + QStringLiteral("/screenshots");
        QVERIFY(QDir().mkpath(folder));
        // Packed quickly: most of the time went to that.
        QVERIFY(picture.save(folder + QLatin1Char('/') + name + QStringLiteral(".png"), "PNG", 90));
    }
    /// Two overflows, a checkpoint, and gradients by exponent.
    static void record16Bits(RunModel& model) {
        constexpr int overflowing[]{12, 58};
        sample::addScales(model, overflowing);
        sample::addExponents(model, sample::bell, 4000, 0);
        std::vector<Event> events;
        for (const int step : overflowing)
            events.push_back(sample::overflow(model, step, 4, ActionKind::Backward, 2, 5, 3));
        const std::int64_t end = model.steps().extents()[58].end;
        const std::int64_t pause = model.steps().extents()[59].begin - end;
        for (std::int16_t rank = 0; rank < model.ranks(); ++rank) {
            events.push_back({end, end + pause / 2, 4 << 20, 0, 0, 58, rank, Lane::Host, EventKind::Snapshot});
            events.push_back(
                {end + pause / 2, end + 12 * pause, 4 << 20, 0, 0, 58, rank, Lane::Copy, EventKind::CheckpointWrite});
        }
        model.append(events);
    }
    static void show(Desk& desk, const Layout& layout) {
        desk.workbench.newFromPreset(layout);
        const Plan& plan = *desk.document().plan();
        const auto events = syntheticRun(plan, 60, 7);
        for (const Workspace workspace : {Workspace::Run, Workspace::Replay}) {
            RunModel& model = desk.workbench.model(workspace);
            model.begin(headerOf(plan), plan.simulation.events);
            for (const RankRecord& record : syntheticRanks(plan)) model.report().setRank(record);
            model.append(std::span(events));
            record16Bits(model);
            if (workspace == Workspace::Run)
                desk.workbench.selection(workspace).select(
                    sample::overflow(model, 58, 4, ActionKind::Backward, 2, 5, 3));
        }
    }
};

void ScreenshotsTest::pictures_data() {
    QTest::addColumn<Workspace>("workspace");
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QSize>("size");
    for (const Workspace workspace : workspaces)
        for (const bool dark : {true, false})
            for (const QSize size : {QSize(1280, 720), QSize(2560, 1440)})
                QTest::addRow("%s-%s-%d", qPrintable(name(workspace).toLower()), dark ? "dark" : "light", size.width())
                    << workspace << dark << size;
}

void ScreenshotsTest::pictures() {
    QFETCH(Workspace, workspace);
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    Desk desk;
    desk.workbench.theme().setDark(dark);
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    Layout layout;
    layout.name = "gpt-tiny";
    layout.cluster.hosts = {{"node-a", 4}, {"node-b", 4}};
    layout.cluster.pace.emplace();
    layout.parallel.pipeline = 4;
    layout.batch.global = 32;
    layout.precision.compute = NumberFormat::Fp16;
    layout.precision.lossScale = LossScaling::Dynamic;
    layout.memory.recompute = RecomputeKind::Full;
    show(desk, layout);
    window.showWorkspace(workspace);
    window.resize(size);
    window.show();
    QTest::qWait(350);
    const QImage whole = window.grab().toImage();
    QCOMPARE(whole.size(), size);
    save(whole, QString::fromLatin1(QTest::currentDataTag()));
    for (DockPanel* panel : window.area(workspace).panels()) {
        QImage picture = whole;
        if (!window.area(workspace).tabifiedDockWidgets(panel).isEmpty()) {
            panel->raise();
            QTest::qWait(120);
            picture = window.grab().toImage();
            save(picture, QString::fromLatin1(QTest::currentDataTag()) + QLatin1Char('-') + panel->id());
        }
        QVERIFY2(panel->isVisible(), qPrintable(panel->id()));
        QVERIFY2(panel->width() >= 150 && panel->height() >= 40, qPrintable(panel->id()));
        const QRect place(panel->mapTo(&window, QPoint()), panel->size());
        QVERIFY2(window.rect().contains(place), qPrintable(panel->id()));
        std::set<QRgb> colours;
        for (int y = place.top(); y < place.bottom(); y += 2)
            for (int x = place.left(); x < place.right(); x += 2) colours.insert(picture.pixel(x, y));
        QVERIFY2(colours.size() > 4, qPrintable(panel->id() + " draws nothing"));
    }
}

void ScreenshotsTest::faultyDesign() {
    Desk desk;
    desk.workbench.theme().setDark(true);
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    Layout layout = desk.document().layout();
    layout.model.heads = 7;
    layout.batch.global = 15;
    desk.document().change(layout, QStringLiteral("faults"));
    window.resize(1280, 720);
    window.show();
    desk.document().requestField(QStringLiteral("/model/heads"));
    desk.workbench.startRun();
    QTest::qWait(350);
    save(window.grab().toImage(), QStringLiteral("design-faults"));
    QCOMPARE(desk.document().faults().size(), std::size_t{2});
}

void ScreenshotsTest::emptyRun() {
    Desk desk;
    desk.workbench.theme().setDark(true);
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.resize(1280, 720);
    window.showWorkspace(Workspace::Run);
    window.show();
    window.commands()["help.palette"].trigger();
    QTest::qWait(200);
    save(window.grab().toImage(), QStringLiteral("run-empty-palette"));
    window.commands()["help.keys"].trigger();
    QTest::qWait(50);
    save(window.grab().toImage(), QStringLiteral("run-empty-keys"));
}

QTEST_MAIN(ScreenshotsTest)
#include "screenshots_test.moc"
