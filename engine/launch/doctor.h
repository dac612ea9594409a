// SPDX-License-Identifier: Apache-2.0
// What this machine can do for Shardlab, and what to install for the rest.
#pragma once

#include <string>
#include <vector>

namespace shardlab {

enum class FindingState : std::uint8_t {
    Good,
    Absent,  ///< optional: something is switched off
    Bad      ///< required: runs or the desktop cannot work
};
std::string_view name(FindingState state);  ///< "good", "absent", "bad"

struct MachineFinding {
    std::string subject;  ///< "Open MPI"
    FindingState state = FindingState::Good;
    std::string detail;   ///< "4.1.4, /usr/bin/mpirun"
    std::string advice;   ///< what to install or do; empty where it is good
};

/// Takes a moment: asks mpirun for its version.
std::vector<MachineFinding> examineMachine();

}  // namespace shardlab
