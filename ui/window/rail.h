// SPDX-License-Identifier: GPL-3.0-or-later
// The column at the left: one button a workspace.
#pragma once

#include <QFrame>

#include <vector>

class QToolButton;

namespace shardlab::ui {

class Commands;
class ThemeSource;

class Rail : public QFrame {
    Q_OBJECT
public:
    Rail(Commands& commands, ThemeSource& theme, QWidget* parent);

private:
    void colour();
    ThemeSource& theme_;
    std::vector<std::pair<QToolButton*, const char*>> buttons_;  ///< and the name of its icon
};

}  // namespace shardlab::ui
