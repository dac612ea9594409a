// SPDX-License-Identifier: Apache-2.0
// One interface for every backend; one conformance test for all of them.
#pragma once

#include "engine/base/wings.h"

#include "kernels/array.h"
#include "kernels/device_group.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace shardlab::train {

enum class ReduceOp : std::uint8_t { Sum, Max };

/// The time from one moment of a device to another.
struct DeviceSpan {
    std::shared_ptr<DeviceMoment> begin;
    std::shared_ptr<DeviceMoment> end;
};

/// An operation under way. The buffers it was given stay untouched by the caller until it is done.
class Request {
public:
    virtual ~Request() = default;
    /// Makes progress and never blocks; true once the operation is complete.
    virtual bool test() = 0;
    /// Returns when the buffers may be used again. Where they lie on a device, the device may use them: its later calls
    /// come after the operation, which may still be under way.
    virtual void wait() = 0;
    /// When the operation began and ended, where devices carry it out by themselves; without moments where they do not,
    /// and before it has begun.
    virtual DeviceSpan span() const { return {}; }
};
using RequestPtr = std::unique_ptr<Request>;

/// A group of ranks that exchange data; ranks are numbered within the group. Collectives must be called in the same
/// order on every member, from one thread at a time. Where a peer is lost, calls throw a CommunicationError, which ends
/// the process.
class Communicator {
public:
    virtual ~Communicator() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Makes a new group of the members, named by world rank. Every rank of this communicator calls it with its own
    /// list: lists are disjoint, and all members of a new group give the same one.
    virtual std::unique_ptr<Communicator> group(std::span<const int> members) = 0;

    virtual RequestPtr isend(std::span<const std::byte> data, int peer, int tag) = 0;
    virtual RequestPtr ireceive(std::span<std::byte> data, int peer, int tag) = 0;
    /// Reduces in place, element by element; numbers of 16 bits are summed in fp32 and rounded once. The result is the
    /// same to the bit on every member.
    virtual RequestPtr iallReduce(ArraySpan data, ReduceOp op) = 0;
    /// `output` of member r = sum over members of input[r·n … r·n+n), n = output.size(), input.size() = n·size().
    virtual RequestPtr ireduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) = 0;
    /// output[r·n … r·n+n) = input of member r, n = input.size().
    virtual RequestPtr iallGather(ConstArraySpan input, ArraySpan output) = 0;
    /// Member i sends sizes[i·size() + k] elements to member k; the list is the same on every member. In `input` lies
    /// what goes to the members, one behind the other, in `output` what comes from them.
    virtual RequestPtr iallToAllParts(ConstArraySpan input, ArraySpan output, std::span<const std::size_t> sizes) = 0;
    /// The all-to-all in which everybody sends input.size() ÷ size() elements to each.
    RequestPtr iallToAll(ConstArraySpan input, ArraySpan output);
    // The next three work in place on a block that is cut into one part for each member, as ring_collectives.h cuts it.
    /// Makes this member's part the sum over members, in rank order as all-reduce takes it; the other parts stay as
    /// they were. This version is made of messages: each member sends (n−1)/n of the block.
    virtual RequestPtr ireduceParts(ArraySpan block);
    /// Makes the block whole: part k becomes what member k had. This version is made of messages: each member sends its
    /// part to n−1 others.
    virtual RequestPtr igatherParts(ArraySpan block);
    /// Makes the block of member `owner` the sum over members, in rank order as all-reduce takes it; the others' blocks
    /// stay as they were. This version is made of messages: each of the others sends its whole block.
    virtual RequestPtr ireduceTo(ArraySpan block, int owner);
    virtual RequestPtr ibroadcast(std::span<std::byte> data, int root) = 0;
    virtual void barrier() = 0;
    /// Collective: `block` is memory of member `owner`, whose argument alone counts. Returns where this process reads
    /// and writes the same memory; empty on all members where one of them does not reach it. A member that changes the
    /// memory while others read it does so in atomic elements.
    virtual std::span<std::byte> reach(std::span<std::byte> block, int owner) {
        static_cast<void>(owner);
        return size() == 1 ? block : std::span<std::byte>();
    }
    /// Throws where a member is known to be lost; for callers that wait without a request.
    virtual void requireMembers() {}
    /// Collective: announces that messages will go from the first to the second of each pair; the list is the same on
    /// every member. Other messages are legal and may be slower.
    virtual void connect(std::span<const std::pair<int, int>> links) { static_cast<void>(links); }
    /// Collective: makes now what the first collective would otherwise make.
    virtual void prepare() {}
    /// The next exchange starts when the device has come to `moment`, instead of when it has carried out its calls.
    /// Only for groups whose devices exchange by themselves.
    virtual void startAfter(const std::shared_ptr<DeviceMoment>& moment) { static_cast<void>(moment); }
    /// This group for data in the processor's memory, where this communicator's data lie in a device's.
    virtual Communicator& host() { return *this; }

    // The blocking forms of the functions above.
    void send(std::span<const std::byte> data, int peer, int tag);
    void receive(std::span<std::byte> data, int peer, int tag);
    void allReduce(ArraySpan data, ReduceOp op);
    void reduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op);
    void allGather(ConstArraySpan input, ArraySpan output);
    void allToAll(ConstArraySpan input, ArraySpan output);
    void allToAllParts(ConstArraySpan input, ArraySpan output, std::span<const std::size_t> sizes);
    void broadcast(std::span<std::byte> data, int root);
};

}  // namespace shardlab::train
