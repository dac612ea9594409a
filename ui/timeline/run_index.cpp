// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/run_index.h"

namespace shardlab::ui {

void RunIndex::rebuild() {
    predicted_.assign(static_cast<std::size_t>(model_.ranks()), {});
    for (int rank = 0; rank < model_.ranks(); ++rank) {
        for (int lane = 0; lane < laneCount; ++lane)
            predicted_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(lane)].update(
                model_.prediction().lane(rank, static_cast<Lane>(lane)));
    }
}

LaneView RunIndex::predicted(int rank, Lane lane) const {
    return {&model_.prediction().lane(rank, lane),
            &predicted_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(lane)]};
}

double RunIndex::busy(int rank, std::int64_t begin, std::int64_t end) const {
    if (end <= begin) return 0;
    const auto expected = [&] {
        const LaneView lane = predicted(rank, Lane::Compute);
        return lane.index->between(*lane.events, begin, end);
    };
    const Coverage covered =
        model_.recorded().events > 0 ? model_.store().lane(rank, Lane::Compute).coverage(begin, end) : expected();
    std::int64_t computing = 0;
    for (const Paint paint : {Paint::Forward, Paint::Backward, Paint::InputGrad, Paint::WeightGrad})
        computing += covered[paint];
    return static_cast<double>(computing) / static_cast<double>(end - begin);
}

}  // namespace shardlab::ui
