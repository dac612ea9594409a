// SPDX-License-Identifier: Apache-2.0
// One interface for every backend; one conformance test for all of them.
#pragma once

#include "kernels/array.h"
#include "kernels/device_group.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace shardlab {

enum class ReduceOp : std::uint8_t { Sum, Max };

/// From one moment of a device to another.
struct DeviceSpan {
    std::shared_ptr<DeviceMoment> begin;
    std::shared_ptr<DeviceMoment> end;
};

/// An operation under way. The buffers it was given stay untouched by the caller until it is done.
class Request {
public:
    virtual ~Request() = default;
    /// True once complete; makes progress; never blocks.
    virtual bool test() = 0;
    /// Returns when the buffers may be used again, by the device where they lie on one: what it is asked for from then
    /// on comes after the operation, which may still be under way.
    virtual void wait() = 0;
    /// When it began and ended, where devices carry it out by themselves; no moments where they do not or it has not
    /// begun.
    virtual DeviceSpan span() const { return {}; }
};
using RequestPtr = std::unique_ptr<Request>;

/// A group of ranks that talk to each other; ranks are numbered within the group. Calls must come in the same order on
/// every member (collectives), from one thread at a time. A lost peer ends the process with a CommunicationError.
class Communicator {
public:
    virtual ~Communicator() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// The members, by world rank, become one new group; every rank of this communicator calls it with its own list
    /// (disjoint lists, same list on all members).
    virtual std::unique_ptr<Communicator> group(std::span<const int> members) = 0;

    virtual RequestPtr isend(std::span<const std::byte> data, int peer, int tag) = 0;
    virtual RequestPtr ireceive(std::span<std::byte> data, int peer, int tag) = 0;
    /// In place, element by element; numbers of 16 bits are summed in fp32 and rounded once. The result is the same to
    /// the bit on every member.
    virtual RequestPtr iallReduce(ArraySpan data, ReduceOp op) = 0;
    /// `output` of member r = sum over members of input[r·n … r·n+n), n = output.size(), input.size() = n·size().
    virtual RequestPtr ireduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) = 0;
    /// output[r·n … r·n+n) = input of member r, n = input.size().
    virtual RequestPtr iallGather(ConstArraySpan input, ArraySpan output) = 0;
    /// Block i of n = input.size() ÷ size() elements goes to member i; block i of output came from member i.
    virtual RequestPtr iallToAll(ConstArraySpan input, ArraySpan output) = 0;
    // On a block that is cut into one part for each member, as parts.h cuts it; in place.
    /// Afterwards the own part is the sum over members, in rank order as all-reduce takes it; the other parts
    /// are as they were. Here made of messages: each member sends (n−1)/n of the block.
    virtual RequestPtr ireduceParts(ArraySpan block);
    /// Afterwards the block is whole: part k as member k had it. Here made of messages: each member sends its part to
    /// n−1 others.
    virtual RequestPtr igatherParts(ArraySpan block);
    /// Afterwards the block is on member `owner` the sum over members, in rank order as all-reduce takes it; on the
    /// others it is as it was. Here made of messages: each of them sends it all.
    virtual RequestPtr ireduceTo(ArraySpan block, int owner);
    virtual RequestPtr ibroadcast(std::span<std::byte> data, int root) = 0;
    virtual void barrier() = 0;
    /// Collective: `block` is memory of member `owner`, whose own argument alone counts. Returns where this process
    /// reads and writes the same memory; empty on all members where one of them does not reach it. Whoever changes it
    /// while others look does so in atomic elements.
    virtual std::span<std::byte> reach(std::span<std::byte> block, int owner) {
        static_cast<void>(owner);
        return size() == 1 ? block : std::span<std::byte>();
    }
    /// Throws where a member is known to be lost: for those who wait without a request.
    virtual void requireMembers() {}
    /// Collective: messages will go from the first to the second of each pair, the same list on every member. Others
    /// are legal and may be slower.
    virtual void connect(std::span<const std::pair<int, int>> links) { static_cast<void>(links); }
    /// Collective: what the first collective would have to make is made now.
    virtual void prepare() {}
    /// The same group for data in the processor's memory, where this one's lie in a device's.
    virtual Communicator& host() { return *this; }

    // Blocking forms, made of the above.
    void send(std::span<const std::byte> data, int peer, int tag);
    void receive(std::span<std::byte> data, int peer, int tag);
    void allReduce(ArraySpan data, ReduceOp op);
    void reduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op);
    void allGather(ConstArraySpan input, ArraySpan output);
    void allToAll(ConstArraySpan input, ArraySpan output);
    void broadcast(std::span<std::byte> data, int root);
};

}  // namespace shardlab
