// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/comm/communicator.h"

namespace shardlab::train {

/// A communicator whose collectives are made of its own messages; the base of backends that have no better ones. Every
/// sum is taken once, in rank order, by the member that owns that part, and then sent to all, so that the result has
/// the same bits on every member and in every run. Each member sends 2(n−1)/n of the data in an all-reduce, and (n−1)/n
/// in a reduce-scatter or all-gather. Scratch memory is bounded by `pieceElements`, whatever the size of the data.
class MessageCommunicator : public Communicator {
public:
    RequestPtr isend(std::span<const std::byte> data, int peer, int tag) final;
    RequestPtr ireceive(std::span<std::byte> data, int peer, int tag) final;
    RequestPtr iallReduce(ArraySpan data, ReduceOp op) final;
    RequestPtr ireduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) final;
    RequestPtr iallGather(ConstArraySpan input, ArraySpan output) final;
    RequestPtr iallToAllParts(ConstArraySpan input, ArraySpan output, std::span<const std::size_t> sizes) final;
    RequestPtr ibroadcast(std::span<std::byte> data, int root) final;
    void barrier() final;

    /// Reductions work through the data in pieces of this many elements.
    static constexpr std::size_t pieceElements = std::size_t{1} << 20;

protected:
    /// Messages of collectives never meet messages of the user, because each channel has tags of its own.
    enum class Channel : std::uint8_t { User, Collective };
    /// Messages between two members with the same channel and tag arrive in the order in which they were sent.
    virtual RequestPtr post(Channel channel, std::span<const std::byte> data, int peer, int tag) = 0;
    virtual RequestPtr expect(Channel channel, std::span<std::byte> data, int peer, int tag) = 0;

private:
    int nextTag();
    int collectives_ = 0;
};

}  // namespace shardlab::train
