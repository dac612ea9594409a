// SPDX-License-Identifier: Apache-2.0
// A private folder that is removed with its owner: by its destructor, or, where the owner was killed, by the next job.
#pragma once

#include "engine/base/result.h"

#include <filesystem>

namespace shardlab::launch {

class TemporaryFolder {
public:
    /// Makes a folder `base`/shardlab-job-…, readable by this user only, and holds a lock in it. Error: `base` is not
    /// writable.
    static Result<TemporaryFolder> create(const std::filesystem::path& base);
    /// Makes the folder of that name for a job whose launcher is on another host; `owner` names this host within the
    /// job. Where the same owner made it before and is about to remove it, this waits until it has. Where another has
    /// made it, as on a file system that the two hosts share, it stays the other's and is not removed. Error: it cannot
    /// be made, or is somebody else's.
    static Result<TemporaryFolder> createAs(const std::filesystem::path& folder, const std::string& owner);
    TemporaryFolder(TemporaryFolder&& other) noexcept;
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder();

    const std::filesystem::path& path() const { return path_; }
    /// The file in the folder that is there while the job may use it.
    static constexpr const char* mark = "lock";
    /// Takes the mark away, where this is what removes the folder.
    void close();

private:
    TemporaryFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

    std::filesystem::path path_;
    int lock_ = -1;
};

/// Where jobs put their folders: XDG_RUNTIME_DIR, or the system's folder for temporary files where that is unset,
/// unwritable, or too long for the path of a Unix socket.
std::filesystem::path temporaryBase();
/// Where jobs of several hosts put their folders: the folder must have one name on all hosts.
inline constexpr const char* temporaryBaseOfHosts = "/tmp";
/// Removes the folder also while a process that is just ending makes and removes files there, for a second at most.
void removeWhole(const std::filesystem::path& folder);
/// Ends what still runs for jobs whose launcher was killed, and removes their folders under `base`.
void sweepAbandonedFolders(const std::filesystem::path& base);

}  // namespace shardlab::launch
