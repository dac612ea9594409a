// SPDX-License-Identifier: Apache-2.0
// Doctor finds out what this machine, and hosts that are to share a run with it, can do for Shardlab, and what to
// install or do for the rest.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include <stop_token>
#include <string>
#include <vector>

namespace shardlab::launch {

enum class FindingState : std::uint8_t {
    Good,
    Absent,  ///< optional: something is switched off
    Bad      ///< required: runs or the desktop cannot work
};
std::string_view name(FindingState state);  ///< "good", "absent", "bad"

struct MachineFinding {
    std::string subject;  ///< "Open MPI"
    FindingState state = FindingState::Good;
    std::string detail;  ///< "4.1.4, /usr/bin/mpirun"
    std::string advice;  ///< what to install or do; empty where it is good
};

/// Takes a moment, since it asks mpirun for its version.
std::vector<MachineFinding> examineMachine();

/// Calls each host that is not this machine as a run would: through the agent, with the program there, which must find
/// its way back here; so what a run would fail on is found here, of all hosts at once. Then asks for the host's GPUs.
/// One finding a host, in their order, "host b". Takes as long as the slowest host, half a minute where one does not
/// answer. Stopped, it returns within two seconds. `agent`: as in JobOptions. Errors: an agent that is none or is not
/// allowed, a name that is no host's, no network, no folder for temporary files.
Result<std::vector<MachineFinding>> examineHosts(const ClusterSpec& cluster, const std::string& agent,
                                                 const std::stop_token& stop = {});

}  // namespace shardlab::launch
