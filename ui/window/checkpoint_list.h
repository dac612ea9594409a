// SPDX-License-Identifier: GPL-3.0-or-later
// The checkpoints of the run in sight, or of any folder: go on from one with its own layout or with the one in Design,
// or check one byte by byte.
#pragma once

#include "ui/window/overlay.h"

#include <filesystem>
#include <optional>

class QFileDialog;
class QLabel;
class QPushButton;
class QTableWidget;

namespace shardlab::ui {

class Workbench;

class CheckpointList : public Overlay {
    Q_OBJECT
public:
    CheckpointList(Workbench& workbench, QWidget* window);
    /// The folder whose checkpoints are listed; opened() shows those of the run in sight.
    void show(const std::filesystem::path& folder);
    QTableWidget& table() { return *table_; }

protected:
    QRect place(const QSize& window) const override;
    void opened() override;

private:
    QPushButton* button(const QString& text, const QString& help, void (CheckpointList::*act)());
    std::optional<std::filesystem::path> chosen() const;
    void refresh();
    void resumeOwn();
    void resumeDesign();
    void verify();
    void askFolder();

    Workbench& workbench_;
    std::filesystem::path folder_;
    QLabel* where_;
    QTableWidget* table_;
    QLabel* note_;
    QPushButton *own_ = nullptr, *design_ = nullptr, *verify_ = nullptr;
    QFileDialog* dialog_ = nullptr;
};

}  // namespace shardlab::ui
