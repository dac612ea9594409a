// SPDX-License-Identifier: Apache-2.0
// Messages from one member of a group to another, in memory that both reach. The end that comes second copies, so that
// neither has to look after a message meanwhile.
#pragma once

#include "engine/base/wings.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace shardlab::train {

/// One end of a message that waits for the other end; it lies in the heap of the member that left it there.
struct MailPost {
    enum : std::uint32_t { Open, Asleep, Done };
    std::atomic<std::uint32_t> state;  ///< Asleep: its owner sleeps on this word. Done: the other end has copied
    std::uint64_t key;                 ///< the same at both ends of a message
    std::uint64_t data;                ///< offset of the buffer in the same heap
    std::uint64_t bytes;
    std::uint64_t next;  ///< offset of the next post in the list; 0: none
};

/// Messages from one member to one other; it lies in the heap of the receiver.
struct alignas(64) Mailbox {
    std::atomic<std::uint32_t> held;  ///< a lock for changes of the lists
    /// Offsets of the first posts of the sender and of the receiver, each in its owner's heap; 0: none. Posts of one
    /// key are in only one of the two lists at a time.
    std::array<std::uint64_t, 2> waiting;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "another process reads it");

}  // namespace shardlab::train
