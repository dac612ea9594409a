// SPDX-License-Identifier: GPL-3.0-or-later
// The bar at the top: the menu, chips that say which layout is in sight, and the commands of the workspace.
#pragma once

#include "engine/base/wings.h"
#include "ui/core/view.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace shardlab::layout {
struct Layout;
}  // namespace shardlab::layout

namespace shardlab::ui {

class Commands;
class MainMenu;
class Workbench;

class TopBar : public QFrame {
    Q_OBJECT
public:
    TopBar(Workbench& workbench, Commands& commands, QWidget* parent);
    /// The program's name, which leads to the home page.
    QToolButton& homeButton() const { return *brand_; }
    /// Stands beside the program's name.
    void setMenuBar(MainMenu& menu);
    void setWorkspace(Workspace workspace);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QPushButton* button(const char* command, const char* role = nullptr);
    QPushButton* exportButton();
    const Layout* shownLayout() const;
    void refresh();
    void refreshStep();
    void fit();

    Workbench& workbench_;
    Commands& commands_;
    Workspace workspace_ = Workspace::Design;
    QToolButton* brand_;
    QLabel* name_;
    QLabel* degrees_;
    QLabel* cluster_;
    QLabel* step_;
    QProgressBar* progress_;
    QPushButton *undo_, *redo_, *plan_, *start_, *pause_, *stepOnce_, *checkpoint_, *stop_, *disconnect_, *new_, *open_,
        *cancel_, *export_;
    QHBoxLayout* row_;
};

}  // namespace shardlab::ui
