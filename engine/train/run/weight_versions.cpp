// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/weight_versions.h"

#include <utility>

namespace shardlab::train {

void WeightVersions::stash(const Action& action) {
    const Moment begin = trace_.mark();
    trace_.doing(RankPhase::Compute, action);
    const ConstArraySpan weights = stages_.at(action.stage).stage->parameterBlock();
    Buffer& copy = copies_[{action.stage, action.version}];
    copy = arena_.allocate(MemoryCategory::Parameters, weights.size(), weights.type());
    arena_.device().copy(weights.data().data, copy.data().data, weights.bytes().size());
    clock_.finish(action);
    trace_.span(Lane::Compute, EventKind::StashWeights, begin, trace_.mark(), action, costs_.bytes(action));
    recordCount();
}

void WeightVersions::free(const Action& action) {
    copies_.erase({action.stage, action.version});
    const std::int64_t now = trace_.now();
    trace_.span(Lane::Compute, EventKind::FreeWeights, now, now, action, costs_.bytes(action));
    recordCount();
}

ConstArraySpan WeightVersions::of(const Action& action) const {
    const auto found = copies_.find({action.stage, action.version});
    return found == copies_.end() ? ConstArraySpan() : found->second.span();
}

void WeightVersions::renumber(int by) {
    std::map<std::pair<int, int>, Buffer> moved;
    for (auto& [key, weights] : copies_) moved.emplace(std::pair(key.first, key.second + by), std::move(weights));
    copies_ = std::move(moved);
}

void WeightVersions::recordCount() {
    trace_.counter(EventKind::WeightVersions, static_cast<double>(copies_.size() + stages_.size()));
}

}  // namespace shardlab::train
