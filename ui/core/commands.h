// SPDX-License-Identifier: GPL-3.0-or-later
// Every command there is, in one table: its words, its shortcut, its menu. Menus, top bar, command palette and the help
// of keys are made from it.
#pragma once

#include <QAction>
#include <QHash>
#include <QObject>

#include <functional>
#include <span>
#include <vector>

namespace shardlab::ui {

struct CommandSpec {
    const char* id;        ///< "run.start"
    const char* menu;      ///< "File"; in the order of the table
    const char* title;     ///< "Run this layout"
    const char* shortcut;  ///< portable text, several joined by ";"; empty: none
    const char* help;      ///< one sentence: tooltip and palette
    bool checkable = false;
};

std::span<const CommandSpec> commandSpecs();

class Commands : public QObject {
    Q_OBJECT
public:
    explicit Commands(QObject* parent = nullptr);

    QAction& operator[](const char* id) const;
    /// What the command does; each is bound once.
    void bind(const char* id, std::function<void()> handler);
    /// Commands without a handler: none, once the window stands.
    QStringList unbound() const;
    /// Further actions for the palette, made as the program runs: presets, views, recent files.
    void setExtra(const QString& group, std::vector<QAction*> actions);
    /// All commands and extras, in the order of the table.
    std::vector<QAction*> all() const;

private:
    QHash<QString, QAction*> actions_;
    QStringList bound_;
    std::vector<std::pair<QString, std::vector<QAction*>>> extra_;
};

}  // namespace shardlab::ui
