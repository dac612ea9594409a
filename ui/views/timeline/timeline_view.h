// SPDX-License-Identifier: GPL-3.0-or-later
// Who does what when: measured over predicted, or the prediction alone.
#pragma once

#include "engine/trace/event/event.h"
#include "ui/core/selection.h"
#include "ui/core/view.h"
#include "ui/timeline/happening_marks.h"

#include <array>
#include <cstdint>
#include <vector>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

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

protected:
    void resizeEvent(QResizeEvent* event) override;

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
    std::array<QWidget*, 6> controls() const;
    /// Beside the controls, or below where that shows more of it.
    void placeLegend();

    TimelinePlot* plot_;
    QLineEdit* filter_;
    QPushButton* follow_;
    QPushButton* measure_;
    QPushButton* path_;
    QPushButton* fold_;
    QPushButton* more_;
    TimelineTools* tools_;
    Legend* legend_;
    QVBoxLayout* head_;
    QHBoxLayout* controls_;                          ///< in the head, alone or with the legend
    bool snapshots_ = false;                         ///< the legend names checkpoints
    std::bitset<happeningMarks.size()> happenings_;  ///< that it names
};

}  // namespace shardlab::ui
