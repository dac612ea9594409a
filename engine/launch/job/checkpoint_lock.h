// SPDX-License-Identifier: Apache-2.0
// A folder of checkpoints is one run's alone while that lasts: another that wrote there would number its checkpoints
// on, take these for its own when it restarts, and remove what it need not keep.
#pragma once

#include "engine/base/result.h"
#include "engine/base/socket.h"

#include <filesystem>

namespace shardlab::launch {

class CheckpointLock {
public:
    /// Held until the value goes, or the process. `make`: the folder is made where it is not there, and goes again
    /// where nothing was put into it; otherwise what is not there is not locked. A file system without locks locks
    /// nothing. Error: another run of this machine holds it.
    static Result<CheckpointLock> take(const std::filesystem::path& folder, bool make);
    CheckpointLock(CheckpointLock&&) noexcept = default;
    CheckpointLock& operator=(CheckpointLock&&) = delete;
    ~CheckpointLock();

private:
    CheckpointLock(Descriptor folder, std::filesystem::path made)
        : folder_(std::move(folder)), made_(std::move(made)) {}
    Descriptor folder_;
    std::filesystem::path made_;  ///< the folder, where it was not there before
};

}  // namespace shardlab::launch
