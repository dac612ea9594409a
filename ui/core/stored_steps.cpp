// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/stored_steps.h"

#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardlab::ui {
namespace {

constexpr std::size_t mostRankSteps =
    4'000'000;                                 ///< whose figures of each rank are held; of a longer run the steps alone
constexpr std::size_t fewRankSteps = 100'000;  ///< whose figures are read in a blink
constexpr std::size_t rankStepsOfPart = 16'384;  ///< that a window takes over within a frame

std::size_t rankStepsOf(const StoredSteps& steps) {
    return steps.steps.size() * static_cast<std::size_t>(std::max(steps.ranks, 1));
}

/// Recomputation lies within a backward or an input gradient, which loses as much.
StepShares sharesOf(const RankStep& rank, const RankDetail& detail) {
    std::array<double, shownKinds.size()> parts{};
    const auto part = [&](EventKind kind) -> double& {
        return parts[static_cast<std::size_t>(std::ranges::find(shownKinds, kind) - shownKinds.begin())];
    };
    for (const KindTime& time : detail.kinds) {
        const EventKind kind = time.kind == EventKind::Kernel       ? EventKind::Forward
                               : time.kind == EventKind::ReduceTied ? EventKind::ReduceGradients
                                                                    : time.kind;
        if (std::ranges::find(shownKinds, kind) != shownKinds.end())
            part(kind) +=
                time.kind == EventKind::Kernel ? static_cast<double>(rank.busy) : static_cast<double>(time.nanoseconds);
    }
    double again = part(EventKind::Recompute);
    for (const EventKind around : {EventKind::Backward, EventKind::InputGrad}) {
        const double inside = std::min(again, part(around));
        part(around) -= inside;
        again -= inside;
    }
    StepShares shares{};
    const auto whole = static_cast<double>(rank.end - rank.begin);
    for (std::size_t i = 0; whole > 0 && i < parts.size(); ++i)
        shares[i] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(parts[i] / whole, 0.0, 1.0)));
    return shares;
}

}  // namespace

Result<StoredSteps> readSteps(const RunReader& run) {
    const Layout& layout = run.header().layout;
    StoredSteps stored;
    stored.ranks = rankCount(layout);
    stored.thinning = run.thinning();
    const auto overview = run.overview();
    if (!overview) return fail(overview.error());
    stored.steps.reserve(overview->size());
    const Restarts restarts(run.restarts());
    for (const StepOverview& step : *overview)
        stored.steps.push_back(summaryOf(step, restarts.ranksOf(step.step, stored.ranks), flushes(layout)));
    return stored;
}

bool hasFewDetails(const StoredSteps& steps) { return rankStepsOf(steps) <= fewRankSteps; }
bool hasTooManyDetails(const StoredSteps& steps) { return rankStepsOf(steps) > mostRankSteps; }

Result<StepEnds> readDetails(const RunReader& run, const std::function<bool(StepDetails)>& sink) {
    const auto ranks = static_cast<std::size_t>(std::max(rankCount(run.header().layout), 1));
    StepEnds ends;
    ends.peaks.resize(ranks);
    StragglerWatch watch(run.header());
    const auto predicted = run.predicted();
    if (!predicted) return fail(predicted.error());
    watch.addPredicted(*predicted);
    StepDetails part;
    const Status read = run.readFigures([&](const StepFigures& step) {
        for (std::size_t rank = 0; rank < step.details.size(); ++rank)
            ends.peaks[rank] = std::max(ends.peaks[rank], step.times.ranks[rank].peakBytes);
        if (step.times.step < 0) return true;
        watch.put(step);
        part.steps.push_back(step.times);
        for (std::size_t rank = 0; rank < step.details.size(); ++rank)
            part.shares.push_back(sharesOf(step.times.ranks[rank], step.details[rank]));
        return part.shares.size() < rankStepsOfPart || sink(std::exchange(part, {}));
    });
    if (!read) return fail(read.error());
    if (!part.steps.empty()) sink(std::move(part));
    ends.stragglers = watch.stragglers();
    return ends;
}

}  // namespace shardlab::ui
