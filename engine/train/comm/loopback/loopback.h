// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one process, for tests and for everything that wants a whole layout without mpirun.
#pragma once

#include "engine/train/comm/communicator.h"

#include <memory>
#include <string>

namespace shardlab {

/// Mailboxes for n ranks. Short messages are buffered as MPI does; longer ones are handed over only when the receiver
/// asks (rendezvous), so a schedule that would deadlock under MPI deadlocks here too.
class LoopbackWorld {
public:
    explicit LoopbackWorld(int ranks);
    ~LoopbackWorld();

    /// For the thread that plays `rank`; the world must outlive it and its groups.
    std::unique_ptr<Communicator> communicator(int rank);
    /// A rank is lost: every operation under way and to come ends in a CommunicationError that says why.
    void fail(const std::string& why);

    static constexpr std::size_t bufferedBytes = 4096;

    struct Post;  ///< the two ends of a message
    struct State;

private:
    std::shared_ptr<State> state_;
};

}  // namespace shardlab
