// SPDX-License-Identifier: Apache-2.0
#include "engine/parallel/tensor.h"

namespace shardlab {

using Kind = TensorCollective::Kind;

TensorParallel::TensorParallel(Arena& arena, Communicator& group, bool splitsTokens, Observer observer)
    : TensorGroup(arena, group.size(), group.rank(), splitsTokens), group_(group), observer_(std::move(observer)) {}

void TensorParallel::carryOut(Kind kind, std::size_t floats, const std::function<void()>& run) {
    if (!observer_) return run();
    observer_({kind, layer_, static_cast<std::int64_t>(floats * sizeof(float))}, run);
}

AllTokens TensorParallel::gather(const Buffer& own, MemoryCategory category) {
    if (!splitsTokens()) return AllTokens::view(own);
    Buffer all = arena_.allocate(category, own.size() * static_cast<std::size_t>(size()));
    carryOut(Kind::AllGather, all.size(), [&] { group_.allGather(own.span(), all.span()); });
    return AllTokens::copy(std::move(all));
}

Buffer TensorParallel::sum(std::size_t floats, MemoryCategory category, const std::function<void(float*)>& partial) {
    Buffer whole = arena_.allocate(splitsTokens() ? MemoryCategory::Temporary : category, floats);
    partial(whole.data());
    if (!splitsTokens()) {
        carryOut(Kind::AllReduce, floats, [&] { group_.allReduce(whole.span(), ReduceOp::Sum); });
        return whole;
    }
    Buffer own = arena_.allocate(category, floats / static_cast<std::size_t>(size()));
    carryOut(Kind::ReduceScatter, floats, [&] { group_.reduceScatter(whole.span(), own.span(), ReduceOp::Sum); });
    return own;
}

void TensorParallel::sumOverTokens(std::span<float> values) {
    if (splitsTokens()) sumOverMembers(values);
}

void TensorParallel::sumOverMembers(std::span<float> values) {
    carryOut(Kind::AllReduce, values.size(), [&] { group_.allReduce(values, ReduceOp::Sum); });
}

void TensorParallel::largestOverMembers(std::span<float> values) {
    carryOut(Kind::AllReduce, values.size(), [&] { group_.allReduce(values, ReduceOp::Max); });
}

}  // namespace shardlab
