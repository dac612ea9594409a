// SPDX-License-Identifier: Apache-2.0
// Numbers of an optimizer of which the members of a tensor group each know a part.
#pragma once

#include "engine/train/model/arena.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace shardlab {

struct MemberPiece {
    std::size_t size = 0;
    bool parts = false;  ///< each member knows a part, to be put together with the others'
    bool tied = false;   ///< of a weight that two stages share
};

/// One block, zeros (category Optimizer), in which what is to be put together comes first: one collective for all of
/// it. What is of a weight that two stages share takes one by itself, and so the same one in both: they go on with the
/// same bits. That asks of the communicator that equal groups add up in equal order; NCCL promises it of one or two
/// members, and of more where their links are alike: elsewhere copies may part by rounding.
class MemberBlock {
public:
    MemberBlock(std::span<const MemberPiece> pieces, Arena& arena);

    float* of(std::size_t piece) const { return block_.floats() + begins_[piece]; }
    ArraySpan span(std::size_t piece, std::size_t size) const { return block_.span().subspan(begins_[piece], size); }
    void putTogether(const std::function<void(ArraySpan)>& overMembers) const;

private:
    std::vector<std::size_t> begins_;
    Buffer block_;
    std::size_t tied_ = 0;   ///< numbers at the beginning, and
    std::size_t parts_ = 0;  ///< after them, to be put together
};

}  // namespace shardlab
