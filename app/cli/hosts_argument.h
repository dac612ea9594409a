// SPDX-License-Identifier: Apache-2.0
// --hostfile, --slurm, --agent, --network: the hosts of a run, in place of those that the layout names.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include "app/cli/verb.h"
#include <optional>
#include <string>
#include <vector>

namespace shardlab::cli {

struct HostsArgument {
    std::string hostfile;
    bool slurm = false;
    std::optional<std::string> agent;  ///< the user has named it here, so it may be started
    bool rememberAgent = false;
    std::optional<std::string> network;

    void addTo(Verb& verb);
    /// All hosts that the hostfile or the allocation has; none: neither was asked for. Errors: the file is no hostfile,
    /// there is no allocation.
    std::optional<Result<std::vector<HostSpec>>> listed() const;
    /// The agent that is allowed for this run: --agent. With --remember-agent it is allowed from now on. Error: it
    /// cannot be remembered.
    Result<std::string> allowed() const;
    /// The layout with these hosts, and as many of their slots as it has ranks. Errors: those of listed(), too few
    /// slots.
    Result<Layout> apply(Layout layout) const;
};

}  // namespace shardlab::cli
