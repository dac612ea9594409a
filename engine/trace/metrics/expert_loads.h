// SPDX-License-Identifier: Apache-2.0
// How many tokens chose each expert of a run, and how many found no place: summed over ranks. Where experts choose, how
// many tokens none of them took.
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
    /// What became of the tokens where experts choose.
    struct Chosen {
        double untaken = 0;      ///< tokens that no expert took, mean over steps and layers
        double mostOfToken = 0;  ///< the most experts that took one token
        double mostRounds = 0;   ///< of an assignment; 0: there was none
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
    /// None where experts do not choose.
    std::optional<Chosen> chosen() const;

private:
    /// The loads of each step, by expertNumber().
    std::map<int, std::map<std::int64_t, Load>> steps_;
    /// The choices of each step, by layer; `untaken` is the sum over ranks.
    std::map<int, std::map<int, Chosen>> chosen_;
};

}  // namespace shardlab::trace
