// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/ui/desktop_fixture.h"
#include "tests/ui/recorded_run.h"
#include "tests/support/wings.h"
#include "ui/core/run_model.h"
#include "ui/views/lesson/lesson_view.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QLabel>
#include <QPushButton>
#include <QTextBrowser>

namespace shardlab::test {

/// A desktop that shows the first lesson, and whose experiments are started by `starter`.
struct Classroom {
    explicit Classroom(JobStarter starter)
        : workbench(std::move(starter), std::filesystem::path(settings.folder.path().toStdString()) / "runs") {
        window.show();
        window.showWorkspace(Workspace::Learn);
    }
    LessonSession& lessons() { return workbench.lessons(); }
    RunModel& model() { return workbench.model(Workspace::Learn); }
    LessonView& view() {
        return static_cast<LessonView&>(window.area(Workspace::Learn).panel(QStringLiteral("lesson"))->view());
    }
    QPushButton& button(const QString& name) { return *view().findChild<QPushButton*>(name); }
    /// All text of the lesson, from top to bottom.
    QString page() {
        QString text;
        for (const QTextBrowser* part : view().findChildren<QTextBrowser*>()) text += part->toPlainText() + '\n';
        return text;
    }
    /// What is said outside the text: of experiments, questions and steps.
    QString labels() {
        QString text;
        for (const QLabel* label : view().findChildren<QLabel*>())
            if (label->isVisible()) text += label->text() + '\n';
        return text;
    }
    void passAll() {
        for (std::size_t question = 0; question < lessons().lesson()->questions.size(); ++question)
            lessons().passOver(question);
    }
    /// The experiment that runs ends with a run of so many steps.
    void finish(FakeJobs& jobs) {
        const JobOptions options = jobs.underWay();
        recordRun(options.runFile, *makePlan(options.layout), 6, 7);
        jobs.end("finished");
    }

    PrivateSettings settings;
    Workbench workbench;
    MainWindow window{workbench, MainWindow::Memory::Forget};
};

}  // namespace shardlab::test
