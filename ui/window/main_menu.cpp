// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_menu.h"

#include "ui/core/child.h"
#include "ui/core/commands.h"
#include "ui/window/dock_panel.h"
#include "ui/window/file_actions.h"
#include "ui/window/workspace_area.h"

namespace shardlab::ui {
namespace {

/// A submenu filled when it opens.
template <class List>
void addListMenu(QMenu& parent, const QString& title, List list) {
    QMenu* menu = parent.addMenu(title);
    menu->setToolTipsVisible(true);
    QObject::connect(menu, &QMenu::aboutToShow, menu, [menu, list] {
        menu->clear();
        for (QAction* action : list()) menu->addAction(action);
        if (menu->isEmpty()) menu->addAction(MainMenu::tr("None"))->setEnabled(false);
    });
}

}  // namespace

MainMenu::MainMenu(Commands& commands, FileActions& files, QWidget* window) : QMenu(window), files_(files) {
    QHash<QString, QMenu*> menus;
    for (const CommandSpec& spec : commandSpecs()) {
        QMenu*& sub = menus[QString::fromLatin1(spec.menu)];
        if (!sub) {
            sub = addMenu(tr(spec.menu));
            sub->setToolTipsVisible(true);
        }
        sub->addAction(&commands[spec.id]);
        if (std::string_view(spec.id) == "file.open") {
            addListMenu(*sub, tr("Open recent"), [this] { return files_.recentActions(); });
            addListMenu(*sub, tr("New from preset"), [this] { return files_.presetActions(); });
        }
    }
    views_ = menus.value(QStringLiteral("View"))->addMenu(tr("Views"));
}

void MainMenu::setArea(const WorkspaceArea& area) {
    views_->clear();
    for (const DockPanel* panel : area.panels()) views_->addAction(panel->toggleViewAction());
}

}  // namespace shardlab::ui
