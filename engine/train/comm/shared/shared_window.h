// SPDX-License-Identifier: Apache-2.0
// The memory of each other that the members of a group see.
#pragma once

#include "engine/train/comm/shared/mailbox.h"
#include "engine/train/comm/shared/shared_heap.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace shardlab::train {

/// What a member tells the others about one collective; the n-th collective in a slot counts its stages from 2n.
struct alignas(64) CollectiveSlot {
    std::atomic<std::uint64_t> stage;  ///< 2n + 1: buffers are announced. 2n + 2: this member's part is done
    std::uint64_t input, output;       ///< offsets in the heap of the member
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "another process reads it");

/// What members tell each other when a group begins; all fields but the address are offsets in that heap.
struct Introduction {
    HeapAddress heap;
    std::uint64_t slots = 0;  ///< an array of SharedWindow::slots elements
    std::uint64_t mail = 0;   ///< an array with a mailbox for each sender
};

class SharedWindow {
public:
    /// Collectives of a group under way at once; others wait.
    static constexpr std::size_t slots = 64;

    /// Allocates in `heap` what a member of a group of `members` shows the others.
    static Introduction introduce(SharedHeap& heap, int members);
    /// `others`: heaps by rank, null for this member. `members`: what each returned from introduce().
    SharedWindow(SharedHeap& heap, int rank, std::vector<std::shared_ptr<RemoteHeap>> others,
                 const std::vector<Introduction>& members);

    SharedHeap& heap() const { return heap_; }
    int rank() const { return rank_; }
    int size() const { return static_cast<int>(others_.size()); }
    std::byte* at(int k, std::uint64_t offset) const {
        return k == rank_ ? heap_.at(offset) : others_[static_cast<std::size_t>(k)]->at(offset);
    }
    CollectiveSlot& slot(int k, std::size_t index) const { return slots_[static_cast<std::size_t>(k)][index]; }
    Mailbox& mailbox(int sender, int receiver) const { return mail_[static_cast<std::size_t>(receiver)][sender]; }

    /// Throws where it has been known for a while that member k has ended.
    void requireHope(int k);
    /// requireHope() after a shorter while, for a rank that waits for its GPU. Any thread may call it.
    void requireMember(int k);

private:
    SharedHeap& heap_;
    int rank_;
    std::vector<std::shared_ptr<RemoteHeap>> others_;
    std::vector<CollectiveSlot*> slots_;
    std::vector<Mailbox*> mail_;
    void require(int k, std::chrono::nanoseconds longest);
    std::atomic<std::int64_t> lost_ = 0;  ///< when it was first seen, on the steady clock; 0: nobody is lost
};

/// A buffer where the others reach it: the buffer itself, or a copy in the heap.
class SharedBuffer {
public:
    SharedBuffer(SharedHeap& heap, std::span<const std::byte> bytes);
    ~SharedBuffer() { heap_.release(copy_); }
    SharedBuffer(const SharedBuffer&) = delete;
    SharedBuffer& operator=(const SharedBuffer&) = delete;

    std::uint64_t offset() const { return offset_; }
    void in(std::span<const std::byte> from) const;
    void out(std::span<std::byte> to) const;

private:
    SharedHeap& heap_;
    std::byte* copy_ = nullptr;
    std::uint64_t offset_ = 0;
};

}  // namespace shardlab::train
