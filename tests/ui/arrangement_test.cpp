// SPDX-License-Identifier: GPL-3.0-or-later
// The arrangement of the window's views: closed ones stay closed, sizes stay, and a reset brings all back.
#include "desktop_fixture.h"

#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"
#include "tests/support/wings.h"

#include <QSettings>
#include <QtTest>

using namespace shardlab::test;

class ArrangementTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
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
        QCOMPARE(again.size(), size);
        QCOMPARE(again.workspace(), Workspace::Run);
        QVERIFY(again.area(Workspace::Run).panel(QStringLiteral("mesh"))->isVisible());
        again.showWorkspace(Workspace::Design);
        QVERIFY(!again.area(Workspace::Design).panel(QStringLiteral("traffic"))->isVisible());
        QVERIFY(again.area(Workspace::Design).panel(QStringLiteral("answer"))->isVisible());
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
