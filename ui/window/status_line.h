// SPDX-License-Identifier: GPL-3.0-or-later
// The line at the bottom: what is shown or recorded, how much of it, and the keys of the views.
#pragma once

#include "ui/core/view.h"

#include <QFrame>
#include <QTimer>

class QLabel;

namespace shardlab::ui {

class ElidedLabel;
class Workbench;

class StatusLine : public QFrame {
    Q_OBJECT
public:
    StatusLine(Workbench& workbench, QWidget* parent);
    void setWorkspace(Workspace workspace);

private:
    void refresh();
    QString designText() const;
    QString runText() const;
    QString liveText() const;
    QString replayText() const;
    QString learnText() const;

    Workbench& workbench_;
    Workspace workspace_ = Workspace::Design;
    QLabel* light_;
    ElidedLabel* text_;
    QLabel* keys_;
    QTimer timer_;
};

}  // namespace shardlab::ui
