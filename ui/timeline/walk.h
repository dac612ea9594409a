// SPDX-License-Identifier: GPL-3.0-or-later
// Walking the selection with the arrow keys: along a lane, and between ranks.
#pragma once

#include "ui/timeline/timeline_state.h"

#include <optional>

namespace shardlab::ui {

/// The next (+1) or previous (-1) painted event of the same lane; from nothing, the first in sight of the first rank
/// shown. None at the lane's end.
std::optional<Event> walkLane(const TimelineState& state, const std::optional<Event>& from, int direction);
/// The event of the rank below (+1) or above (-1) nearest in time.
std::optional<Event> walkRanks(const TimelineState& state, const std::optional<Event>& from, int direction);

}  // namespace shardlab::ui
