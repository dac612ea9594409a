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
void TensorGroup::sumOverTokens(ArraySpan) {}
void TensorGroup::sumOverMembers(ArraySpan) {}
void TensorGroup::largestOverMembers(ArraySpan) {}

}  // namespace shardlab::train
