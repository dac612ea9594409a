// SPDX-License-Identifier: Apache-2.0
#include "engine/train/optim/master_weights.h"

namespace shardlab::train {

MasterWeights::MasterWeights(std::span<const Parameter> parameters, Arena& arena) : arena_(&arena) {
    std::size_t elements = 0;
    for (const Parameter& parameter : parameters) elements += parameter.value.size();
    block_ = arena.allocate(MemoryCategory::Optimizer, elements);
    std::size_t offset = 0;
    for (const Parameter& parameter : parameters) {
        const std::size_t count = parameter.value.size();
        parts_.push_back(block_.span().subspan(offset, count));
        arena.device().convert(static_cast<std::int64_t>(count), parameter.value.data(), parts_.back().data());
        offset += count;
    }
}

void MasterWeights::round(std::span<Parameter> parameters) const {
    for (std::size_t i = 0; i < parts_.size(); ++i)
        arena_->device().convert(static_cast<std::int64_t>(parts_[i].size()), parts_[i].data(),
                                 parameters[i].value.data());
}

}  // namespace shardlab::train
