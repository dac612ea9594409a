// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/communicator.h"

#include "engine/train/comm/ring_collectives.h"

namespace shardlab::train {

void Communicator::send(std::span<const std::byte> data, int peer, int tag) { isend(data, peer, tag)->wait(); }

void Communicator::receive(std::span<std::byte> data, int peer, int tag) { ireceive(data, peer, tag)->wait(); }

void Communicator::allReduce(ArraySpan data, ReduceOp op) { iallReduce(data, op)->wait(); }

void Communicator::reduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) {
    ireduceScatter(input, output, op)->wait();
}

void Communicator::allGather(ConstArraySpan input, ArraySpan output) { iallGather(input, output)->wait(); }

RequestPtr Communicator::iallToAll(ConstArraySpan input, ArraySpan output) {
    const auto members = static_cast<std::size_t>(size());
    requireSize(input.size() == output.size() && input.size() % members == 0, "all-to-all",
                "input and output have the same size, a multiple of size()");
    return iallToAllParts(input, output, std::vector<std::size_t>(members * members, input.size() / members));
}

void Communicator::allToAllParts(ConstArraySpan input, ArraySpan output, std::span<const std::size_t> sizes) {
    iallToAllParts(input, output, sizes)->wait();
}

void Communicator::allToAll(ConstArraySpan input, ArraySpan output) { iallToAll(input, output)->wait(); }

void Communicator::broadcast(std::span<std::byte> data, int root) { ibroadcast(data, root)->wait(); }

}  // namespace shardlab::train
