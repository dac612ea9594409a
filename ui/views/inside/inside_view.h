// SPDX-License-Identifier: GPL-3.0-or-later
// What the selected action is made of, as far as the run has it: what is computed again, exchanges of its layers, and
// in runs of other programs operations and kernels.
#pragma once

#include "engine/trace/event/event.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"

#include <vector>

namespace shardlab::ui {

class FlamePlot;

class InsideView : public View {
    Q_OBJECT
public:
    InsideView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;
    void fillContextMenu(QMenu& menu, const QPoint& at) override;
    FlamePlot& plot() const { return *plot_; }
    void flush() { refresh_.flush(); }

private:
    void refresh();
    /// The selected span is one of those that are shown.
    bool showsSelected() const;
    void enter(const Event& event);
    void leave();

    FlamePlot* plot_;
    std::vector<Event> around_;  ///< from the selected one to the one that fills the width
    Throttle refresh_;
};

}  // namespace shardlab::ui
