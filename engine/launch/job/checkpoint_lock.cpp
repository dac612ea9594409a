// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/checkpoint_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace shardlab::launch {

Result<CheckpointLock> CheckpointLock::take(const std::filesystem::path& folder, bool make) {
    std::error_code failed;
    // What keeps the folder from being made keeps ranks from writing there, and they say so.
    const bool made = make && std::filesystem::create_directories(folder, failed);
    Descriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (held.valid() && ::flock(held.value(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return fail({say("the folder of checkpoints is in use"), folder.string(),
                     say("another run that goes on writes its own there"),
                     say("another folder in /checkpoint/path, or wait for that run's end")});
    return CheckpointLock(std::move(held), made ? folder : std::filesystem::path());
}

CheckpointLock::~CheckpointLock() {
    if (folder_.valid() && !made_.empty()) ::rmdir(made_.c_str());  // fails where something is in it
}

}  // namespace shardlab::launch
