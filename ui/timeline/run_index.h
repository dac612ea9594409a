// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline looks at of a model: a LaneIndex for every lane of its prediction, and the blocks of measured
// events that the picture needs now.
#pragma once

#include "ui/core/run_model.h"
#include "ui/store/block_loader.h"
#include "ui/timeline/lane_index.h"

#include <array>
#include <memory>
#include <vector>

namespace shardlab::ui {

/// A predicted lane with its index; borrowed from the model, good until it begins anew.
struct LaneView {
    const std::vector<Event>* events;
    const LaneIndex* index;
};

class RunIndex {
public:
    explicit RunIndex(const RunModel& model) : model_(model), blocks_(std::make_unique<BlockLoader>()) {}

    /// After the model's reset().
    void rebuild();
    LaneView predicted(int rank, Lane lane) const;
    /// Holds what was drawn last.
    BlockLoader& blocks() const { return *blocks_; }
    /// Share of [begin, end) in which a rank's compute lane computes.
    double busy(int rank, std::int64_t begin, std::int64_t end) const;

private:
    using Lanes = std::array<LaneIndex, laneCount>;
    const RunModel& model_;
    std::vector<Lanes> predicted_;
    std::unique_ptr<BlockLoader> blocks_;
};

}  // namespace shardlab::ui
