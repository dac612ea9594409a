// SPDX-License-Identifier: Apache-2.0
// Open MPI's mpirun listens on every address of its machine, for daemons on other hosts, also where there are none. In
// a network namespace of its own nobody can reach it: ranks of one host exchange through shared memory, and speak to
// the launcher through a socket that has a path.
#pragma once

namespace shardlab::launch {

/// Moves this process into a network that has nothing but a loopback interface; where only that allows it, into a
/// namespace of users as well, in which the user and group are who they are. Makes system calls alone, so that it may
/// stand between fork and exec. 0, or the errno of what failed: the process is then not to be used any more.
int enterPrivateNetwork() noexcept;

/// Whether a process of this user may; a child that ends at once has tried.
bool privateNetworkIsAllowed();

}  // namespace shardlab::launch
