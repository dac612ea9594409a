// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a run and what is figured of them: from its events as they arrive, or taken from what its file stores.
#pragma once

#include "engine/trace/analysis/stragglers.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/event/restarts.h"
#include "engine/trace/metrics/summary.h"
#include "engine/trace/run_file/run_file.h"
#include "ui/core/gone_steps.h"
#include "ui/core/stored_steps.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace shardlab::ui {

/// Where a step lies in time, over all ranks; -1 = not known yet.
struct StepExtent {
    int step = 0;
    std::int64_t begin = -1;  ///< first thing any rank did in it
    std::int64_t firstForward = -1;
    std::int64_t lastBackward = -1;
    std::int64_t end = -1;  ///< last thing seen so far
    bool complete = false;  ///< every rank has ended it
};

class RunSteps {
public:
    RunSteps() = default;  ///< of no run
    /// `predicted`: one step of all ranks.
    RunSteps(const RunHeader& header, int ranks, std::span<const Event> predicted);

    /// Figures that the run's file stores, those of the steps' events: add() leaves these out from then on. False, and
    /// nothing is taken, where they are of another number of ranks. Before the first event.
    bool take(StoredSteps steps);
    /// Details of steps that take() has named, ascending from call to call, and what was found when all were read.
    bool take(StepDetails details);
    bool take(StepEnds ends);
    /// Lanes ascend, and a restart comes before what is done after it.
    void add(std::span<const Event> events);
    /// False where the restart is known.
    bool restart(const Event& restart);
    /// Peaks of memory, which are recorded as counters; other events are left out.
    void addPeaks(std::span<const Event> events);
    /// Leaves out so many of the older steps, evenly over their time, that less than `most` stay, half of which are the
    /// newest; of those that could stay one that has details does. Not of steps that were taken.
    GoneSteps thin(std::size_t most);

    /// Whether their figures are taken from the run's file.
    bool stored() const { return stored_; }
    const Restarts& restarts() const { return restarts_; }
    const Summarizer& summary() const { return summary_; }
    const std::vector<StepSummary>& all() const { return summary_.steps(); }  ///< ascending
    /// One for each of all().
    const std::vector<StepExtent>& extents() const { return extents_; }
    /// The step `time` falls into (the last that began at or before it); time -1: the last complete one with details,
    /// where none has some the last complete one, or the last. Index into all() and extents(); -1 where there is none.
    int indexAt(std::int64_t time) const;
    /// The same step itself; nullptr where there is none.
    const StepSummary* at(std::int64_t time) const;
    const StepExtent* extentAt(std::int64_t time) const;
    /// The extent of the step with this number; nullptr where there is none.
    const StepExtent* extentOf(std::int64_t step) const;
    /// Ranks that did the step, or do it, those of the newest steps where it is not said; an elastic run may have fewer
    /// than its layout for some time.
    int activeRanks(int step = std::numeric_limits<int>::max()) const { return restarts_.ranksOf(step, ranks_); }
    /// Whether some steps had fewer than others.
    bool resized() const {
        return std::ranges::any_of(
            restarts_.all(), [this](const Event& restart) { return ranksAfter(restart).value_or(ranks_) < ranks_; });
    }
    /// Whether the prediction is of steps like this one: with fewer ranks they have other actions.
    bool isPredicted(int step) const { return activeRanks(step) == ranks_; }
    /// What a rank's step, an index into extents(), was made of; nullptr where only events tell.
    const StepShares* shares(std::size_t step, int rank) const;
    /// What was taken away of the run's events.
    const Thinning& thinning() const { return thinning_; }
    /// Largest memory of a rank in any step so far.
    std::int64_t peakBytes(int rank) const { return peaks_.at(static_cast<std::size_t>(rank)); }
    /// Largest excess first. Of a run that goes on, those known a few steps ago; `ended`: of all steps.
    const std::vector<Straggler>& stragglers(bool ended) const;

private:
    void refreshExtents();
    int newest() const;

    int ranks_ = 0;
    Restarts restarts_;
    Summarizer summary_{0};
    std::vector<StepExtent> extents_;
    std::size_t firstOpen_ = 0;  ///< extents before it are complete and final
    std::vector<std::int64_t> peaks_;
    std::optional<StragglerWatch> watch_;
    mutable std::vector<Straggler> stragglers_;
    mutable std::size_t judged_ = 0;  ///< complete steps when stragglers_ were found
    bool stored_ = false;
    std::vector<StepShares> shares_;  ///< step by step, each of all ranks
    Thinning thinning_;
};

}  // namespace shardlab::ui
