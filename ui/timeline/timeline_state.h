// SPDX-License-Identifier: GPL-3.0-or-later
// What one frame of a timeline is drawn from.
#pragma once

#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/theme.h"
#include "ui/core/view.h"
#include "ui/timeline/lane_shape.h"
#include "ui/timeline/rows.h"
#include "ui/timeline/run_index.h"
#include "ui/timeline/time_ticks.h"

#include <QRect>

class QPainter;

namespace shardlab::ui {

class EventSearch;
class RankLabels;
struct StepAccount;

struct TimelineState {
    Workspace workspace;
    const RunModel& model;
    const RunIndex& index;
    const Selection& selection;
    Theme theme;
    Rows rows;
    std::vector<int> opened;  ///< the first ranks of groups that were unfolded
    TimeScale scale;
    std::vector<TimeTick> ticks;           ///< moments of the scale that have a label and a line
    QRect plot;                            ///< where bars are drawn; row labels to its left, time labels above
    QRect whole;                           ///< of the widget
    bool measuring = false;                ///< a drag measures instead of panning
    bool ringed = false;                   ///< a key brought the keyboard here
    const EventSearch* search = nullptr;   ///< whose hits are marked
    const StepAccount* account = nullptr;  ///< of the prediction, where the critical path is drawn
};

/// What is all of it: the run so far, or the predicted step.
TimeRange wholeRange(const RunModel& model);
/// Where an event is drawn; empty where its row or time is out of sight.
QRect eventRect(const TimelineState& state, const Event& event);

/// Room for the ranks' labels beside the plot.
int labelWidth(const RunModel& model, const Theme& theme, int width);
/// As many ticks as their labels leave room for.
std::vector<TimeTick> ticksOf(const TimeScale& scale, const Theme& theme, DeviceTime device);
/// Lines of times, steps and groups of ranks.
void paintGround(QPainter& painter, const TimelineState& state);
/// What is around the plot: the ground's lines there; labels of times, steps and ranks.
void paintFrame(QPainter& painter, const TimelineState& state, RankLabels& labels);
/// Cursor, selection, arrows, markers, what is being measured.
void paintOverlay(QPainter& painter, const TimelineState& state);

}  // namespace shardlab::ui
