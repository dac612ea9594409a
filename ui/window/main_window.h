// SPDX-License-Identifier: GPL-3.0-or-later
// The window: top bar with the menus, rail, the home page or one of four workspaces and messages over it,
// status line.
#pragma once

#include "ui/core/commands.h"
#include "ui/core/view.h"

#include <QMap>
#include <QWidget>

#include <array>

class QActionGroup;
class QStackedWidget;

namespace shardlab::trace {
struct TrainerTarget;
}  // namespace shardlab::trace

namespace shardlab::ui {

class CheckpointList;
class ConnectPanel;
class SharePanel;
class CommandPalette;
class FileActions;
class KeyHelp;
class MainMenu;
class MessageArea;
class StatusLine;
class TopBar;
class Workbench;
class WorkspaceArea;

class MainWindow : public QWidget {
    Q_OBJECT
public:
    /// Keep: geometry, workspace and arrangements come from the settings and go there.
    enum class Memory { Keep, Forget };
    explicit MainWindow(Workbench& workbench, Memory memory = Memory::Keep);
    ~MainWindow() override;

    /// Ends a run that goes, then closes, without a question.
    void endAndClose();
    Workspace workspace() const { return workspace_; }
    void showWorkspace(Workspace workspace);
    WorkspaceArea& area(Workspace workspace) const { return *areas_[static_cast<std::size_t>(workspace)]; }
    Commands& commands() { return commands_; }
    FileActions& files() const { return *files_; }
    MessageArea& messageArea() const { return *messages_; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    void build();
    void giveKeyboardToWorkspace();
    void storeArrangement() const;
    void bindCommands();
    void bindFiles();
    void bindRuns();
    void bindCompare();
    void bindViews();
    void bindTimeline();
    void bindLearn();
    void bindHelp();
    void followChanges();
    /// Brings what a lesson names into sight and marks it: a view, or a field of Design.
    void showForLesson(const QString& target);
    /// nullptr: for the trainer that was chosen last.
    void showExport(const TrainerTarget* target);
    /// What the home page asks for.
    void bindHome();
    void listLessons(const QMap<QString, QString>& titles);
    /// Commands that mean nothing on the home page.
    void refreshHomeCommands();
    void refreshCommands();
    void refreshTitle();
    void restore();
    void store() const;
    void leave();
    void showAbout();

    Workbench& workbench_;
    Memory memory_;
    Commands commands_;
    Workspace workspace_ = Workspace::Design;
    bool leaving_ = false;    ///< every question is answered
    bool endingRun_ = false;  ///< closes once the run has ended
    bool asking_ = true;      ///< about unsaved changes
    FileActions* files_;
    TopBar* top_ = nullptr;
    MessageArea* messages_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    StatusLine* status_ = nullptr;
    std::array<WorkspaceArea*, workspaces.size()> areas_{};
    MainMenu* menu_ = nullptr;
    CommandPalette* palette_ = nullptr;
    QMap<QString, QString> lessonTitles_;  ///< by name, of what the palette has
    CheckpointList* checkpoints_ = nullptr;
    ConnectPanel* connect_ = nullptr;
    SharePanel* share_ = nullptr;
    KeyHelp* keys_ = nullptr;
};

}  // namespace shardlab::ui
