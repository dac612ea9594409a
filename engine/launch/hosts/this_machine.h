// SPDX-License-Identifier: Apache-2.0
// What this machine is called, and where others reach it.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include <string>
#include <vector>

namespace shardlab::launch {

/// Whether it is localhost, 127.0.0.1, or this machine's own name, with or without its domain. Asks nobody.
bool isOwnName(const std::string& host);
/// Whether isOwnName() holds, or the name or address leads to one of this machine's interfaces; may ask the network.
bool isThisMachine(const std::string& host);
/// Whether isOwnName() holds for all hosts: a run of them needs neither an agent nor a network.
bool allOwnNames(const std::vector<HostSpec>& hosts);
/// Addresses of interfaces that are up, without the loopback. `network`: only those in it, a comma separated list of
/// networks (10.1.0.0/16) and names of interfaces (ib0), as Open MPI takes it; empty: all. Error: none is left.
Result<std::vector<std::string>> reachableAddresses(const std::string& network);

}  // namespace shardlab::launch
