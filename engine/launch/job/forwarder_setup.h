// SPDX-License-Identifier: Apache-2.0
// What the launcher writes to a forwarder's standard input: one line of JSON. The token stands there and on no command
// line, which others could read.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::launch {

/// The argument that makes shardlab-rank a forwarder.
inline constexpr const char* forwarderArgument = "--forward";
/// Silence between a host and the launcher, in nanoseconds, after which both end what they have of the run.
inline constexpr std::int64_t hostPatience = 6'000'000'000;
/// Silence after which the forwarder gives up a connection and tries a new one: TCP itself would wait longer and
/// longer.
inline constexpr std::int64_t trunkSilence = 2'000'000'000;

struct ForwarderSetup {
    int host = 0;       ///< its place in the run's list
    int firstRank = 0;  ///< ranks of that host: firstRank … firstRank + ranks − 1
    int ranks = 1;
    std::string token;
    std::vector<std::string> addresses;  ///< the launcher's, "10.1.0.1:40123"
    std::filesystem::path folder;        ///< the job's folder, of the same name on every host
    std::filesystem::path sharedMemory;  ///< the folder for Open MPI's segments, of the same name on every host

    /// Where the files of this host's ranks and its socket lie.
    std::filesystem::path hostFolder() const { return hostFolderIn(folder, host); }
    static std::filesystem::path hostFolderIn(const std::filesystem::path& folder, int host) {
        return folder / ("host-" + std::to_string(host));
    }
    static std::filesystem::path socketIn(const std::filesystem::path& hostFolder) {
        return hostFolder / "forwarder.socket";
    }
};

/// The line ends with a line feed.
std::string writeSetup(const ForwarderSetup& setup);
Result<ForwarderSetup> readSetup(std::string_view line);

/// The first line that a forwarder prints, so that what a login script prints before is told apart.
std::string forwarderBanner();
/// The forwarder's line that says why it ends begins with this.
inline constexpr std::string_view forwarderError = "shardlab-forwarder: ";

}  // namespace shardlab::launch
