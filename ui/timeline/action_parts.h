// SPDX-License-Identifier: GPL-3.0-or-later
// What an action of Shardlab's own runs is made of, drawn in the lower part of its bar once there is room: the layers
// that it goes through, and below them their operations.
#pragma once

#include "ui/timeline/gantt_scene.h"

#include <optional>

namespace shardlab::ui {

/// Whether an event of the host lane is a layer or an operation within an action.
constexpr bool isPart(EventKind kind) { return kind == EventKind::Annotation || kind == EventKind::Operation; }

/// Where layers (EventKind::Annotation) or operations stand in a row: top and height. None in a row that is too low.
std::optional<QRect> partStrip(const Row& row, EventKind kind, double letters);

/// Adds those of a row's host lane that can be told apart, and lets numbers of bars stand above them.
void addParts(GanttScene& scene, const RunModel& model, const LaneShape& host, const Row& row, double letters);

/// The part at a pixel of a row.
std::optional<Event> partAt(const RunModel& model, const TimeScale& scale, const Row& row, double letters, int x,
                            int y);

}  // namespace shardlab::ui
