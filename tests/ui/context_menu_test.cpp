// SPDX-License-Identifier: GPL-3.0-or-later
// A right click does something useful in every view: what lies below the pointer is selected, zoomed to, copied; the
// selected rank is pinned or killed.
#include "desktop_fixture.h"

#include "ui/core/words_at.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/mesh/mesh_grid.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QSet>
#include <QTableView>
#include <QtTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

struct Room {
    Desk desk;
    MainWindow window{desk.workbench, MainWindow::Memory::Forget};

    Room() {
        window.resize(1600, 1000);
        window.show();
    }
    DockPanel& panel(Workspace workspace, const char* id) {
        return *window.area(workspace).panel(QString::fromLatin1(id));
    }
    /// The menu that a right click at a point of the widget opens.
    static QMenu* menuAt(QWidget& widget, const QPoint& at) {
        QContextMenuEvent click(QContextMenuEvent::Mouse, at, widget.mapToGlobal(at));
        QApplication::sendEvent(&widget, &click);
        return qobject_cast<QMenu*>(QApplication::activePopupWidget());
    }
};

QStringList entries(const QMenu& menu) {
    QStringList texts;
    for (const QAction* action : menu.actions())
        if (!action->isSeparator()) texts += action->text();
    return texts;
}

/// Does what the entry does, and closes the menu.
bool take(QMenu& menu, const QString& begin) {
    for (QAction* action : menu.actions()) {
        if (!action->text().startsWith(begin) || !action->isEnabled()) continue;
        action->trigger();
        menu.close();
        return true;
    }
    return false;
}

}  // namespace

class ContextMenuTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyViewHasOne();
    void theTimelineZoomsToWhatIsBelow();
    void theMeshSelectsAndKills();
    void rowsAreCopied();
    void whatChartsSayIsCopied();
};

void ContextMenuTest::everyViewHasOne() {
    Room room;
    QTest::qWait(100);
    for (const DockPanel* panel : room.window.area(Workspace::Design).panels()) {
        if (panel->visibleRegion().isEmpty()) room.window.area(Workspace::Design).showPanel(panel->id());
        QTest::qWait(1);
        auto* each = room.window.area(Workspace::Design).panel(panel->id());
        QMenu* menu = Room::menuAt(*each, each->rect().center());
        QVERIFY2(menu, qPrintable(panel->id()));
        QVERIFY2(entries(*menu).contains(QStringLiteral("Copy as table")) &&
                     entries(*menu).contains(QStringLiteral("Fill the workspace with this view")),
                 qPrintable(panel->id()));
        menu->close();
    }
}

void ContextMenuTest::theTimelineZoomsToWhatIsBelow() {
    Room room;
    DockPanel& panel = room.panel(Workspace::Design, "timeline");
    auto& timeline = static_cast<TimelineView&>(panel.view());
    timeline.plot().flush();
    Selection& selection = room.desk.workbench.selection(Workspace::Design);
    const RunModel& model = room.desk.workbench.model(Workspace::Design);
    const Event event = model.prediction().lane(1, Lane::Compute)[2];
    const QPoint at = eventRect(timeline.plot().state(), event).center() - QPoint(0, 3);
    QMenu* menu = Room::menuAt(*timeline.plot().canvas(), at);
    QVERIFY(menu);
    QVERIFY(selection.event() && *selection.event() == event);
    QVERIFY(take(*menu, QStringLiteral("Copy what it is")));
    QCOMPARE(QApplication::clipboard()->text(), hoverText(model, event));
    const TimeRange before = selection.visible();
    menu = Room::menuAt(*timeline.plot().canvas(), at);
    QVERIFY(menu && take(*menu, QStringLiteral("Zoom to this action")));
    QVERIFY(selection.visible().end - selection.visible().begin < before.end - before.begin);
    QVERIFY(selection.visible().begin <= event.begin && selection.visible().end >= event.end);
    menu = Room::menuAt(*timeline.plot().canvas(), {timeline.plot().canvas()->width() / 2, 4});
    QVERIFY(menu && take(*menu, QStringLiteral("Zoom out to all")));
    QVERIFY(selection.visible().end - selection.visible().begin >= model.prediction().end());
    menu = Room::menuAt(*timeline.plot().canvas(), at);
    QVERIFY(menu && take(*menu, QStringLiteral("Pin the rank")));
    QCOMPARE(selection.pinned(), std::vector<int>{1});
}

