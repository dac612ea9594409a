// SPDX-License-Identifier: Apache-2.0
// Where a list of hosts comes from besides the layout: a hostfile, or a Slurm allocation.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::launch {

/// Reads Open MPI's format: a host a line, `NAME [slots=N]`; `#` begins a comment; a host has one slot where none is
/// said; a name that stands again adds its slots. Errors name the line of `file`.
Result<std::vector<HostSpec>> parseHostfile(std::string_view text, const std::string& file);

/// The hosts that a variable of Slurm names: "node[01-03,7],login" are node01, node02, node03, node7 and login.
Result<std::vector<std::string>> expandNodelist(std::string_view list);
/// "2(x3),1" is 2, 2, 2, 1.
Result<std::vector<int>> expandCounts(std::string_view counts);
/// The allocation this program runs in, from SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE, or where that is not set
/// SLURM_JOB_CPUS_PER_NODE. `variable` is getenv, or a test's stand-in.
Result<std::vector<HostSpec>> slurmHosts(const std::function<const char*(const char*)>& variable);

/// The first hosts, with as many devices as `ranks` need. Error: all hosts have fewer; `source` says where they come
/// from.
Result<std::vector<HostSpec>> takeDevices(const std::vector<HostSpec>& hosts, int ranks, const std::string& source);

}  // namespace shardlab::launch
