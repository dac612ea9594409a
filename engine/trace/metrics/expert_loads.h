// SPDX-License-Identifier: Apache-2.0
// How many tokens chose each expert of a run, and how many found no place: summed over ranks.
#pragma once

#include "engine/trace/event/event.h"
#include "engine/trace/event/experts.h"

#include <map>
#include <optional>
#include <vector>

namespace shardlab::trace {

class ExpertLoads {
public:
    struct Load {
        double asked = 0;
        double dropped = 0;
    };
    /// The loads of a layer, by expert.
    using OfLayer = std::vector<Load>;

    /// Counters of other kinds are left out.
    void add(const Event& event);
    bool empty() const { return steps_.empty(); }
    /// The loads of the steps from `step` on.
    ExpertLoads from(int step) const;
    /// Over all steps, by layer of the model.
    std::map<int, OfLayer> layers() const;

    /// Tokens that chose a layer's busiest expert ÷ those of an average one, mean over layers: 1 is even. None without
    /// experts.
    std::optional<double> unevenness() const;
    /// The share of all choices of tokens that found no place.
    std::optional<double> droppedShare() const;

private:
    /// The loads of each step, by expertNumber().
    std::map<int, std::map<std::int64_t, Load>> steps_;
};

}  // namespace shardlab::trace
