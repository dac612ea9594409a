// SPDX-License-Identifier: Apache-2.0
// The files that another host than the launcher's keeps of a run, and what the launcher fetches of them.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/result.h"
#include "engine/launch/hosts/trunk_frames.h"

#include <cstdint>
#include <filesystem>

namespace shardlab::launch {

/// A folder that is removed with its owner, whatever lies in it.
class HostFolder {
public:
    static Result<HostFolder> create(const std::filesystem::path& folder);
    HostFolder(HostFolder&& other) noexcept : folder_(std::move(other.folder_)) { other.folder_.clear(); }
    HostFolder& operator=(HostFolder&&) = delete;
    ~HostFolder();

private:
    explicit HostFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
    std::filesystem::path folder_;
};

/// A rank's flight record as the file holds it, while the rank may go on writing it.
Result<Bytes> flightOf(const std::filesystem::path& file);
/// The whole frames of a rank's spool at or behind the offset, as a spool of its own.
Result<Bytes> spoolFrom(const std::filesystem::path& file, std::uint64_t from);

/// Whether this host has the file as the launcher's host has it.
bool hasFile(const SharedFile& file);

/// Whether the other host's kernel has acknowledged something just now: then the link is there, though a process on
/// that host may wait for its core.
bool acknowledgedLately(int socket);

/// Has TCP hold little that it cannot send, so that a ping which is queued later does not wait for long.
void keepQueueShort(int socket);

}  // namespace shardlab::launch
