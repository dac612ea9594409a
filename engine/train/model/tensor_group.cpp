// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/tensor_group.h"

namespace shardlab::train {

void TensorGroup::visit(int) {}
AllTokens TensorGroup::gather(const Buffer& own, MemoryCategory) { return AllTokens::view(own); }

Buffer TensorGroup::sum(std::size_t elements, DType type, MemoryCategory category,
                        const std::function<void(Array)>& partial) {
    Buffer whole = arena_.allocate(category, elements, type);
    partial(whole.data());
    return whole;
}

Buffer TensorGroup::keepPart(Buffer whole) { return whole; }
Buffer TensorGroup::joinParts(Buffer part) { return part; }

Buffer TensorGroup::gatherBlocks(const Buffer& own) {
    Buffer all = arena_.allocate(MemoryCategory::Temporary, own.size(), own.type());
    arena_.device().copy(own.data().data, all.data().data, own.span().bytes().size());
    return all;
}

Buffer TensorGroup::sumBlocks(Buffer blocks) { return blocks; }
void TensorGroup::sumOverTokens(ArraySpan) {}
void TensorGroup::sumOverMembers(ArraySpan) {}
void TensorGroup::largestOverMembers(ArraySpan) {}

}  // namespace shardlab::train
