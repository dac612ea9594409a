// SPDX-License-Identifier: GPL-3.0-or-later
// Lets others watch the runs that start here, and says how they do. The address is remembered, the token is not.
#pragma once

#include "ui/window/overlay.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace shardlab::ui {

class Workbench;

class SharePanel : public Overlay {
    Q_OBJECT
public:
    SharePanel(Workbench& workbench, QWidget* window);
    QLineEdit& address() { return *address_; }
    QLineEdit& token() { return *token_; }
    QPushButton& go() { return *go_; }
    QLabel& note() { return *note_; }

protected:
    QRect place(const QSize& window) const override;
    void opened() override;

private:
    void toggle();
    void refresh();

    Workbench& workbench_;
    QLineEdit *address_, *token_;
    QLabel* note_;
    QPushButton *copy_, *go_;
};

}  // namespace shardlab::ui
