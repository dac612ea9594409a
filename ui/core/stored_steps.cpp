// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/stored_steps.h"

#include "engine/schedule/registry.h"

#include <algorithm>
#include <cmath>

namespace shardlab {
namespace {

constexpr std::size_t mostRankSteps = 4'000'000;  ///< whose figures of each rank are held; of a longer run the steps alone

/// Recomputation lies within a backward or an input gradient, which loses as much.
StepShares sharesOf(const RankStep& rank, const RankDetail& detail) {
    std::array<double, shownKinds.size()> parts{};
    const auto part = [&](EventKind kind) -> double& {
        return parts[static_cast<std::size_t>(std::ranges::find(shownKinds, kind) - shownKinds.begin())];
    };
    for (const KindTime& time : detail.kinds) {
        const EventKind kind = time.kind == EventKind::Kernel ? EventKind::Forward : time.kind == EventKind::ReduceTied ? EventKind::ReduceGradients : time.kind;
        if (std::ranges::find(shownKinds, kind) != shownKinds.end())
            part(kind) += time.kind == EventKind::Kernel ? static_cast<double>(rank.busy) : static_cast<double>(time.nanoseconds);
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

Result<StoredSteps> readSteps(const RunReader& run, const std::function<bool()>& wanted) {
    const Layout& layout = run.header().layout;
    StoredSteps stored;
    stored.ranks = rankCount(layout);
    stored.thinning = run.thinning();
    stored.peaks.resize(static_cast<std::size_t>(stored.ranks));
    const auto overview = run.overview();
    if (!overview) return fail(overview.error());
    const std::size_t rankSteps = overview->size() * static_cast<std::size_t>(std::max(stored.ranks, 1));
    if (rankSteps > mostRankSteps) {
        for (const StepOverview& step : *overview) stored.steps.push_back(summaryOf(step, stored.ranks, flushes(layout)));
        return stored;
    }
    StragglerWatch watch(run.header());
    const auto predicted = run.predicted();
    if (!predicted) return fail(predicted.error());
    watch.addPredicted(*predicted);
    stored.steps.reserve(overview->size());
    stored.shares.reserve(rankSteps);
    const Status read = run.readFigures([&](const StepFigures& step) {
        for (std::size_t rank = 0; rank < step.details.size(); ++rank)
            stored.peaks[rank] = std::max(stored.peaks[rank], step.times.ranks[rank].peakBytes);
        if (step.times.step < 0) return true;
        watch.put(step);
        stored.steps.push_back(step.times);
        for (std::size_t rank = 0; rank < step.details.size(); ++rank)
            stored.shares.push_back(sharesOf(step.times.ranks[rank], step.details[rank]));
        return wanted();
    });
    if (!read) return fail(read.error());
    stored.stragglers = watch.stragglers();
    return stored;
}

}  // namespace shardlab
