// SPDX-License-Identifier: GPL-3.0-or-later
// The arrangement of the window's views: closed ones stay closed, sizes stay, and a reset brings all back.
#include "desktop_fixture.h"
#include "recorded_run.h"

#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/top_bar.h"
#include "ui/window/workspace_area.h"
#include "engine/layout/presets.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QApplication>
#include <QHelpEvent>
#include <QLayout>
#include <QMouseEvent>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QTabBar>
#include <QToolTip>
#include <QtTest>

using namespace shardlab::test;

namespace {

/// Views stand in the area, each by itself.
void nothingOverlaps(const WorkspaceArea& area) {
    std::vector<const DockPanel*> shown;
    for (const DockPanel* panel : area.panels())
        if (panel->isVisible() && area.rect().contains(panel->geometry().center())) shown.push_back(panel);
    for (const DockPanel* panel : shown) {
        const QString where = area.accessibleName() + QLatin1Char(' ') + panel->id();
        QVERIFY2(area.rect().contains(panel->geometry()), qPrintable(where));
        const View& view = panel->view();
        if (view.isVisible())
            QVERIFY2(panel->rect().contains({view.mapTo(panel, QPoint()), view.size()}), qPrintable(where));
        for (const DockPanel* other : shown)
            QVERIFY2(other == panel || !panel->geometry().adjusted(-3, -3, 3, 3).intersects(other->geometry()),
                     qPrintable(where + QStringLiteral(" lies over ") + other->id()));
    }
}

}  // namespace

class ArrangementTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The form took the keyboard and stayed behind another view's tab, or closed.
    void aFieldThatIsAskedForComesIntoSight() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(900, 620);  // so small that all that is read or filled in is one stack
        window.show();
        window.showWorkspace(Workspace::Design);
        QVERIFY(QTest::qWaitForWindowActive(&window));
        WorkspaceArea& area = window.area(Workspace::Design);
        const auto inSight = [&](const char* id) {
            return !area.panel(QString::fromLatin1(id))->view().visibleRegion().isEmpty();
        };
        area.showPanel(QStringLiteral("notes"));
        QTRY_VERIFY(inSight("notes") && !inSight("layout_form"));
        desk.document().requestField(QStringLiteral("/batch/micro"));
        QTRY_VERIFY(inSight("layout_form") && area.focused() == QStringLiteral("layout_form"));
        area.panel(QStringLiteral("layout_form"))->hide();
        desk.document().requestField(QStringLiteral("/batch/micro"));
        QTRY_VERIFY(inSight("layout_form"));
        area.fill(QStringLiteral("timeline"));
        desk.document().requestField(QStringLiteral("/batch/micro"));
        QTRY_VERIFY(inSight("layout_form") && area.filled().isEmpty());
        QVERIFY(!inSight("order"));
        desk.document().requestField(QStringLiteral("/schedule/actions"));
        QTRY_VERIFY(inSight("order"));
    }

    void arrangementAndWorkspaceAreRestored() {
        Desk desk;
        QSize size;
        {
            MainWindow window(desk.workbench);
            window.resize(1111, 777);
            window.show();
            window.area(Workspace::Design).panel(QStringLiteral("traffic"))->hide();
            window.showWorkspace(Workspace::Run);
            QTest::qWait(20);
            size = window.size();
            QVERIFY(window.close());
        }
        MainWindow again(desk.workbench);
        again.show();
        // Qt 6.8 restores no window that is larger than its screen, and this one is small.
        if (QT_VERSION < QT_VERSION_CHECK(6, 8, 0) || again.screen()->availableGeometry().width() >= size.width())
            QCOMPARE(again.size(), size);
        QCOMPARE(again.workspace(), Workspace::Run);
        QVERIFY(again.area(Workspace::Run).panel(QStringLiteral("mesh"))->isVisible());
        again.showWorkspace(Workspace::Design);
        QVERIFY(!again.area(Workspace::Design).panel(QStringLiteral("traffic"))->isVisible());
        QVERIFY(again.area(Workspace::Design).panel(QStringLiteral("answer"))->isVisible());
    }

    /// On the screen of a small laptop in large letters the window once began larger than the screen.
    void theFirstWindowIsNotLargerThanItsScreen() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.show();
        const QSize most = window.screen()->availableSize().expandedTo(window.minimumSize());
        QVERIFY2(window.width() <= most.width() && window.height() <= most.height(),
                 qPrintable(QStringLiteral("%1x%2").arg(window.width()).arg(window.height())));
        QVERIFY(window.minimumWidth() <= 910 && window.minimumHeight() <= 480);  // 1366x768 at scale 1.5, less a bar
    }

    void arrangementsWithFormerIdsAreRestored() {
        Desk desk;
        QByteArray state;
        {
            MainWindow window(desk.workbench);
            window.show();
            window.showWorkspace(Workspace::Run);
            WorkspaceArea& area = window.area(Workspace::Run);
            area.panel(QStringLiteral("run_notes"))->hide();
            area.panel(QStringLiteral("memory_per_rank"))->hide();
            const QMap<QString, QString> former{
                {"run_notes", "notes"},    {"figures", "cards"},          {"gradients", "exponents"},
                {"selected", "inspector"}, {"memory_per_rank", "memory"}, {"memory_over_time", "memory_curve"},
            };
            for (DockPanel* panel : area.panels()) panel->setObjectName(former.value(panel->id(), panel->id()));
            state = area.saveState(4);
        }
        QSettings().setValue(QStringLiteral("arrangement/run"), state);
        MainWindow again(desk.workbench);
        again.show();
        again.showWorkspace(Workspace::Run);
        const WorkspaceArea& area = again.area(Workspace::Run);
        for (const DockPanel* panel : area.panels()) {
            const bool closed = panel->id() == "run_notes" || panel->id() == "memory_per_rank";
            QVERIFY2(panel->isHidden() == closed, qPrintable(panel->id()));
            QCOMPARE(panel->objectName(), panel->id());
        }
    }

    void aClickBesideAControlLeavesTheSizesToTheWindow() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(1600, 1000);
        window.show();
        DockPanel* form = window.area(Workspace::Design).panel(QStringLiteral("layout_form"));
        DockPanel* notes = window.area(Workspace::Design).panel(QStringLiteral("notes"));
        QVERIFY(form && notes);
        QTest::qWait(200);
        const int width = form->width();
        QTest::mouseClick(notes, Qt::LeftButton, {}, QPoint(1, notes->height() - 2));
        window.resize(1280, 720);
        QTRY_VERIFY(std::abs(form->width() - width) <= 1);  // a pixel is rounded
    }

    /// Views once lay over their neighbours in a small window.
    void atTheLeastSizeNothingOverlaps() {
        Desk desk;
        const std::filesystem::path file = desk.path("run.shardlab");
        recordRun(file, *makePlan(desk.document().layout()), 4, freshSeed());
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(window.minimumSize());
        window.show();
        desk.workbench.openRun(file);
        QTRY_VERIFY(!desk.workbench.context(Workspace::Replay).model.empty());
        QTRY_VERIFY(desk.document().planIsCurrent());
        for (const Workspace workspace : workspaces) {
            window.showWorkspace(workspace);
            WorkspaceArea& area = window.area(workspace);
            QTest::qWait(300);
            QCOMPARE(window.size(), window.minimumSize());
            const QWidget& bar = *window.findChild<TopBar*>();
            QVERIFY2(bar.layout()->minimumSize().width() <= bar.width(), qPrintable(name(workspace)));
            nothingOverlaps(area);
            if (QTest::currentTestFailed()) return;
        }
    }

    /// Sizes of a person's own were once left as Qt made them, for ever, in a window of any size.
    void movedSplittersAdaptAfterARestart() {
        Desk desk;
        const auto form = [](MainWindow& window) {
            return window.area(Workspace::Design).panel(QStringLiteral("layout_form"));
        };
        const auto is = [](int length, int wanted) { return std::abs(length - wanted) <= 3; };
        int width = 0, whole = 0;
        {
            MainWindow window(desk.workbench);
            window.resize(2000, 1200);
            window.show();
            WorkspaceArea& area = window.area(Workspace::Design);
            QTest::qWait(200);
            const int before = form(window)->width();
            const QPoint separator(form(window)->geometry().right() + 4, form(window)->geometry().center().y());
            QTest::mousePress(&area, Qt::LeftButton, {}, separator);
            for (int moved = 20; moved <= 160; moved += 20) {
                QMouseEvent move(QEvent::MouseMove, separator + QPoint(moved, 0),
                                 area.mapToGlobal(separator + QPoint(moved, 0)), Qt::LeftButton, Qt::LeftButton, {});
                QApplication::sendEvent(&area, &move);
                QTest::qWait(5);
            }
            QTest::mouseRelease(&area, Qt::LeftButton, {}, separator + QPoint(160, 0));
            QTRY_VERIFY(form(window)->width() > before + 100);
            width = form(window)->width();
            whole = area.contentsRect().width();
            QVERIFY(window.close());
        }
        MainWindow again(desk.workbench);
        again.show();
        again.resize(2000, 1200);  // Qt 6.8 restores no window that is larger than its screen
        QTRY_VERIFY2(is(form(again)->width(), width), qPrintable(QString::number(form(again)->width())));
        const WorkspaceArea& area = again.area(Workspace::Design);
        // Tabs of a restored arrangement say what their views show, as those of the default one do.
        int told = 0;
        for (QTabBar* bar : area.findChildren<QTabBar*>(Qt::FindDirectChildrenOnly)) {
            if (!bar->isVisible()) continue;
            const QPoint at = bar->tabRect(0).center();
            QHelpEvent help(QEvent::ToolTip, at, bar->mapToGlobal(at));
            QApplication::sendEvent(bar, &help);
            told += QToolTip::text().endsWith(QLatin1Char('.')) ? 1 : 0;
            QToolTip::hideText();
        }
        QVERIFY(told > 1);
        for (const QSize size : {QSize(2600, 1400), QSize(1700, 900), QSize(1000, 600), QSize(2000, 1200)}) {
            again.resize(size);
            if (size.width() > 1600)  // below, views have least widths
                QTRY_VERIFY2(is(form(again)->width(), width * area.contentsRect().width() / whole),
                             qPrintable(QString::number(form(again)->width())));
            else QTRY_VERIFY(area.contentsRect().width() < 1000);
            QTest::qWait(150);
        }
    }

    /// An arrangement of a person's own once was cut off in a window that is too small for it.
    void anOwnArrangementGivesWayWhereItDoesNotFit() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(2400, 1400);
        window.show();
        WorkspaceArea& area = window.area(Workspace::Design);
        QTest::qWait(200);
        DockPanel* form = area.panel(QStringLiteral("layout_form"));
        for (const char* id : {"candidates", "memory_over_time", "memory_per_rank", "notes"}) {
            DockPanel* panel = area.panel(QLatin1String(id));
            panel->setFloating(true);
            area.splitDockWidget(form, panel, Qt::Vertical);
            panel->setFloating(false);
        }
        area.panel(QStringLiteral("kernels"))->hide();
        QTest::qWait(700);
        const QRect notes = area.panel(QStringLiteral("notes"))->geometry();
        QCOMPARE(notes.left(), form->geometry().left());
        window.resize(1000, 600);
        QTest::qWait(400);
        nothingOverlaps(area);
        if (QTest::currentTestFailed()) return;
        QVERIFY(area.panel(QStringLiteral("kernels"))->isHidden());
        window.resize(2400, 1400);
        const auto back = [&] {
            const QRect now = area.panel(QStringLiteral("notes"))->geometry();
            return (now.topLeft() - notes.topLeft()).manhattanLength() < 12 &&
                   std::abs(now.width() - notes.width()) < 12;
        };
        QTRY_VERIFY(back());
        QVERIFY(area.panel(QStringLiteral("kernels"))->isHidden());
    }

    /// Whoever closed a view, and did no more, had its sizes for ever after a restart.
    void aClosedViewLeavesTheSizesToTheWindowAfterARestart() {
        Desk desk;
        const auto closed = [](MainWindow& window) {
            return window.area(Workspace::Design).panel(QStringLiteral("sliders"));
        };
        const auto form = [](MainWindow& window) {
            return window.area(Workspace::Design).panel(QStringLiteral("layout_form"));
        };
        int width = 0;
        {
            MainWindow window(desk.workbench);
            window.resize(1600, 1000);
            window.show();
            closed(window)->hide();
            QTest::qWait(200);
            width = form(window)->width();
            QVERIFY(window.close());
        }
        MainWindow again(desk.workbench);
        again.show();
        QVERIFY(closed(again)->isHidden());
        again.resize(2400, 1300);
        // A column at the edge keeps its width by default.
        QTRY_VERIFY2(std::abs(form(again)->width() - width) <= 1, qPrintable(QString::number(form(again)->width())));
    }

    /// The last of the figures lay below the edge, while the notes had room to spare.
    void answersAreWholeWhereThereIsRoom() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(2560, 1440);
        window.show();
        DockPanel* answer = window.area(Workspace::Design).panel(QStringLiteral("answer"));
        const QScrollArea* facts = answer->view().findChild<QScrollArea*>();
        const auto spare = [&] {
            return facts->viewport()->height() -
                   facts->widget()->layout()->totalHeightForWidth(facts->viewport()->width());
        };
        for (const char* preset : {"default", "llama3-8b", "default"}) {
            desk.document().change(findPreset(preset)->layout, QString::fromLatin1(preset));
            QTRY_VERIFY(desk.document().planIsCurrent());
            QTRY_VERIFY2(facts->verticalScrollBar()->maximum() == 0 && spare() < 40, preset);
        }
        window.resize(1280, 720);  // here the notes would have too little
        QTRY_VERIFY(answer->height() <= 267);
    }

    void resetPutsClosedViewsBack() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(1280, 720);
        window.show();
        const WorkspaceArea& area = window.area(Workspace::Design);
        QTest::qWait(50);
        const QRect before = area.panel(QStringLiteral("mesh"))->geometry();
        area.panel(QStringLiteral("mesh"))->hide();
        area.panel(QStringLiteral("answer"))->setFloating(true);
        window.commands()["view.reset"].trigger();
        for (const DockPanel* panel : area.panels()) {
            QVERIFY(panel->isVisible());
            QVERIFY(!panel->isFloating());
        }
        QTRY_COMPARE(area.panel(QStringLiteral("mesh"))->geometry(), before);
    }
};

QTEST_MAIN(ArrangementTest)
#include "arrangement_test.moc"
