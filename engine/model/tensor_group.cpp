// SPDX-License-Identifier: Apache-2.0
#include "engine/model/tensor_group.h"

namespace shardlab {

void TensorGroup::visit(int) {}
AllTokens TensorGroup::gather(const Buffer& own, MemoryCategory) { return AllTokens::view(own); }

Buffer TensorGroup::sum(std::size_t floats, MemoryCategory category, const std::function<void(float*)>& partial) {
    Buffer whole = arena_.allocate(category, floats);
    partial(whole.data());
    return whole;
}

void TensorGroup::sumOverTokens(std::span<float>) {}
void TensorGroup::sumOverMembers(std::span<float>) {}
void TensorGroup::largestOverMembers(std::span<float>) {}

}  // namespace shardlab
