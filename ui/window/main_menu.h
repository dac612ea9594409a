// SPDX-License-Identifier: GPL-3.0-or-later
// The menus of the top bar, made from the table of commands.
#pragma once

#include <QMenuBar>

namespace shardlab::ui {

class Commands;
class FileActions;
class WorkspaceArea;

class MainMenu : public QMenuBar {
    Q_OBJECT
public:
    MainMenu(Commands& commands, FileActions& files, QWidget* parent);
    /// The views to list are those of this workspace.
    void setArea(const WorkspaceArea& area);
    /// Opens the first menu, for the keyboard.
    void open();

private:
    FileActions& files_;
    QMenu* views_ = nullptr;
};

}  // namespace shardlab::ui
