// SPDX-License-Identifier: Apache-2.0
// The forwarder: one process on each host but the launcher's. It takes the links of the ranks there at a Unix socket
// and carries them to the collector over one connection, answers pings, tells what the ranks do, and hands over what
// ranks that died have left. Where the connection breaks it makes a new one, over which ranks go on from what was
// acknowledged. Where the launcher is gone for good it ends the ranks of its host, and itself.
#pragma once

#include "engine/base/result.h"
#include "engine/launch/job/forwarder_setup.h"

namespace shardlab::launch {

/// The whole program: reads its setup from standard input, prints its banner and, where it fails, why. Returns the exit
/// status.
int runForwarder();

}  // namespace shardlab::launch
