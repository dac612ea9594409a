// SPDX-License-Identifier: Apache-2.0
// Who waits for whom at one moment, from what every rank says it is doing and from the lists of actions they go
// through.
#pragma once

#include "engine/layout/mesh/mesh.h"
#include "engine/trace/record/status_page.h"
#include "engine/layout/schedule/schedule.h"

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace shardlab::launch {

class WaitGraph {
public:
    /// `ranks`: what each does, by world rank; `frozen`: a rank that does not run, and so has done its part nowhere;
    /// -1: there is none. All arguments must outlive this.
    WaitGraph(const Mesh& mesh, const Schedule& lowered, std::span<const RankStatus> ranks, int frozen = -1)
        : mesh_(mesh), lowered_(lowered), ranks_(ranks), frozen_(frozen) {}

    /// Ranks without which `rank` cannot go on: a message's sender, the members of a collective that have not reached
    /// it, between steps the ranks that are behind. Empty where it works by itself.
    std::vector<int> waitsFor(int rank) const;

    /// A send that its rank has passed in its list while its receiver still waits: that message never comes.
    struct Missing {
        int sender = -1;
        int receiver = -1;
        Action send;
    };
    std::optional<Missing> missing() const;

private:
    /// How far a rank is: compared by step first, then by the place in the step's list.
    struct Progress {
        int step = -1;
        std::size_t place = 0;
        auto operator<=>(const Progress&) const = default;
    };
    const std::vector<Action>& list(int rank) const;
    Progress progress(int rank) const;
    std::size_t placeOf(int rank, const Action& action) const;
    std::vector<int> group(int rank, ActionKind kind) const;
    std::vector<int> behindPieces(int rank) const;
    std::vector<int> betweenStepsTogether(int rank) const;

    const Mesh& mesh_;
    const Schedule& lowered_;
    std::span<const RankStatus> ranks_;
    int frozen_;
};

}  // namespace shardlab::launch
