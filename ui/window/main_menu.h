// SPDX-License-Identifier: GPL-3.0-or-later
// The menu behind the program's name, made from the table of commands.
#pragma once

#include <QMenu>

namespace shardlab::ui {

class Commands;
class FileActions;
class WorkspaceArea;

class MainMenu : public QMenu {
    Q_OBJECT
public:
    MainMenu(Commands& commands, FileActions& files, QWidget* window);
    /// The views to list are those of this workspace.
    void setArea(const WorkspaceArea& area);

private:
    FileActions& files_;
    QMenu* views_ = nullptr;
};

}  // namespace shardlab::ui
