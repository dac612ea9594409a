// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/metrics/step_figures.h"

#include "engine/base/clock.h"
#include "engine/trace/metrics/figure_sum.h"

#include <algorithm>

namespace shardlab::trace {

StepOverview overviewOf(const StepSummary& step) {
    StepOverview all{.step = step.step,
                     .begin = step.begin,
                     .end = step.end,
                     .firstForward = step.firstForward,
                     .lastBackward = step.lastBackward,
                     .counted = step.busy,
                     .loss = step.loss,
                     .validation = step.validation,
                     .sum = {}};
    RankStep& sum = all.sum;
    for (const RankStep& rank : step.ranks) {
        if (rank.end != 0) {
            grow(all.spent, asFigure(rank.end - rank.begin));
            ++all.ended;
        }
        grow(sum.busy, rank.busy);
        grow(sum.waiting, rank.waiting);
        grow(sum.reduce, rank.reduce);
        grow(sum.optimizer, rank.optimizer);
        grow(sum.recompute, rank.recompute);
        if (rank.hidden >= 0) grow(sum.hidden = std::max<std::int64_t>(sum.hidden, 0), rank.hidden);
        if (rank.exposed >= 0) grow(sum.exposed = std::max<std::int64_t>(sum.exposed, 0), rank.exposed);
        grow(sum.overrun, rank.overrun);
        grow(sum.moved, rank.moved);
        sum.peakBytes = std::max(sum.peakBytes, rank.peakBytes);
        sum.withoutDetails += rank.withoutDetails;
    }
    return all;
}

StepSummary summaryOf(const StepOverview& overview, int ranks, bool flushes) {
    StepSummary step = StepSummary::of(overview.step, 0, ranks);
    step.begin = overview.begin;
    step.end = overview.end;
    step.firstForward = overview.firstForward;
    step.lastBackward = overview.lastBackward;
    step.busy = overview.counted;
    step.moved = overview.sum.moved;
    step.withoutDetails = overview.sum.withoutDetails;
    step.loss = overview.loss;
    step.validation = overview.validation;
    step.complete = ranks > 0 && overview.ended == ranks;
    const auto busy = static_cast<double>(overview.counted);
    const auto spent = static_cast<double>(overview.spent);
    if (step.complete) step.seconds = flushes ? toSeconds(overview.end - overview.begin) : spent * 1e-9 / ranks;
    const double whole = flushes ? static_cast<double>(overview.lastBackward - overview.firstForward) * ranks : spent;
    const bool known = flushes ? overview.firstForward >= 0 && overview.lastBackward > overview.firstForward
                               : step.complete && spent > 0;
    if (known) step.bubble = std::clamp(1.0 - busy / whole, 0.0, 1.0);
    return step;
}

}  // namespace shardlab::trace
