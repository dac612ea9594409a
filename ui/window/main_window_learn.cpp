// SPDX-License-Identifier: GPL-3.0-or-later
// What lessons ask of the window.
#include "ui/core/workbench.h"
#include "ui/window/dock_panel.h"
#include "ui/window/highlight.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

namespace shardlab::ui {

void MainWindow::bindLearn() {
    LessonSession& lessons = workbench_.lessons();
    commands_.bind("lesson.present", [&lessons] { lessons.requestPresentation(); });
    commands_.bind("lesson.handout", [&lessons] { lessons.requestHandout(); });
    connect(&lessons, &LessonSession::showRequested, this, &MainWindow::showForLesson);
}

void MainWindow::showForLesson(const QString& target) {
    if (target.startsWith(QLatin1Char('/'))) {
        showWorkspace(Workspace::Design);
        workbench_.document().requestField(target);
        DockPanel* form = area(Workspace::Design).panel(QStringLiteral("layout_form"));
        if (QWidget* field = form->view().findChild<QWidget*>(target)) highlight(*field);
        return;
    }
    for (const Workspace workspace : {Workspace::Learn, Workspace::Design, Workspace::Replay}) {
        DockPanel* panel = area(workspace).panel(target);
        if (!panel) continue;
        if (workspace != Workspace::Learn) showWorkspace(workspace);
        area(workspace).showPanel(target);
        return highlight(*panel);
    }
}

}  // namespace shardlab::ui
