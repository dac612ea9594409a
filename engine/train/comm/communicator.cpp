// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/communicator.h"

namespace shardlab::train {

void Communicator::send(std::span<const std::byte> data, int peer, int tag) { isend(data, peer, tag)->wait(); }

void Communicator::receive(std::span<std::byte> data, int peer, int tag) { ireceive(data, peer, tag)->wait(); }

void Communicator::allReduce(ArraySpan data, ReduceOp op) { iallReduce(data, op)->wait(); }

void Communicator::reduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) {
    ireduceScatter(input, output, op)->wait();
}

void Communicator::allGather(ConstArraySpan input, ArraySpan output) { iallGather(input, output)->wait(); }

void Communicator::allToAll(ConstArraySpan input, ArraySpan output) { iallToAll(input, output)->wait(); }

void Communicator::broadcast(std::span<std::byte> data, int root) { ibroadcast(data, root)->wait(); }

}  // namespace shardlab::train
