// SPDX-License-Identifier: GPL-3.0-or-later
// Who does what when: measured over predicted, or the prediction alone.
#pragma once

#include "engine/trace/event/event.h"
#include "ui/core/selection.h"
#include "ui/core/view.h"
#include "ui/timeline/happening_marks.h"

#include <cstdint>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;

namespace shardlab::ui {

class Legend;
class TimelinePlot;
class TimelineTools;

class TimelineView : public View {
    Q_OBJECT
public:
    TimelineView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString subtitleHelp() const override;
    void fillContextMenu(QMenu& menu, const QPoint& at) override;
    /// What is in sight, row by row; at most two thousand events a rank.
    QString asTable() const override;

    TimelinePlot& plot() { return *plot_; }
    TimelineTools& tools() { return *tools_; }
    QPushButton& toolsButton() { return *more_; }

private:
    /// What the table shows of a lane, and how many it leaves out.
    struct LaneRows {
        std::vector<Event> first;
        std::int64_t more = 0;
    };
    LaneRows rowsOf(int rank, Lane lane, const TimeRange& visible) const;
    void refreshControls();
    void refreshLegend();
    bool writesCheckpoints() const;

    TimelinePlot* plot_;
    QLineEdit* filter_;
    QPushButton* follow_;
    QPushButton* measure_;
    QPushButton* path_;
    QPushButton* fold_;
    QPushButton* more_;
    TimelineTools* tools_;
    Legend* legend_;
    bool snapshots_ = false;                         ///< the legend names checkpoints
    std::bitset<happeningMarks.size()> happenings_;  ///< that it names
};

}  // namespace shardlab::ui
