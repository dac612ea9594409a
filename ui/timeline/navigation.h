// SPDX-License-Identifier: GPL-3.0-or-later
// How what is in sight changes; pure functions of time ranges, nanoseconds.
#pragma once

#include "ui/core/selection.h"

#include <cstdint>

namespace shardlab::ui {

inline constexpr std::int64_t leastVisible = 200;  ///< nanoseconds; closer than a clock can tell apart is no use

/// The same length moved so that it overlaps `whole` by at least a tenth and at most a twentieth of it lies before
/// `whole`, where nothing can be; never shorter than leastVisible, never longer than 1.25 times `whole`.
TimeRange keepInSight(TimeRange range, TimeRange whole);
/// `factor` < 1 comes closer; the moment `fixed` stays where it is.
TimeRange zoomed(TimeRange range, double factor, std::int64_t fixed, TimeRange whole);
TimeRange panned(TimeRange range, double fraction, TimeRange whole);
/// The range with a margin of `fraction` of its length on both sides.
TimeRange padded(TimeRange range, double fraction);
/// What following shows: the same length, ending a little after `whole` does; where `whole` is still shorter, beginning
/// a little before it.
TimeRange following(TimeRange range, TimeRange whole);

}  // namespace shardlab::ui
