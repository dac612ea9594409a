// SPDX-License-Identifier: Apache-2.0
#include "engine/train/optim/member_block.h"

namespace shardlab::train {

MemberBlock::MemberBlock(std::span<const MemberPiece> pieces, Arena& arena) : begins_(pieces.size()) {
    std::size_t taken = 0;
    const auto place = [&](auto belongs) {
        const std::size_t before = taken;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (!belongs(pieces[i])) continue;
            begins_[i] = taken;
            taken += pieces[i].size;
        }
        return taken - before;
    };
    tied_ = place([](const MemberPiece& piece) { return piece.parts && piece.tied; });
    parts_ = place([](const MemberPiece& piece) { return piece.parts && !piece.tied; });
    place([](const MemberPiece& piece) { return !piece.parts; });
    block_ = arena.allocateZeroed(MemoryCategory::Optimizer, taken);
}

void MemberBlock::putTogether(const std::function<void(ArraySpan)>& overMembers) const {
    if (tied_ > 0) overMembers(block_.span().first(tied_));
    if (parts_ > 0) overMembers(block_.span().subspan(tied_, parts_));
}

}  // namespace shardlab::train
