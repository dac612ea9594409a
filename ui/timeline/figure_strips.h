// SPDX-License-Identifier: GPL-3.0-or-later
// Steps drawn from the figures that the run stores: where their events are not there, and where they are too narrow for
// what is within them to be seen.
#pragma once

#include "ui/timeline/gantt_scene.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace shardlab::ui {

class FigureStrips {
public:
    /// Both must outlive it.
    FigureStrips(const RunModel& model, const TimeScale& scale);

    /// Steps are so narrow that their figures are drawn in place of their events.
    bool coarse() const { return coarse_; }
    /// Each step as one bar, from its foot up the shares of what the rank did: of steps without events, which are drawn
    /// fainter, and where steps are coarse() of all. A pixel with several steps shows the mean of some of them.
    void draw(GanttScene& scene, const Row& row);

private:
    using Shares = std::array<int, shownKinds.size()>;
    Shares mean(const StepRange& steps, int rank) const;

    const RunModel& model_;
    const TimeScale& scale_;
    bool coarse_ = false;
    std::vector<StepRange> steps_;  ///< of each pixel column; none where the run stores no figures
};

/// The step at `time`, an index into RunSteps::extents(), where its figures alone are drawn of this rank: its events
/// were taken away, or are not read yet.
std::optional<std::size_t> stepWithoutEvents(const RunModel& model, int rank, std::int64_t time);

}  // namespace shardlab::ui
