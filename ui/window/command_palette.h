// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+K: every command by its name; type a few letters of each word, Enter does it. Commands that are not possible now
// stand last, in grey, with the reason.
#pragma once

#include "ui/window/overlay.h"

#include <functional>
#include <vector>

class QAction;
class QLabel;
class QLineEdit;
class QListWidget;

namespace shardlab::ui {

class Commands;

class CommandPalette : public Overlay {
    Q_OBJECT
public:
    /// `whyNot`: why the command of that id is not possible now.
    CommandPalette(const Commands& commands, std::function<QString(const QString& id)> whyNot, QWidget* window);

protected:
    QRect place(const QSize& window) const override;
    void opened() override;

private:
    void filter();
    void trigger();

    void add(QAction& action);

    const Commands& commands_;
    std::function<QString(const QString&)> whyNot_;
    QLineEdit* query_;
    QListWidget* list_;
    QLabel* nothing_;  ///< in the place of the list where nothing is found
    std::vector<QAction*> shown_;
};

/// True where every word of `query` begins a word of `text`, in any order, whatever the case.
bool matchesQuery(const QString& text, const QString& query);

}  // namespace shardlab::ui