void ContextMenuTest::theMeshSelectsAndKills() {
    Room room;
    QVERIFY(room.desk.workbench.startRun());
    QTRY_VERIFY(room.desk.workbench.run().state() == RunState::Running);
    auto* grid = room.panel(Workspace::Run, "mesh").findChild<MeshGrid*>();
    QTRY_VERIFY(grid->isVisible() && grid->cellRect(2).isValid());
    Selection& selection = room.desk.workbench.selection(Workspace::Run);
    selection.setRank(2);
    QTest::mousePress(grid, Qt::RightButton, {}, grid->cellRect(2).center());
    QMenu* menu = Room::menuAt(*grid, grid->cellRect(2).center());
    QVERIFY(menu);
    QCOMPARE(selection.rank(), 2);  // a right click once took the selection back
    QVERIFY2(entries(*menu).contains(QStringLiteral("Kill rank 2")), qPrintable(entries(*menu).join('|')));
    menu->close();
    menu = Room::menuAt(*grid, grid->cellRect(1).center());
    QVERIFY(menu);
    QCOMPARE(selection.rank(), 1);
    QVERIFY(take(*menu, QStringLiteral("Copy what rank 1 holds")));
    QVERIFY(!QApplication::clipboard()->text().isEmpty());
    menu = Room::menuAt(*grid, grid->cellRect(1).center());
    QVERIFY(menu && take(*menu, QStringLiteral("Kill rank 1")));
    QTRY_COMPARE(room.desk.jobs->faultsAsked().size(), std::size_t{1});
    QCOMPARE(room.desk.jobs->faultsAsked().front().rank, 1);
    room.desk.jobs->end("stopped");
    QTRY_VERIFY(!room.desk.workbench.run().active());
}

void ContextMenuTest::rowsAreCopied() {
    Room room;
    room.desk.workbench.search().start();
    QTRY_VERIFY_WITH_TIMEOUT(!room.desk.workbench.search().running(), 60'000);
    room.window.area(Workspace::Design).showPanel(QStringLiteral("candidates"));
    auto* table = room.panel(Workspace::Design, "candidates").findChild<QTableView*>();
    QTRY_VERIFY(table->isVisible() && table->model()->rowCount() > 1);
    const QModelIndex second = table->model()->index(1, 0);
    QMenu* menu = Room::menuAt(*table->viewport(), table->visualRect(second).center());
    QVERIFY(menu && take(*menu, QStringLiteral("Copy this row")));
    QCOMPARE(QApplication::clipboard()->text().section('\t', 0, 0), second.data().toString());
    QCOMPARE(QApplication::clipboard()->text().count('\t'), table->model()->columnCount() - 1);
    QCOMPARE(table->currentIndex().row(), 1);
}

/// Charts once told what stands below the pointer in a tooltip alone.
void ContextMenuTest::whatChartsSayIsCopied() {
    Room room;
    QTRY_VERIFY(room.desk.document().planIsCurrent());
    QSet<QString> copied;
    WorkspaceArea& area = room.window.area(Workspace::Design);
    for (DockPanel* panel : area.panels()) {
        area.showPanel(panel->id());
        QTest::qWait(50);
        for (QWidget* chart : panel->findChildren<QWidget*>()) {
            const auto* says = dynamic_cast<const WordsAt*>(chart);
            if (!says || !chart->isVisible()) continue;
            for (int y = 4; y < chart->height() && !copied.contains(panel->id()); y += 9) {
                for (int x = 4; x < chart->width() && !copied.contains(panel->id()); x += 9) {
                    const QPoint at = chart->mapTo(panel, QPoint(x, y));
                    const QString words = says->wordsAt({x, y});
                    if (words.isEmpty() || panel->childAt(at) != chart) continue;
                    QMenu* menu = Room::menuAt(*panel, at);
                    QVERIFY2(menu && take(*menu, QStringLiteral("Copy what stands here")), qPrintable(panel->id()));
                    QCOMPARE(QApplication::clipboard()->text(), words);
                    copied.insert(panel->id());
                }
            }
        }
    }
    for (const char* id : {"memory_over_time", "memory_per_rank", "waterfall", "order", "schedules", "traffic_matrix"})
        QVERIFY2(copied.contains(QString::fromLatin1(id)), id);
}

QTEST_MAIN(ContextMenuTest)
#include "context_menu_test.moc"
