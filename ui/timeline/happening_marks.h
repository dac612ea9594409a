// SPDX-License-Identifier: GPL-3.0-or-later
// How moments of a run are marked above its timeline, and what the legend calls them.
#pragma once

#include "engine/event/event.h"
#include "ui/core/legend.h"

#include <array>
#include <bitset>

namespace shardlab {

class RunModel;

struct HappeningMark {
    EventKind kind;
    LegendItem::Mark shape;
    bool line;         ///< through all rows: what ended or began the run anew
    const char* name;  ///< to be translated
};

/// What is drawn last lies above the others.
inline constexpr std::array<HappeningMark, 7> happeningMarks{{
    {EventKind::ValidationLoss, LegendItem::Mark::Dot, false, QT_TRANSLATE_NOOP("timeline", "validation")},
    {EventKind::Mark, LegendItem::Mark::Flag, false, QT_TRANSLATE_NOOP("timeline", "mark")},
    {EventKind::Command, LegendItem::Mark::Flag, false, QT_TRANSLATE_NOOP("timeline", "command")},
    {EventKind::Dropped, LegendItem::Mark::Square, false, QT_TRANSLATE_NOOP("timeline", "events lost")},
    {EventKind::Overflow, LegendItem::Mark::Triangle, false, QT_TRANSLATE_NOOP("timeline", "overflow")},
    {EventKind::Restart, LegendItem::Mark::Diamond, true, QT_TRANSLATE_NOOP("timeline", "restart")},
    {EventKind::Fault, LegendItem::Mark::Cross, true, QT_TRANSLATE_NOOP("timeline", "fault")},
}};

/// Which of happeningMarks the run has; takes time in proportion to its instants.
std::bitset<happeningMarks.size()> happeningsOf(const RunModel& model);

}  // namespace shardlab
