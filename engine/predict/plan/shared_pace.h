// SPDX-License-Identifier: Apache-2.0
// Paced runs that are watched to be compared share one factor, so that whichever layout its devices carry out sooner
// is seen to end sooner.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include <optional>
#include <span>

namespace shardlab::predict {

/// Gives the paced ones of these legal layouts one factor, by changing their cluster.pace.step_seconds: the largest of
/// the factors that they had, so that no rank gets less time for its mathematics than its layout gave it. Returns the
/// factor. None, and no change, where fewer than two are paced, or where a step would last longer than the field may
/// say.
std::optional<double> paceTogether(std::span<Layout* const> layouts);

/// The cluster.pace.step_seconds with which a run of the paced, legal layout is slowed `stretch` times, as another run
/// is. Errors: that is no legal value of the field.
Result<double> stepSecondsAt(const Layout& layout, double stretch);

}  // namespace shardlab::predict
