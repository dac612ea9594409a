// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one process, for tests and for whatever needs a whole layout without mpirun.
#pragma once

#include "engine/train/comm/communicator.h"

#include <memory>
#include <string>

namespace shardlab::train {

/// Mailboxes for n ranks. Short messages are buffered, as MPI does; longer ones are handed over only when the receiver
/// asks for them (rendezvous), so that a schedule which would deadlock under MPI deadlocks here too.
class LoopbackWorld {
public:
    explicit LoopbackWorld(int ranks);
    ~LoopbackWorld();

    /// The communicator of the thread that plays `rank`; the world must outlive it and its groups.
    std::unique_ptr<Communicator> communicator(int rank);
    /// Declares a rank lost: every operation, under way or later, ends in a CommunicationError that says why.
    void fail(const std::string& why);

    static constexpr std::size_t bufferedBytes = 4096;

    struct Post;  ///< one end of a message
    struct State;

private:
    std::shared_ptr<State> state_;
};

}  // namespace shardlab::train
