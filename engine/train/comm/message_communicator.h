// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/comm/communicator.h"

namespace shardlab {

/// A communicator whose collectives are made of its own messages: what backends without better ones derive from.
/// Every sum is taken once, in rank order, by the member that owns that part, and then handed to all: the result has
/// the same bits on every member and in every run. Traffic per member: all-reduce 2(n−1)/n of the data, reduce-scatter
/// and all-gather (n−1)/n; scratch memory is bounded by `pieceElements`, whatever the size of the data.
class MessageCommunicator : public Communicator {
public:
    RequestPtr isend(std::span<const std::byte> data, int peer, int tag) final;
    RequestPtr ireceive(std::span<std::byte> data, int peer, int tag) final;
    RequestPtr iallReduce(ArraySpan data, ReduceOp op) final;
    RequestPtr ireduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) final;
    RequestPtr iallGather(ConstArraySpan input, ArraySpan output) final;
    RequestPtr iallToAll(ConstArraySpan input, ArraySpan output) final;
    RequestPtr ibroadcast(std::span<std::byte> data, int root) final;
    void barrier() final;

    /// Reductions work through the data in pieces of so many elements.
    static constexpr std::size_t pieceElements = std::size_t{1} << 20;

protected:
    /// Messages of collectives never meet those of the user: each channel has tags of its own.
    enum class Channel : std::uint8_t { User, Collective };
    /// Messages between two members with the same channel and tag arrive in the order they were sent.
    virtual RequestPtr post(Channel channel, std::span<const std::byte> data, int peer, int tag) = 0;
    virtual RequestPtr expect(Channel channel, std::span<std::byte> data, int peer, int tag) = 0;

private:
    int nextTag();
    int collectives_ = 0;
};

}  // namespace shardlab
