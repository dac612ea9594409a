// SPDX-License-Identifier: Apache-2.0
// --hostfile, --slurm, --agent, --network: on which hosts, in place of those that the layout names.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace shardlab::cli {

struct HostsArgument {
    std::string hostfile;
    bool slurm = false;
    std::optional<std::string> agent;  ///< may be started: the user has named it here
    bool rememberAgent = false;
    std::optional<std::string> network;

    void addTo(CLI::App& verb);
    /// All hosts that the hostfile or the allocation has; nothing where neither was asked for. Errors: a hostfile that
    /// is none, no allocation.
    std::optional<Result<std::vector<HostSpec>>> listed() const;
    /// What is allowed for this once: --agent. With --remember-agent it is allowed from now on. Error: it cannot be
    /// remembered.
    Result<std::string> allowed() const;
    /// The layout with these hosts, as many of their slots as it has ranks. Errors: a hostfile that is none, no
    /// allocation, too few slots.
    Result<Layout> apply(Layout layout) const;
};

}  // namespace shardlab::cli
