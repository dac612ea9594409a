// SPDX-License-Identifier: GPL-3.0-or-later
// What a run with products in 8 bits tells of each factor of its linear layers: scales, and numbers that saturated or
// became 0.
#pragma once

#include "engine/trace/event/fp8_place.h"
#include "ui/core/run_model.h"

#include <QString>

#include <optional>
#include <vector>

namespace shardlab::ui {

/// One factor in one step, of all ranks and microbatches.
struct RoundedStep {
    int step = 0;
    double scale = 0;      ///< the smallest; 0: none was told
    double saturated = 0;  ///< numbers
    double flushed = 0;    ///< numbers
    double numbers = 0;    ///< that were rounded; 0: not known
    /// The counter of the rank and microbatch in which most numbers saturated; where none did, most became 0.
    std::optional<Event> worst;

    double saturatedShare() const { return numbers > 0 ? saturated / numbers : 0; }
    double flushedShare() const { return numbers > 0 ? flushed / numbers : 0; }
};

/// One factor of one linear layer.
struct RoundedFactor {
    trace::Fp8Place place;
    std::vector<RoundedStep> steps;  ///< ascending
    RoundedStep all;                 ///< sums over steps, and the smallest scale

    /// The step itself; where it told nothing, the last one before. Nullptr where there is none.
    const RoundedStep* at(double step) const;
};

/// The factors that a run tells of, the worst first: those of which the largest share saturated, then the largest share
/// became 0.
std::vector<RoundedFactor> roundedFactors(const RunModel& model);

/// Whether an event is one of these counters.
bool isRounding(EventKind kind);
/// "layer 3, expansion, weight".
QString roundingPlace(const Event& counter);
/// "rank 1, microbatch 2".
QString roundingOrigin(const Event& counter);
/// The forward or backward that rounded the numbers of a counter; none where the run does not have it.
std::optional<Event> roundingAction(const RunModel& model, const Event& counter);
/// "2⁵", or "4.58 M" where it is no power of two; "—" for a scale that was not told.
QString scaleWords(double scale);
/// "0.12 %"; small shares keep two figures.
QString smallShare(double share);
/// "5.20 k numbers (0.12 %)"; the share only where it is known.
QString roundedText(double part, double numbers);

}  // namespace shardlab::ui
