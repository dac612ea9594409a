// SPDX-License-Identifier: Apache-2.0
// Optimizer state of which each member of a tensor group knows a part.
#pragma once

#include "engine/train/model/arena.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace shardlab::train {

struct MemberPiece {
    std::size_t size = 0;
    bool parts = false;  ///< each member knows a part, and the parts are combined
    bool tied = false;   ///< it belongs to a weight that two stages share
};

/// One block of zeros (category Optimizer), in which the pieces to be combined come first, so that one collective
/// combines them all. Pieces of a weight that two stages share have a collective of their own, and so the same one in
/// both stages, which then go on with the same bits. This requires that equal groups of the communicator combine in
/// equal order. NCCL promises it for one or two members, and for more where their links are alike; elsewhere the two
/// copies may part by rounding.
class MemberBlock {
public:
    MemberBlock(std::span<const MemberPiece> pieces, Arena& arena);

    float* of(std::size_t piece) const { return block_.floats() + begins_[piece]; }
    ArraySpan span(std::size_t piece, std::size_t size) const { return block_.span().subspan(begins_[piece], size); }
    void putTogether(const std::function<void(ArraySpan)>& overMembers) const;

private:
    std::vector<std::size_t> begins_;
    Buffer block_;
    std::size_t tied_ = 0;   ///< numbers at the beginning: parts of tied weights
    std::size_t parts_ = 0;  ///< numbers after them: parts of other weights
};

}  // namespace shardlab::train
