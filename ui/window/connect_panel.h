// SPDX-License-Identifier: GPL-3.0-or-later
// Asks where a run is served, and for its token. Places are remembered, tokens are not: only the files that hold them.
#pragma once

#include "ui/window/overlay.h"

class QFileDialog;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace shardlab::ui {

class Workbench;

class ConnectPanel : public Overlay {
    Q_OBJECT
public:
    ConnectPanel(Workbench& workbench, QWidget* window);
    QLineEdit& address() { return *address_; }
    QLineEdit& token() { return *token_; }
    QPushButton& go() { return *go_; }
    QLabel& note() { return *note_; }
    QListWidget& recent() { return *recent_; }

protected:
    QRect place(const QSize& window) const override;
    void opened() override;

private:
    void connectNow();
    void askFile();
    void showRecent();
    void remember();

    Workbench& workbench_;
    QLineEdit *address_, *token_;
    QLabel *note_, *recentTitle_;
    QListWidget* recent_;
    QPushButton* go_;
    QFileDialog* dialog_ = nullptr;
};

}  // namespace shardlab::ui
