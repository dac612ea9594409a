// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/fp8_trace.h"

#include "engine/trace/event/fp8_place.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace shardlab::train {

namespace {

/// What is recorded of one part of a block.
struct Recorded {
    float scale = std::numeric_limits<float>::infinity();
    bool rounded = false;
    std::vector<Fp8Counts> counts;
};

void recordCounts(RankTrace& trace, int stage, int factor, std::int64_t place, const std::vector<Fp8Counts>& counts) {
    const bool gradient = static_cast<Fp8Factor>(factor) == Fp8Factor::Gradient;
    for (std::size_t m = 0; m < counts.size(); ++m) {
        const Action action{gradient ? ActionKind::Backward : ActionKind::Forward, stage, static_cast<int>(m)};
        if (counts[m].saturated > 0) trace.rounded(EventKind::Fp8Saturated, action, place, counts[m].saturated);
        if (counts[m].flushed > 0) trace.rounded(EventKind::Fp8Flushed, action, place, counts[m].flushed);
    }
}

}  // namespace

void endFp8Step(Stage& stage, int number, RankTrace& trace, Communicator* sharing, Communicator* tensor) {
    const auto combine = [&](std::span<float> largest) {
        // Not-a-number has no place in an order; infinity keeps a tensor out of its history as well.
        for (float& each : largest)
            if (each != each) each = std::numeric_limits<float>::infinity();
        for (Communicator* group : {sharing, tensor})
            if (group && group->size() > 1) group->host().allReduce(largest, ReduceOp::Max);
    };
    std::map<std::int64_t, Recorded> places;
    for (const Fp8Tally& tally : stage.finishFp8Step(combine)) {
        const Fp8Place place{stage.layerOfModel(tally.layer), linearPartOf(tally.name), static_cast<int>(tally.factor)};
        Recorded& recorded = places[fp8Number(place)];
        if (tally.largest > 0) recorded.scale = std::min(recorded.scale, tally.scale);
        recorded.rounded = recorded.rounded || tally.largest != 0;
        recorded.counts.resize(tally.counts.size());
        for (std::size_t m = 0; m < tally.counts.size(); ++m) {
            recorded.counts[m].saturated += tally.counts[m].saturated;
            recorded.counts[m].flushed += tally.counts[m].flushed;
        }
    }
    for (const auto& [place, recorded] : places) {
        if (recorded.rounded && recorded.scale < std::numeric_limits<float>::infinity())
            trace.rounded(EventKind::Fp8Scale, {}, place, recorded.scale);
        recordCounts(trace, number, fp8PlaceOf(place).factor, place, recorded.counts);
    }
}

}  // namespace shardlab::train
