// SPDX-License-Identifier: GPL-3.0-or-later
// Why the prediction looks the way it does: every fault with a way to its field, else what the figures follow from and
// why the step is slow, with the nearest layout that is faster.
#pragma once

#include "ui/core/view.h"

class QLabel;

namespace shardlab::ui {

class StepOverheadSession;
class NearestSession;

class NotesView : public View {
    Q_OBJECT
public:
    NotesView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override { return {}; }

private:
    void refresh();
    StepOverheadSession* overheads_;
    NearestSession* nearest_;
    QLabel* text_;
    QString plain_;
};

}  // namespace shardlab::ui
