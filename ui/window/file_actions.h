// SPDX-License-Identifier: GPL-3.0-or-later
// Opening, saving, presets, recent files, and the question before changes are lost; nothing here blocks the window.
#pragma once

#include "engine/base/wings.h"

#include <QObject>
#include <QPointer>

#include <functional>
#include <vector>

class QAction;
class QFileDialog;
class QWidget;

namespace shardlab::layout {
struct Layout;
}  // namespace shardlab::layout

namespace shardlab::ui {

class Workbench;

class FileActions : public QObject {
    Q_OBJECT
public:
    FileActions(Workbench& workbench, QWidget* window);

    void openNew();
    void askAndOpen();
    /// A recorded run, to compare the opened one with.
    void askAndCompare();
    void askAndImport();
    /// Opens a file that was dropped, or chosen among the recent ones.
    void open(const QString& file);
    /// Opens what the command line names: a file, else a preset.
    void openNamed(const QString& which);
    void save(std::function<void()> then = {});
    void saveAs(std::function<void()> then = {});
    void replayLast();
    /// Does `then` at once, or after asking what becomes of unsaved changes; never where the answer is to go back.
    void whenSaved(const QString& question, std::function<void()> then);

    /// Actions in a menu of their kind are called by their property "short"; presets have a "family".
    const std::vector<QAction*>& presetActions() const { return presets_; }
    const std::vector<QAction*>& recentActions() const { return recent_; }

Q_SIGNALS:
    void recentChanged();

private:
    void makePresets();
    void makeRecent();

    Workbench& workbench_;
    QWidget* window_;
    QPointer<QFileDialog> dialog_;
    std::vector<QAction*> presets_;
    std::vector<QAction*> recent_;
};

}  // namespace shardlab::ui
