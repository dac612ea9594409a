// SPDX-License-Identifier: Apache-2.0
// Open MPI as a backend. Only mpi/*.cpp includes mpi.h.
#pragma once

#include "engine/train/comm/communicator.h"

#include <cstddef>
#include <memory>

namespace shardlab::train {

struct MpiOptions {
    /// There are more ranks than cores; backoff.h says how a rank waits then.
    bool oversubscribed = false;
    /// MPI counts bytes in an int: longer messages travel in parts.
    std::size_t largestMessage = std::size_t{1} << 30;
};

/// MPI from its start to its end; a process has one session, on the thread that communicates. Messages travel while
/// that thread computes or sleeps. An error of MPI becomes a CommunicationError with MPI's text; nothing can be sent
/// after one.
class MpiSession {
public:
    /// `argc` and `argv` are those of main; MPI takes out its own arguments.
    MpiSession(int& argc, char**& argv);
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    int rank() const;
    int size() const;
    /// This rank's number among the ranks of this host. Collective.
    int localRank() const;
    std::unique_ptr<Communicator> world(const MpiOptions& options) const;
};

}  // namespace shardlab::train
