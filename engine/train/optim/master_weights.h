// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/arena.h"
#include "engine/train/model/parameter.h"

#include <span>
#include <vector>

namespace shardlab::train {

/// Master weights (1710.03740): the weights in fp32 of which the parameters' values are rounded copies. Updates smaller
/// than a step of 16 bits add up here. They are one block (category Optimizer), in the order of the parameters.
class MasterWeights {
public:
    MasterWeights() = default;
    /// The master weights start from the parameters' values.
    MasterWeights(std::span<const Parameter> parameters, Arena& arena);

    bool empty() const { return block_.empty(); }
    /// The master weights of parameter `index`; nothing where empty().
    ArraySpan of(std::size_t index) const { return empty() ? ArraySpan{} : parts_[index]; }
    /// All of them.
    ArraySpan block() const { return block_.span(); }
    /// Rounds the master weights into the parameters' values.
    void round(std::span<Parameter> parameters) const;

private:
    Arena* arena_ = nullptr;
    Buffer block_;
    std::vector<ArraySpan> parts_;
};

}  // namespace shardlab::train
