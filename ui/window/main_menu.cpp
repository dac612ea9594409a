// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_menu.h"

#include "ui/core/child.h"
#include "ui/core/commands.h"
#include "ui/window/dock_panel.h"
#include "ui/window/file_actions.h"
#include "ui/window/workspace_area.h"
#include "ui/core/words.h"

#include <QMenu>

namespace shardlab::ui {
namespace {

/// Commands whose ids begin with these stand in a menu of their own: a menu has to fit a small screen.
constexpr std::pair<const char*, const char*> inner[] = {{"timeline", QT_TR_NOOP("Timeline")},
                                                         {"compare", QT_TR_NOOP("Compare")},
                                                         {"export", QT_TR_NOOP("Export for")},
                                                         {"lesson", QT_TR_NOOP("Lesson")},
                                                         {"language", QT_TR_NOOP("Language")}};

QString roomOf(const CommandSpec& spec) { return QString::fromLatin1(spec.id).section(QLatin1Char('.'), 0, 0); }

QMenu* toolTipped(QMenu* menu) {
    menu->setToolTipsVisible(true);
    return menu;
}

/// The actions by their short names, in submenus by family where they have one.
void fillList(QMenu& menu, const std::vector<QAction*>& actions) {
    menu.clear();
    QHash<QString, QMenu*> families;
    for (QAction* action : actions) {
        QMenu* in = &menu;
        if (const QString family = action->property("family").toString(); !family.isEmpty()) {
            if (!families.contains(family)) families.insert(family, toolTipped(menu.addMenu(family)));
            in = families.value(family);
        }
        QAction* entry = in->addAction(action->property("short").toString().replace(QLatin1Char('&'), "&&"));
        entry->setToolTip(action->toolTip());
        QObject::connect(entry, &QAction::triggered, action, &QAction::trigger);
    }
    if (menu.isEmpty()) menu.addAction(MainMenu::tr("None"))->setEnabled(false);
}

/// A submenu filled when it opens.
template <class List>
void addListMenu(QMenu& parent, const QString& title, List list) {
    QMenu* menu = toolTipped(parent.addMenu(title));
    QObject::connect(menu, &QMenu::aboutToShow, menu, [menu, list] { fillList(*menu, list()); });
}

}  // namespace

MainMenu::MainMenu(Commands& commands, FileActions& files, QWidget* parent) : QMenuBar(parent), files_(files) {
    setAccessibleName(tr("Main menu"));
    setNativeMenuBar(false);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    QHash<QString, QMenu*> menus;
    QHash<QString, QString> last;  // room of the last command in a menu
    for (const CommandSpec& spec : commandSpecs()) {
        const QString title = QString::fromLatin1(spec.menu);
        if (!menus.contains(title)) menus.insert(title, toolTipped(addMenu(QStringLiteral("&") + ui::tr(spec.menu))));
        QMenu* menu = menus.value(title);
        const QString room = roomOf(spec);
        if (!menu->isEmpty() && last.value(title) != room) menu->addSeparator();
        last[title] = room;
        QMenu* into = menu;
        for (const auto& [prefix, name] : inner) {
            if (room != QLatin1String(prefix)) continue;
            if (!menus.contains(QLatin1String(name)))
                menus.insert(QLatin1String(name), toolTipped(menu->addMenu(ui::tr(name))));
            into = menus.value(QLatin1String(name));
        }
        into->addAction(&commands[spec.id]);
        if (std::string_view(spec.id) == "file.open") {
            addListMenu(*menu, tr("Open recent"), [this] { return files_.recentActions(); });
            addListMenu(*menu, tr("New from preset"), [this] { return files_.presetActions(); });
        }
    }
    QMenu* view = menus.value(QStringLiteral("View"));
    view->addSeparator();
    views_ = view->addMenu(tr("Views"));
}

void MainMenu::setArea(const WorkspaceArea& area) {
    views_->clear();
    for (const DockPanel* panel : area.panels())
        if (panel->features().testFlag(QDockWidget::DockWidgetClosable)) views_->addAction(panel->toggleViewAction());
    views_->setEnabled(!views_->isEmpty());
}

void MainMenu::open() { setActiveAction(actions().constFirst()); }

}  // namespace shardlab::ui
