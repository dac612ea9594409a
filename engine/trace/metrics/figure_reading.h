// SPDX-License-Identifier: Apache-2.0
// Figures of steps from the shelf they lie on.
#pragma once

#include "engine/trace/metrics/metric_store.h"
#include "engine/trace/metrics/step_figures.h"

#include <functional>
#include <vector>

namespace shardlab::trace {

/// Ascending, from step `first` on; `sink` returns false to stop. Error: a block is damaged. Those before it were
/// given.
Status eachStep(MetricStore& shelf, int ranks, bool flushes, const Restarts& restarts, int first,
                const std::function<bool(const StepFigures&)>& sink);
Result<std::vector<StepOverview>> allOverviews(MetricStore& shelf);

}  // namespace shardlab::trace
