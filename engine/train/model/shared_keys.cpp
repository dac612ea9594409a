// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/shared_keys.h"

#include "engine/base/ranges.h"
#include "engine/layout/attention_shape.h"

namespace shardlab::train {

SharedKeys::SharedKeys(const LayerContext& context, int queries, int keyHeads, int width)
    : context_(context), queries_(queries), sharers_(layout::keySharers(keyHeads, context.tensor.size())),
      member_(context.tensor.member() % sharers_), width_(2 * width) {}

int SharedKeys::firstOf(int sharer) const { return rangeBegin(width_, sharers_, sharer); }
int SharedKeys::sizeOf(int sharer) const { return rangeSize(width_, sharers_, sharer); }

Buffer SharedKeys::roomForMade(MemoryCategory category) const {
    return context_.allocate(category,
                             static_cast<std::size_t>(context_.tokens()) * static_cast<std::size_t>(madeColumns()));
}

Buffer SharedKeys::blocks(int count) const {
    const auto columns = static_cast<std::size_t>(sizeOf(sharers_ - 1)),
               tokens = static_cast<std::size_t>(context_.tokens());
    return context_.arena.allocateZeroed(MemoryCategory::Temporary, static_cast<std::size_t>(count) * tokens * columns,
                                         context_.types.activations);
}

std::int64_t SharedKeys::blockOf(int sharer) const {
    const int member = context_.tensor.member() - member_ + sharer;
    return std::int64_t{member} * context_.tokens() * sizeOf(sharers_ - 1);
}

void SharedKeys::copy(int columns, ConstArray from, int fromStride, Array to, int toStride) const {
    if (columns > 0) context_.device().copyColumns(context_.tokens(), columns, from, fromStride, to, toStride);
}

void SharedKeys::gather(const Buffer& made, const Buffer& joined) const {
    const int most = sizeOf(sharers_ - 1), all = queries_ + width_;
    copy(queries_, made.data(), madeColumns(), joined.data(), all);
    const Buffer own = blocks(1);
    copy(sizeOf(member_), made.data() + queries_, madeColumns(), own.data(), most);
    const Buffer everyones = context_.tensor.gatherBlocks(own);
    for (int sharer = 0; sharer < sharers_; ++sharer)
        copy(sizeOf(sharer), everyones.data() + blockOf(sharer), most, joined.data() + (queries_ + firstOf(sharer)),
             all);
}

Buffer SharedKeys::sum(const Buffer& joined) const {
    const int most = sizeOf(sharers_ - 1), all = queries_ + width_;
    Buffer everyones = blocks(context_.tensor.size());
    for (int sharer = 0; sharer < sharers_; ++sharer)
        copy(sizeOf(sharer), joined.data() + (queries_ + firstOf(sharer)), all, everyones.data() + blockOf(sharer),
             most);
    const Buffer own = context_.tensor.sumBlocks(std::move(everyones));
    Buffer made = roomForMade(MemoryCategory::Activations);
    copy(queries_, joined.data(), all, made.data(), madeColumns());
    copy(sizeOf(member_), own.data(), most, made.data() + queries_, madeColumns());
    return made;
}

}  // namespace shardlab::train
