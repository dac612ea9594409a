// SPDX-License-Identifier: Apache-2.0
// Messages from one member of a group to another, in memory that both reach. Whoever of the two comes second copies, so
// nobody needs to look after a message meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace shardlab {

/// One end of a message that waits for the other; in the heap of who left it there.
struct MailPost {
    enum : std::uint32_t { Open, Asleep, Done };
    std::atomic<std::uint32_t> state;  ///< Asleep: who left it sleeps on this word. Done: the other has copied
    std::uint64_t key;                 ///< both ends of a message have the same
    std::uint64_t data;                ///< offset in the same heap
    std::uint64_t bytes;
    std::uint64_t next;  ///< offset of the one left after it; 0: none
};

/// From one member to one other, in the heap of the receiver.
struct alignas(64) Mailbox {
    std::atomic<std::uint32_t> held;  ///< by the one who changes a list
    /// Offsets of the first posts, the sender's and the receiver's, each in the heap of its own; 0: none. Of one key
    /// only one of the two lists has any.
    std::array<std::uint64_t, 2> waiting;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "another process reads it");

}  // namespace shardlab
