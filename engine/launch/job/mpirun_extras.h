// SPDX-License-Identifier: Apache-2.0
// What a user adds to the call of mpirun: variables of the environment that ranks on other hosts get, and parameters of
// Open MPI. They come from the command line alone, as a layout must not decide what programs load.
#pragma once

#include "engine/base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlab::launch {

struct MpirunExtras {
    /// "NAME", whose value is the launcher's, or "NAME=VALUE".
    std::vector<std::string> variables;
    /// Name and value; each takes the place of the launcher's own parameter of that name.
    std::vector<std::pair<std::string, std::string>> parameters;

    bool sets(std::string_view parameter) const;
};

/// `variables` as above, `parameters` as "NAME=VALUE". Error: one is none of these.
Result<MpirunExtras> mpirunExtras(std::vector<std::string> variables, const std::vector<std::string>& parameters);

/// A variable that reaches ranks on other hosts unasked: Shardlab's own but for secrets, what libraries of the network
/// read (NCCL_*, UCX_*, FI_*), and where libraries lie (LD_LIBRARY_PATH).
bool reachesRanks(std::string_view name);

}  // namespace shardlab::launch
