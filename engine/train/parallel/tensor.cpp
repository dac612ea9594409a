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

AllTokens TensorParallel::gather(const Buffer& own, MemoryCategory category) {
    if (!splitsTokens()) return AllTokens::view(own);
    Buffer all = arena_.allocate(category, own.size() * static_cast<std::size_t>(size()), own.type());
    carryOut(Kind::AllGather, all.span().bytes().size(), [&] { group_.allGather(own.span(), all.span()); });
    return AllTokens::copy(std::move(all));
}

Buffer TensorParallel::sum(std::size_t elements, DType type, MemoryCategory category,
                           const std::function<void(Array)>& partial) {
    Buffer whole = arena_.allocate(splitsTokens() ? MemoryCategory::Temporary : category, elements, type);
    const std::size_t bytes = whole.span().bytes().size();
    partial(whole.data());
    if (!splitsTokens()) {
        carryOut(Kind::AllReduce, bytes, [&] { group_.allReduce(whole.span(), ReduceOp::Sum); });
        return whole;
    }
    Buffer own = arena_.allocate(category, elements / static_cast<std::size_t>(size()), type);
    carryOut(Kind::ReduceScatter, bytes, [&] { group_.reduceScatter(whole.span(), own.span(), ReduceOp::Sum); });
    return own;
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
    if (splitsTokens()) return part;
    Buffer whole =
        arena_.allocate(MemoryCategory::Activations, part.size() * static_cast<std::size_t>(size()), part.type());
    carryOut(Kind::AllGather, whole.span().bytes().size(), [&] { group_.allGather(part.span(), whole.span()); });
    return whole;
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
