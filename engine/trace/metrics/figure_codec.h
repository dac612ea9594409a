// SPDX-License-Identifier: Apache-2.0
// Figures of steps as the run file's blobs: columns of whole numbers, compressed with zstd. Written down in
// resources/manual/70-run-file.md.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/result.h"
#include "engine/trace/metrics/step_figures.h"

#include <cstddef>
#include <span>
#include <vector>

namespace shardlab::trace {

/// Ascending by step.
Bytes packOverviews(std::span<const StepOverview> steps);
/// Error: it is no such blob, whole.
Result<std::vector<StepOverview>> unpackOverviews(std::span<const std::byte> packed);

/// Ascending by step; each of as many ranks.
Bytes packFigures(std::span<const StepFigures> steps);
/// The steps of a run of `ranks` ranks. `restarts` say how many ranks were active when; `flushes` is a Summarizer's.
Result<std::vector<StepFigures>> unpackFigures(std::span<const std::byte> packed, int ranks, bool flushes,
                                               const Restarts& restarts = {});

}  // namespace shardlab::trace
