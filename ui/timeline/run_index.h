// SPDX-License-Identifier: GPL-3.0-or-later
// A LaneIndex for every lane of a run and of its prediction, kept up with the model.
#pragma once

#include "ui/core/run_model.h"
#include "ui/timeline/lane_index.h"

#include <array>
#include <vector>

namespace shardlab {

/// A lane with its index; borrowed from the model, good until events arrive.
struct LaneView {
    const std::vector<Event>* events;
    const LaneIndex* index;
};

class RunIndex {
public:
    explicit RunIndex(const RunModel& model) : model_(model) {}

    /// After the model's reset().
    void rebuild();
    /// After the model's appended(): takes in what is new.
    void update();
    LaneView measured(int rank, Lane lane) const;
    LaneView predicted(int rank, Lane lane) const;
    /// Share of [begin, end) in which a rank's compute lane computes.
    double busy(int rank, std::int64_t begin, std::int64_t end) const;

private:
    using Lanes = std::array<LaneIndex, laneCount>;
    const RunModel& model_;
    std::vector<Lanes> measured_;
    std::vector<Lanes> predicted_;
};

}  // namespace shardlab
