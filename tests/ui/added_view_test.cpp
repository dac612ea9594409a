// SPDX-License-Identifier: GPL-3.0-or-later
// A view is added as ui/README.md says, and nothing else has to know of it: this program's registry is a copy of the
// desktop's with the include and the line of one more view (tests/CMakeLists.txt).
#include "desktop_fixture.h"
#include "tests/ui/sample_run.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QtTest>

using namespace shardlab;
using namespace shardlab::test;

class AddedViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itStandsInItsWorkspacesAndDrawsTheirRuns() {
        const auto kinds = viewKinds();
        const auto kind = std::ranges::find(kinds, std::string_view("completed_steps"), &ViewKind::id);
        QVERIFY(kind != kinds.end() && kinds.size() > 20);
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(1280, 800);
        window.show();
        const QString id = QString::fromLatin1(kind->id);
        for (const Workspace workspace : {Workspace::Design, Workspace::Learn})
            QVERIFY(!window.area(workspace).panel(id));
        for (const Workspace workspace : {Workspace::Run, Workspace::Replay}) {
            window.showWorkspace(workspace);
            const DockPanel* panel = window.area(workspace).panel(id);
            QVERIFY(panel && panel->isVisible() && panel->height() >= 40);
            QCOMPARE(panel->windowTitle(), QString::fromLatin1(kind->title));
            QVERIFY(!panel->showsView());
            const int steps = 2 + static_cast<int>(workspace);
            sample::fill(desk.workbench.model(workspace), sample::plan(sample::layout(1, 2, 4)), steps, 1);
            QVERIFY(panel->showsView());
            QTRY_COMPARE(panel->view().asTable(), QStringLiteral("%1 steps").arg(steps));
        }
    }
};

QTEST_MAIN(AddedViewTest)
#include "added_view_test.moc"
