// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/arena.h"
#include "engine/train/model/parameter.h"

#include <span>
#include <vector>

namespace shardlab {

/// The weights in fp32 of which the parameters' values are rounded copies (1710.03740): updates smaller than a step of
/// 16 bits add up here. One block (category Optimizer), in the order of the parameters.
class MasterWeights {
public:
    MasterWeights() = default;
    /// Starts from the values.
    MasterWeights(std::span<const Parameter> parameters, Arena& arena);

    bool empty() const { return block_.empty(); }
    /// Of parameter `index`; nothing where empty.
    ArraySpan of(std::size_t index) const { return empty() ? ArraySpan{} : parts_[index]; }
    /// The values anew from these.
    void round(std::span<Parameter> parameters) const;

private:
    Arena* arena_ = nullptr;
    Buffer block_;
    std::vector<ArraySpan> parts_;
};

}  // namespace shardlab
