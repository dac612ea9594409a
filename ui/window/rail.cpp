// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/rail.h"

#include "ui/core/child.h"
#include "ui/core/commands.h"
#include "ui/core/icons.h"
#include "ui/core/theme.h"

#include <QToolButton>
#include <QVBoxLayout>

namespace shardlab::ui {

Rail::Rail(Commands& commands, ThemeSource& theme, QWidget* parent) : QFrame(parent), theme_(theme) {
    setProperty("role", "rail");
    setFixedWidth(64);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(5, 8, 5, 8);
    column->setSpacing(6);
    const std::pair<const char*, const char*> entries[] = {{"workspace.home", "home"},
                                                           {"workspace.design", "design"},
                                                           {"workspace.run", "run"},
                                                           {"workspace.replay", "replay"},
                                                           {"workspace.learn", "learn"}};
    for (const auto& [command, picture] : entries) {
        auto* button = child<QToolButton>(this);
        button->setProperty("role", "rail");
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setIconSize({20, 20});
        button->setFixedSize(54, 52);
        button->setFocusPolicy(Qt::TabFocus);
        button->setDefaultAction(&commands[command]);
        button->setAccessibleName(commands[command].text());
        column->addWidget(button);
        buttons_.emplace_back(button, picture);
    }
    column->addStretch(1);
    connect(&theme_, &ThemeSource::changed, this, &Rail::colour);
    colour();
}

void Rail::colour() {
    for (const auto& [button, picture] : buttons_)
        button->defaultAction()->setIcon(icon(picture, theme_.theme().dim, theme_.theme().text));
}

}  // namespace shardlab::ui
