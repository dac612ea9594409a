// SPDX-License-Identifier: GPL-3.0-or-later
// What each command does in the window, and when it can be done.
#include "ui/core/child.h"
#include "ui/core/step_walk.h"
#include "ui/core/workbench.h"
#include "ui/window/checkpoint_list.h"
#include "ui/window/command_palette.h"
#include "ui/window/connect_panel.h"
#include "ui/window/dock_panel.h"
#include "ui/window/export_window.h"
#include "ui/window/file_actions.h"
#include "ui/window/key_help.h"
#include "ui/window/language.h"
#include "ui/window/main_menu.h"
#include "ui/window/main_window.h"
#include "ui/window/manual_window.h"
#include "ui/window/share_panel.h"
#include "ui/window/top_bar.h"
#include "ui/window/workspace_area.h"

#include <QSettings>
#include <QToolButton>
#include <QUndoStack>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr const char* languageCommands[] = {"language.system", "language.en", "language.zh_CN"};

QString languageOfCommand(const char* id) {
    const QString language = QString::fromLatin1(id).section(QLatin1Char('.'), 1);
    return language == QLatin1String("system") ? QString() : language;
}

}  // namespace

void MainWindow::bindCommands() {
    for (QAction* action : commands_.all()) addAction(action);
    bindFiles();
    bindRuns();
    bindCompare();
    bindViews();
    bindTimeline();
    bindLearn();
    bindHelp();
    followChanges();
    refreshCommands();
}

void MainWindow::bindFiles() {
    Document& document = workbench_.document();
    commands_.bind("file.new", [this] { files_->openNew(); });
    commands_.bind("file.open", [this] { files_->askAndOpen(); });
    commands_.bind("file.import", [this] { files_->askAndImport(); });
    commands_.bind("file.connect", [this] { connect_->open(); });
    commands_.bind("file.share", [this] { share_->open(); });
    commands_.bind("file.listen", [this] { workbench_.listenForPrograms(); });
    commands_.bind("file.save", [this] { files_->save(); });
    commands_.bind("file.saveAs", [this] { files_->saveAs(); });
    commands_.bind("file.quit", [this] { close(); });
    commands_.bind("edit.undo", [&document] { document.undoStack().undo(); });
    commands_.bind("edit.redo", [&document] { document.undoStack().redo(); });
    commands_.bind("plan.search", [this] {
        showWorkspace(Workspace::Design);
        area(Workspace::Design).showPanel(QStringLiteral("candidates"));
        workbench_.search().start();
    });
    commands_.bind("plan.measure", [this] { workbench_.startMeasuring(); });
    for (const TrainerTarget& target : trainerTargets())
        commands_.bind(("export." + std::string(target.name)).c_str(), [this, &target] { showExport(&target); });
    commands_.bind("export.last", [this] { showExport(nullptr); });
}

void MainWindow::bindRuns() {
    RunSession& run = workbench_.run();
    run.recordOperations(QSettings().value(QStringLiteral("run/operations")).toBool());
    commands_.bind("run.start", [this] { workbench_.startRun(); });
    commands_.bind("run.operations", [this, &run] {
        run.recordOperations(!run.recordsOperations());
        QSettings().setValue(QStringLiteral("run/operations"), run.recordsOperations());
        refreshCommands();
    });
    commands_.bind("run.pause", [&run] { run.state() == RunState::Paused ? run.resume() : run.pause(); });
    commands_.bind("run.step", [&run] { run.stepOnce(); });
    commands_.bind("run.checkpoint", [&run] { run.checkpoint(); });
    commands_.bind("run.fewer", [&run] {
        if (const auto fewer = run.fewerReplicas()) run.resize(*fewer);
    });
    commands_.bind("run.more", [&run] {
        if (const auto more = run.moreReplicas()) run.resize(*more);
    });
    const auto inject = [this, &run](InjectedFaultKind kind) {
        run.inject({kind, workbench_.selection(Workspace::Run).rank()});
    };
    commands_.bind("run.kill", [inject] { inject(InjectedFaultKind::Kill); });
    commands_.bind("run.hang", [inject] { inject(InjectedFaultKind::Hang); });
    commands_.bind("live.stop", [this] { workbench_.live().stop(); });
    commands_.bind("run.resume", [this] { checkpoints_->open(); });
    commands_.bind("run.stop", [&run] { run.stop(); });
    commands_.bind("replay.last", [this] { files_->replayLast(); });
    commands_.bind("replay.cancel", [this] {
        if (workbench_.imports().active()) workbench_.imports().cancel();
        else workbench_.replay().cancel();
    });
}

