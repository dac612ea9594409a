// SPDX-License-Identifier: Apache-2.0
// The list of one rank of a V-shaped schedule while a generator writes it.
#pragma once

#include <array>

#include "engine/layout/schedule_method.h"
#include "engine/layout/schedule/schedule.h"

namespace shardlab::layout {

/// Each call adds the next microbatch of its kind for chunk 0 (stage r, on the way down the V) or chunk 1 (stage
/// 2p−1−r). Microbatches that the shape does not have are counted and left out.
class FoldedRank {
public:
    FoldedRank(const ScheduleShape& shape, int rank, std::vector<Action>& actions)
        : microbatches_(shape.microbatches), stages_{rank, 2 * shape.ranks - 1 - rank}, actions_(actions) {}

    void forward(std::size_t chunk) { add(ActionKind::Forward, chunk, forwards_[chunk]++); }
    void inputGrad(std::size_t chunk) { add(ActionKind::InputGrad, chunk, inputGrads_[chunk]++); }
    void weightGrad(std::size_t chunk) { add(ActionKind::WeightGrad, chunk, weightGrads_[chunk]++); }
    void backward(std::size_t chunk) {
        add(ActionKind::Backward, chunk, inputGrads_[chunk]++);
        ++weightGrads_[chunk];
    }
    int forwards(std::size_t chunk) const { return forwards_[chunk]; }
    /// Input gradients whose weight gradients are still to come.
    int pending(std::size_t chunk) const { return inputGrads_[chunk] - weightGrads_[chunk]; }

private:
    void add(ActionKind kind, std::size_t chunk, int microbatch) {
        if (microbatch < microbatches_) actions_.push_back({kind, stages_[chunk], microbatch});
    }

    int microbatches_;
    std::array<int, 2> stages_;
    std::vector<Action>& actions_;
    std::array<int, 2> forwards_{}, inputGrads_{}, weightGrads_{};
};

}  // namespace shardlab::layout
