// SPDX-License-Identifier: Apache-2.0
// Messages and collectives through the memory that the ranks of one host share.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/comm/shared/shared_heap.h"
#include "engine/train/comm/shared/shared_message.h"
#include "engine/train/comm/shared/shared_window.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace shardlab::train {

struct SharedMemory {
    SharedHeap* heap = nullptr;   ///< outlives all groups and their requests; null: this process has none
    bool oversubscribed = false;  ///< backoff.h says how a rank waits then
    /// Called once for each group that could share memory and does not; may be empty.
    std::function<void(const std::string&)> inform;
};

/// A group over another communicator. Where all members reach each other's heaps, collectives work in the members' own
/// buffers: each member reads and writes its part of every buffer, without a message or a copy. A message is copied
/// once, by the end that comes second. A buffer that lies outside the heap passes through a copy in it. Where one
/// member is out of reach (another host, a container of its own, no heap), the other communicator carries everything.
/// Either way sums are taken in rank order and rounded once, so that the bits are the same. Where a member's process
/// ends before its part is done, the others stop waiting with a CommunicationError some seconds later.
class SharedCommunicator final : public Communicator {
public:
    /// The constructor is collective over the members of `messages`.
    SharedCommunicator(std::unique_ptr<Communicator> messages, SharedMemory memory);
    ~SharedCommunicator() override;

    int rank() const override { return messages_->rank(); }
    int size() const override { return messages_->size(); }
    std::unique_ptr<Communicator> group(std::span<const int> members) override;
    RequestPtr isend(std::span<const std::byte> data, int peer, int tag) override;
    RequestPtr ireceive(std::span<std::byte> data, int peer, int tag) override;
    RequestPtr iallReduce(ArraySpan data, ReduceOp op) override;
    RequestPtr ireduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) override;
    RequestPtr iallGather(ConstArraySpan input, ArraySpan output) override;
    RequestPtr iallToAllParts(ConstArraySpan input, ArraySpan output, std::span<const std::size_t> sizes) override;
    RequestPtr ireduceParts(ArraySpan block) override;
    RequestPtr igatherParts(ArraySpan block) override;
    RequestPtr ibroadcast(std::span<std::byte> data, int root) override;
    void barrier() override;
    std::span<std::byte> reach(std::span<std::byte> block, int owner) override;
    void requireMembers() override;

    /// Whether the members reach each other's memory.
    bool shares() const { return window_ != nullptr; }

private:
    /// Messages of different channels never meet.
    enum class Channel : std::uint8_t { User, Broadcast };
    class Collective;
    struct Buffers;
    using Work = std::function<void(const SharedWindow&, const Buffers&)>;

    std::shared_ptr<SharedWindow> open();
    RequestPtr start(ConstArraySpan input, ArraySpan output, Work work);
    SharedMessage::Place place(Channel channel, int peer, int tag);

    std::unique_ptr<Communicator> messages_;
    SharedMemory memory_;
    std::shared_ptr<SharedWindow> window_;  ///< null where memory is not shared
    std::uint64_t started_ = 0;
    std::atomic<std::int64_t> looked_ = 0;  ///< when requireMembers() looked last
};

}  // namespace shardlab::train