void MainWindow::bindCompare() {
    CompareSession& compare = workbench_.compare();
    commands_.bind("compare.prediction", [&compare] { compare.compareWithPrediction(); });
    commands_.bind("compare.run", [&compare] { compare.askForRun(); });
    commands_.bind("compare.end", [&compare] { compare.end(); });
    connect(&compare, &CompareSession::runWanted, files_, &FileActions::askAndCompare);
    connect(&compare, &CompareSession::requested, this, [this] {
        showWorkspace(Workspace::Replay);
        area(Workspace::Replay).fill(QStringLiteral("compare"));
    });
    connect(&compare, &CompareSession::changed, this, [this, &compare] {
        WorkspaceArea& replay = area(Workspace::Replay);
        if (compare.with() == CompareSession::With::Nothing && replay.filled() == QStringLiteral("compare"))
            replay.unfill();
        refreshCommands();
    });
}

void MainWindow::bindViews() {
    commands_.bind("workspace.home", [this] { showWorkspace(Workspace::Home); });
    commands_.bind("workspace.design", [this] { showWorkspace(Workspace::Design); });
    commands_.bind("workspace.run", [this] { showWorkspace(Workspace::Run); });
    commands_.bind("workspace.replay", [this] { showWorkspace(Workspace::Replay); });
    commands_.bind("workspace.learn", [this] { showWorkspace(Workspace::Learn); });
    commands_.bind("view.path", [this] {
        Selection& selection = workbench_.selection(workspace_);
        selection.showPath(!selection.pathShown());
    });
    commands_.bind("view.light", [this] {
        const bool dark = !workbench_.theme().theme().dark;
        workbench_.theme().setDark(dark);
        QSettings().setValue(QStringLiteral("window/light"), !dark);
    });
    for (const char* id : languageCommands)
        commands_.bind(id, [this, id] {
            keepLanguage(languageOfCommand(id));
            refreshCommands();
            workbench_.messages().post({.level = MessageLevel::Info,
                                        .title = tr("The desktop speaks this language from its next start on"),
                                        .detail = {},
                                        .topic = "language",
                                        .passing = true});
        });
    commands_.bind("view.fullScreen", [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    commands_.bind("view.reset", [this] { area(workspace_).resetArrangement(); });
    // The view that had the keyboard: the palette, from which this may come, has given it back by then.
    const auto panelInUse = [this]() -> DockPanel& {
        WorkspaceArea& here = area(workspace_);
        const QString id = here.focused();
        DockPanel* panel = here.panel(id.isEmpty() ? QStringLiteral("timeline") : id);
        return panel ? *panel : *here.panels().front();
    };
    commands_.bind("view.table", [panelInUse] { panelInUse().showTable(); });
    commands_.bind("view.saveFigure", [panelInUse] { panelInUse().askForPictureFile(); });
    commands_.bind("view.copySvg", [panelInUse] { panelInUse().copySvg(); });
    commands_.bind("view.copyPicture", [panelInUse] { panelInUse().copyPicture(); });
    commands_.bind("view.fill", [this] {
        WorkspaceArea& here = area(workspace_);
        if (!here.filled().isEmpty()) return here.unfill();
        const QString focused = here.focused();
        here.fill(focused.isEmpty() ? QStringLiteral("timeline") : focused);
    });
    commands_.bind("view.nextPanel", [this] { area(workspace_).focusPanel(1); });
    commands_.bind("view.previousPanel", [this] { area(workspace_).focusPanel(-1); });
}

void MainWindow::bindHelp() {
    commands_.bind("help.palette", [this] { palette_->open(); });
    commands_.bind("help.manual", [this] {
        auto* manual = findChild<ManualWindow*>();
        if (!manual) manual = child<ManualWindow>(workbench_.theme(), this);
        manual->show();
        manual->raise();
        manual->activateWindow();
    });
    commands_.bind("help.keys", [this] { keys_->open(); });
    commands_.bind("help.menu", [this] { menu_->open(); });
    commands_.bind("help.about", [this] { showAbout(); });
}

/// What is possible depends on all of these.
void MainWindow::followChanges() {
    const QUndoStack& changes = workbench_.document().undoStack();
    const RunSession& run = workbench_.run();
    for (auto signal : {&QUndoStack::canUndoChanged, &QUndoStack::canRedoChanged})
        connect(&changes, signal, this, &MainWindow::refreshCommands);
    connect(&changes, &QUndoStack::indexChanged, this, &MainWindow::refreshCommands);
    connect(&run, &RunSession::stateChanged, this, &MainWindow::refreshCommands);
    connect(&run, &RunSession::stateChanged, this, [this] {
        if (endingRun_ && !workbench_.run().active()) leave();
    });
    connect(&workbench_.live(), &LiveSession::changed, this, &MainWindow::refreshCommands);
    connect(&workbench_.measure(), &MeasureSession::stateChanged, this, &MainWindow::refreshCommands);
    connect(&workbench_.replay(), &ReplaySession::progressChanged, this, &MainWindow::refreshCommands);
    connect(&workbench_.imports(), &ImportSession::progressChanged, this, &MainWindow::refreshCommands);
    connect(&workbench_.theme(), &ThemeSource::changed, this, &MainWindow::refreshCommands);
    connect(files_, &FileActions::recentChanged, this, &MainWindow::refreshCommands);
    for (const Workspace workspace : {Workspace::Run, Workspace::Replay})
        connect(&workbench_.model(workspace), &RunModel::reset, this, &MainWindow::refreshCommands);
    for (const Workspace workspace : workspaces)
        connect(&workbench_.selection(workspace), &Selection::pathShownChanged, this, &MainWindow::refreshCommands);
    for (const WorkspaceArea* each : areas_)
        connect(each, &WorkspaceArea::filledChanged, this, &MainWindow::refreshCommands);
}

void MainWindow::showExport(const TrainerTarget* target) {
    auto* preview = findChild<ExportWindow*>();
    if (!preview) {
        preview = child<ExportWindow>(workbench_.document(), this);
        connect(preview, &ExportWindow::fieldWanted, this, [this](const QString& pointer) {
            showWorkspace(Workspace::Design);
            activateWindow();
            workbench_.document().requestField(pointer);
        });
    }
    if (target) preview->setTarget(*target);
    preview->show();
    preview->raise();
    preview->activateWindow();
}

void MainWindow::bindTimeline() {
    const auto showTimeline = [this] {
        if (area(workspace_).filled() != QStringLiteral("compare"))
            area(workspace_).showPanel(QStringLiteral("timeline"));
    };
    commands_.bind("timeline.find", [this, showTimeline] {
        area(workspace_).showPanel(QStringLiteral("timeline"));
        workbench_.events(workspace_).requestField();
    });
    commands_.bind("timeline.step", [this] {
        area(workspace_).showPanel(QStringLiteral("timeline"));
        workbench_.events(workspace_).requestStep();
    });
    const auto go = [this, showTimeline](int direction) {
        showTimeline();
        workbench_.events(workspace_).go(direction);
    };
    commands_.bind("timeline.nextHit", [go] { go(1); });
    commands_.bind("timeline.previousHit", [go] { go(-1); });
    const auto slow = [this, showTimeline](int direction) {
        showTimeline();
        lookAtSlowStep(workbench_.model(workspace_), workbench_.selection(workspace_), direction);
    };
    commands_.bind("timeline.nextSlow", [slow] { slow(1); });
    commands_.bind("timeline.previousSlow", [slow] { slow(-1); });
    commands_.bind("notes.add", [this] {
        area(workspace_).showPanel(QStringLiteral("run_notes"));
        if (DockPanel* panel = area(workspace_).panel(QStringLiteral("run_notes")))
            panel->view().setFocus(Qt::ShortcutFocusReason);
    });
    commands_.bind("timeline.pin", [this] {
        Selection& selection = workbench_.selection(workspace_);
        const auto& pinned = selection.pinned();
        selection.pin(selection.rank(), std::find(pinned.begin(), pinned.end(), selection.rank()) == pinned.end());
    });
    commands_.bind("timeline.group", [this] {
        const RunModel& model = workbench_.model(workspace_);
        Selection& selection = workbench_.selection(workspace_);
        if (model.empty()) return;
        const Mesh mesh(model.header().layout);
        for (int axis = selection.grouping() ? static_cast<int>(*selection.grouping()) + 1 : 0; axis < axisCount;
             ++axis)
            if (mesh.size(static_cast<Axis>(axis)) > 1) return selection.setGrouping(static_cast<Axis>(axis));
        selection.setGrouping({});
    });
    for (const Workspace workspace : workspaces) {
        for (const auto signal : {&Selection::rankChanged, &Selection::rowsChanged})
            connect(&workbench_.selection(workspace), signal, this, &MainWindow::refreshCommands);
        connect(&workbench_.events(workspace), &EventSearch::changed, this, &MainWindow::refreshCommands);
    }
}

void MainWindow::refreshCommands() {
    const QUndoStack& undo = workbench_.document().undoStack();
    const RunSession& run = workbench_.run();
    const bool design = workspace_ == Workspace::Design;
    commands_["edit.undo"].setEnabled(design && undo.canUndo());
    commands_["edit.redo"].setEnabled(design && undo.canRedo());
    const auto hint = [](const QString& verb, const QString& what, const QString& plain) {
        return what.isEmpty() ? plain : QStringLiteral("%1: %2").arg(verb, what);
    };
    commands_["edit.undo"].setToolTip(
        hint(tr("Undo"), undo.undoText(), commands_["edit.undo"].property("help").toString()));
    commands_["edit.redo"].setToolTip(
        hint(tr("Redo"), undo.redoText(), commands_["edit.redo"].property("help").toString()));

    const bool going = run.active() && run.state() != RunState::Starting && run.state() != RunState::Stopping &&
                       run.state() != RunState::Restarting;
    const bool paused = run.state() == RunState::Paused;
    commands_["run.start"].setEnabled(!workbench_.runTaken() && !workbench_.measure().active());
    commands_["plan.measure"].setEnabled(!workbench_.runTaken() && !workbench_.measure().active());
    commands_["file.connect"].setEnabled(!workbench_.runTaken());
    commands_["file.listen"].setEnabled(!workbench_.runTaken());
    commands_["live.stop"].setEnabled(workbench_.live().active());
    commands_["live.stop"].setText(workbench_.live().listening() ? tr("Stop listening") : tr("Disconnect"));
    commands_["run.operations"].setChecked(run.recordsOperations());
    commands_["run.pause"].setEnabled(going && workspace_ == Workspace::Run);
    commands_["run.pause"].setText(paused ? tr("Go on") : tr("Pause"));
    commands_["run.step"].setEnabled(going && workspace_ == Workspace::Run);
    commands_["run.checkpoint"].setEnabled(going && workspace_ == Workspace::Run);
    const auto offer = [&](const char* id, const QString& plain, const std::optional<int>& replicas) {
        commands_[id].setEnabled(going && replicas);
        commands_[id].setText(replicas ? tr("%1: %2").arg(plain).arg(*replicas) : plain);
    };
    offer("run.fewer", tr("Fewer replicas"), run.fewerReplicas());
    offer("run.more", tr("More replicas"), run.moreReplicas());
    const int victim = workspace_ == Workspace::Run ? workbench_.selection(Workspace::Run).rank() : -1;
    commands_["run.kill"].setEnabled(going && victim >= 0);
    commands_["run.kill"].setText(victim >= 0 ? tr("Kill rank %1").arg(victim) : tr("Kill the selected rank"));
    commands_["run.hang"].setEnabled(going && victim >= 0);
    commands_["run.hang"].setText(victim >= 0 ? tr("Stop rank %1's process").arg(victim)
                                              : tr("Stop the selected rank's process"));
    commands_["run.stop"].setEnabled(run.active() && run.state() != RunState::Stopping);
    const RunModel& opened = workbench_.model(Workspace::Replay);
    const bool comparable = !opened.file().empty();
    commands_["compare.prediction"].setEnabled(comparable && opened.prediction().end() > 0);
    commands_["compare.run"].setEnabled(comparable);
    commands_["compare.end"].setEnabled(workbench_.compare().with() != CompareSession::With::Nothing);
    commands_["replay.cancel"].setEnabled(workbench_.replay().reading() || workbench_.imports().active());
    commands_["replay.cancel"].setText(workbench_.imports().active() ? tr("Stop importing") : tr("Stop reading"));
    commands_["file.import"].setEnabled(!workbench_.imports().active());
    const Selection& selection = workbench_.selection(workspace_);
    for (const char* id : {"timeline.nextHit", "timeline.previousHit"})
        commands_[id].setEnabled(workbench_.events(workspace_).count() > 0);
    commands_["notes.add"].setEnabled(area(workspace_).panel(QStringLiteral("run_notes")) &&
                                      !workbench_.model(workspace_).empty());
    commands_["timeline.pin"].setEnabled(selection.rank() >= 0);
    commands_["timeline.pin"].setChecked(
        std::find(selection.pinned().begin(), selection.pinned().end(), selection.rank()) != selection.pinned().end());
    commands_["view.path"].setChecked(workbench_.selection(workspace_).pathShown());
    commands_["view.fill"].setChecked(!area(workspace_).filled().isEmpty());
    commands_["view.light"].setChecked(!workbench_.theme().theme().dark);
    for (const char* id : languageCommands) commands_[id].setChecked(chosenLanguage() == languageOfCommand(id));
    for (const char* id : {"lesson.present", "lesson.handout"})
        commands_[id].setEnabled(workspace_ == Workspace::Learn);
    refreshHomeCommands();
    commands_.setExtra(QStringLiteral("presets"), files_->presetActions());
    commands_.setExtra(QStringLiteral("recent"), files_->recentActions());
}

void MainWindow::showAbout() {
    workbench_.messages().post(
        {.level = MessageLevel::Info,
         .title = tr("Shardlab %1").arg(QStringLiteral(SHARDLAB_VERSION)),
         .detail = tr("A desktop lab for distributed training: design a parallel layout, run it for "
                      "real, watch it, replay it, learn from it.\nThe desktop is under the GNU General Public "
                      "License, version 3 or later; the engine under the Apache License 2.0."),
         .topic = "about"});
}

}  // namespace shardlab::ui
