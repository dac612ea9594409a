// SPDX-License-Identifier: Apache-2.0
// One interface for every backend; one conformance test for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace shardlab {

enum class ReduceOp : std::uint8_t { Sum, Max };

/// An operation under way. The buffers it was given stay untouched by the caller until it is done.
class Request {
public:
    virtual ~Request() = default;
    /// True once complete; makes progress; never blocks.
    virtual bool test() = 0;
    virtual void wait() = 0;
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
    /// In place, element by element. The result is the same to the bit on every member.
    virtual RequestPtr iallReduce(std::span<float> data, ReduceOp op) = 0;
    /// `output` of member r = sum over members of input[r·n … r·n+n), n = output.size(), input.size() = n·size().
    virtual RequestPtr ireduceScatter(std::span<const float> input, std::span<float> output, ReduceOp op) = 0;
    /// output[r·n … r·n+n) = input of member r, n = input.size().
    virtual RequestPtr iallGather(std::span<const float> input, std::span<float> output) = 0;
    /// Block i of n = input.size() ÷ size() elements goes to member i; block i of output came from member i.
    virtual RequestPtr iallToAll(std::span<const float> input, std::span<float> output) = 0;
    virtual RequestPtr ibroadcast(std::span<std::byte> data, int root) = 0;
    virtual void barrier() = 0;

    // Blocking forms, made of the above.
    void send(std::span<const std::byte> data, int peer, int tag);
    void receive(std::span<std::byte> data, int peer, int tag);
    void allReduce(std::span<float> data, ReduceOp op);
    void reduceScatter(std::span<const float> input, std::span<float> output, ReduceOp op);
    void allGather(std::span<const float> input, std::span<float> output);
    void allToAll(std::span<const float> input, std::span<float> output);
    void broadcast(std::span<std::byte> data, int root);
};

}  // namespace shardlab
