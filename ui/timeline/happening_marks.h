// SPDX-License-Identifier: GPL-3.0-or-later
// How moments of a run are marked above its timeline, and what the legend calls them.
#pragma once

#include "engine/trace/event/event.h"
#include "ui/core/legend.h"

#include <array>
#include <bitset>
#include <vector>

namespace shardlab::ui {

class RunModel;
struct TimeScale;

struct HappeningMark {
    EventKind kind;
    LegendItem::Mark shape;
    bool line;         ///< through all rows: what ended or began the run anew
    const char* name;  ///< to be translated
};

inline constexpr int markSize = 8;  ///< pixels beside the desktop's letters

/// What is drawn last lies above the others.
inline constexpr std::array<HappeningMark, 8> happeningMarks{{
    {EventKind::ValidationLoss, LegendItem::Mark::Dot, false, QT_TR_NOOP("validation")},
    {EventKind::Mark, LegendItem::Mark::Flag, false, QT_TR_NOOP("mark")},
    {EventKind::Command, LegendItem::Mark::Flag, false, QT_TR_NOOP("command")},
    {EventKind::Dropped, LegendItem::Mark::Square, false, QT_TR_NOOP("events lost")},
    {EventKind::Overflow, LegendItem::Mark::Triangle, false, QT_TR_NOOP("overflow")},
    {EventKind::InjectedFault, LegendItem::Mark::Bolt, false, QT_TR_NOOP("injected fault")},
    {EventKind::Restart, LegendItem::Mark::Diamond, true, QT_TR_NOOP("restart")},
    {EventKind::Fault, LegendItem::Mark::Cross, true, QT_TR_NOOP("fault")},
}};

/// The marks of happeningMarks that the run has.
std::bitset<happeningMarks.size()> happeningsOf(const RunModel& model);
/// The marks of one kind that are in sight: at most one a pixel, however many there are. The time this takes grows with
/// the pixels.
std::vector<Event> shownHappenings(const RunModel& model, EventKind kind, const TimeScale& scale);
/// Where all marks in sight are, in pixels, ascending.
std::vector<double> markPlaces(const RunModel& model, const TimeScale& scale);
/// The first place from `x` on at which a label of so many pixels, which begins `labelInset` behind it, lies under no
/// mark of that size.
inline constexpr int labelInset = 3;
int behindMarks(const std::vector<double>& marks, int x, int width, int size);
/// The overflows of a rank that are in sight; their marks reach 8 pixels to either side.
std::vector<Event> shownOverflows(const RunModel& model, int rank, const TimeScale& scale);

}  // namespace shardlab::ui
