// SPDX-License-Identifier: GPL-3.0-or-later
// What the home page asks of the window.
#include "ui/core/child.h"
#include "ui/core/text.h"
#include "ui/core/workbench.h"
#include "ui/window/file_actions.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QAction>

#include <algorithm>
#include <utility>

namespace shardlab::ui {

void MainWindow::bindHome() {
    HomeSession& home = workbench_.home();
    connect(&home, &HomeSession::layoutWanted, this, [this](const Layout& layout) {
        files_->whenSaved(tr("Begin with a preset?"), [this, layout] { workbench_.newFromPreset(layout); });
    });
    connect(&home, &HomeSession::planWanted, this, [this](const Layout& layout) {
        files_->whenSaved(tr("Begin with this model on this cluster?"), [this, layout] {
            workbench_.newFromPreset(layout);
            commands_["plan.search"].trigger();
        });
    });
    connect(&home, &HomeSession::fileWanted, files_, &FileActions::open);
    connect(&home, &HomeSession::lessonWanted, this, [this](const QString& name) {
        LessonSession& lessons = workbench_.lessons();
        lessons.load();
        const auto& all = lessons.lessons();
        const auto found = std::ranges::find_if(all, [&](const Lesson& lesson) { return text(lesson.name) == name; });
        if (found != all.end()) lessons.choose(static_cast<int>(found - all.begin()));
        showWorkspace(Workspace::Learn);
    });
    connect(&home, &HomeSession::lessonsKnown, this, &MainWindow::listLessons);
}

/// The palette finds lessons by the words of their titles.
void MainWindow::listLessons(const QMap<QString, QString>& titles) {
    if (titles == std::exchange(lessonTitles_, titles)) return;  // each time that Home comes into sight
    std::vector<QAction*> actions;
    for (auto lesson = titles.begin(); lesson != titles.end(); ++lesson) {
        auto* action = child<QAction>(tr("Lesson: %1").arg(lesson.value()), this);
        action->setProperty("help", tr("Read this lesson in Learn"));
        connect(action, &QAction::triggered, this,
                [this, name = lesson.key()] { workbench_.home().askForLesson(name); });
        actions.push_back(action);
    }
    commands_.setExtra(QStringLiteral("lessons"), std::move(actions));
}

void MainWindow::refreshHomeCommands() {
    const bool home = workspace_ == Workspace::Home;
    for (const CommandSpec& spec : commandSpecs()) {
        const QString id = QString::fromLatin1(spec.id);
        if (home && id.startsWith(QStringLiteral("timeline."))) commands_[spec.id].setEnabled(false);
    }
    // Those of the timeline's that have no condition of their own.
    if (!home)
        for (const char* id :
             {"timeline.find", "timeline.step", "timeline.nextSlow", "timeline.previousSlow", "timeline.group"})
            commands_[id].setEnabled(true);
    for (const char* id : {"view.path", "view.fill", "view.reset"}) commands_[id].setEnabled(!home);
}

}  // namespace shardlab::ui
