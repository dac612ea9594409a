// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/tensor.h"

namespace shardlab::train {

using Kind = TensorCollective::Kind;

TensorParallel::TensorParallel(Arena& arena, Communicator& group, bool splitsTokens, Observer observer)
    : TensorGroup(arena, group.size(), group.rank(), splitsTokens), group_(group), observer_(std::move(observer)) {}

void TensorParallel::carryOut(Kind kind, std::size_t bytes, const std::function<void()>& run) {
    if (!observer_) return run();
    observer_({kind, layer_, static_cast<std::int64_t>(bytes)}, run);
}

Buffer TensorParallel::allGather(const Buffer& own, MemoryCategory category) {
    Buffer all = arena_.allocate(category, own.size() * static_cast<std::size_t>(size()), own.type());
    carryOut(Kind::AllGather, all.span().bytes().size(), [&] { group_.allGather(own.span(), all.span()); });
    return all;
}

Buffer TensorParallel::reduceScatter(const Buffer& whole, MemoryCategory category) {
    Buffer own = arena_.allocate(category, whole.size() / static_cast<std::size_t>(size()), whole.type());
    carryOut(Kind::ReduceScatter, whole.span().bytes().size(),
             [&] { group_.reduceScatter(whole.span(), own.span(), ReduceOp::Sum); });
    return own;
}

AllTokens TensorParallel::gather(const Buffer& own, MemoryCategory category) {
    return splitsTokens() ? AllTokens::copy(allGather(own, category)) : AllTokens::view(own);
}

Buffer TensorParallel::sum(std::size_t elements, DType type, MemoryCategory category,
                           const std::function<void(Array)>& partial) {
    Buffer whole = arena_.allocate(splitsTokens() ? MemoryCategory::Temporary : category, elements, type);
    partial(whole.data());
    if (splitsTokens()) return reduceScatter(whole, category);
    carryOut(Kind::AllReduce, whole.span().bytes().size(), [&] { group_.allReduce(whole.span(), ReduceOp::Sum); });
    return whole;
}

Buffer TensorParallel::keepPart(Buffer whole) {
    if (splitsTokens()) return whole;
    const std::size_t size = whole.size() / static_cast<std::size_t>(this->size());
    Buffer part = arena_.allocate(MemoryCategory::Activations, size, whole.type());
    const ArraySpan own = whole.span().subspan(size * static_cast<std::size_t>(member()), size);
    arena_.device().copy(own.data().data, part.data().data, own.bytes().size());
    return part;
}

Buffer TensorParallel::joinParts(Buffer part) {
    return splitsTokens() ? std::move(part) : allGather(part, MemoryCategory::Activations);
}

void TensorParallel::sumOverTokens(ArraySpan values) {
    if (splitsTokens()) sumOverMembers(values);
}

void TensorParallel::sumOverMembers(ArraySpan values) {
    carryOut(Kind::AllReduce, values.bytes().size(), [&] { group_.allReduce(values, ReduceOp::Sum); });
}

void TensorParallel::largestOverMembers(ArraySpan values) {
    carryOut(Kind::AllReduce, values.bytes().size(), [&] { group_.allReduce(values, ReduceOp::Max); });
}

}  // namespace shardlab::train
