// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/temporary_folder.h"

#include "engine/base/file.h"
#include "engine/base/scratch_folder.h"
#include "engine/launch/job/stray_processes.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace shardlab::launch {

namespace {

constexpr std::string_view prefix = "shardlab-job-";
/// The file that says which host of a job has made the folder.
constexpr const char* ownerName = "owner";
/// How long an owner who removes its folder is waited for: it notices within `hostPatience` that it is not needed.
constexpr std::chrono::seconds formerOwnerPatience{10};
/// A younger folder may belong to a job that has not locked it yet.
constexpr std::chrono::seconds youngest{30};
/// sun_path holds 108 bytes; the rest is for the folder's and the socket's names.
constexpr std::size_t longestBase = 64;

/// The lock's descriptor; -1 where another process holds it. `flags`: O_CREAT for the first time.
int acquireLock(const std::filesystem::path& folder, int flags) {
    const int lock = open((folder / TemporaryFolder::mark).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        close(lock);
        return -1;
    }
    return lock;
}

bool old(const std::filesystem::path& folder) {
    std::error_code failed;
    const auto written = std::filesystem::last_write_time(folder, failed);
    return !failed && std::filesystem::file_time_type::clock::now() - written > youngest;
}

bool ownedByThisUser(const std::filesystem::path& folder) {
    struct stat data {};
    return lstat(folder.c_str(), &data) == 0 && S_ISDIR(data.st_mode) && data.st_uid == geteuid();
}

}  // namespace

void removeWhole(const std::filesystem::path& folder) {
    // A file that comes or goes at the wrong moment stops remove_all in the middle.
    std::error_code failed;
    for (int attempt = 0; attempt < 40; ++attempt) {
        failed.clear();
        std::filesystem::remove_all(folder, failed);
        if (!failed) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
}

Result<TemporaryFolder> TemporaryFolder::create(const std::filesystem::path& base) {
    std::string name = (base / (std::string(prefix) + "XXXXXX")).string();
    const auto cannot = [&] {
        return fail(Error{say("cannot make the job's folder"), base.string(), systemReason(errno),
                          say("TMPDIR may name another place")});
    };
    if (mkdtemp(name.data()) == nullptr) return cannot();
    const int lock = acquireLock(name, O_CREAT);
    if (lock < 0) {
        rmdir(name.c_str());
        return cannot();
    }
    return TemporaryFolder(name, lock);
}

Result<TemporaryFolder> TemporaryFolder::createAs(const std::filesystem::path& folder, const std::string& owner) {
    const auto cannot = [&](const Sentence& why) {
        return fail(Error{say("cannot make the job's folder"), folder.string(), why, {}});
    };
    const auto giveUp = std::chrono::steady_clock::now() + formerOwnerPatience;
    while (mkdir(folder.c_str(), 0700) != 0) {
        if (errno != EEXIST) return cannot(systemReason(errno));
        if (!ownedByThisUser(folder)) {
            if (!std::filesystem::exists(std::filesystem::symlink_status(folder))) continue;  // removed meanwhile
            return cannot(say("somebody else has a file of that name"));
        }
        // Without either file it is just being removed.
        const auto made = readFile(folder / ownerName);
        if (made ? *made != owner : std::filesystem::exists(folder / mark)) return TemporaryFolder(folder, -1);
        if (const int lock = acquireLock(folder, 0); lock >= 0) {  // its owner was killed
            removeWhole(folder);
            ::close(lock);
            continue;
        }
        if (std::chrono::steady_clock::now() >= giveUp)
            return cannot(say("an earlier part of this run still holds it"));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const int lock = acquireLock(folder, O_CREAT);
    if (lock < 0) return cannot(say("its lock cannot be taken"));
    TemporaryFolder made(folder, lock);
    if (const Status said = replaceFile(folder / ownerName, owner); !said) return fail(said.error());
    return made;
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

void TemporaryFolder::close() {
    if (lock_ >= 0) unlink((path_ / mark).c_str());
}

TemporaryFolder::~TemporaryFolder() {
    if (lock_ < 0) return;
    removeWhole(path_);
    ::close(lock_);
}

std::filesystem::path temporaryBase() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime != nullptr && *runtime == '/' && std::strlen(runtime) <= longestBase &&
        access(runtime, W_OK | X_OK) == 0)
        return runtime;
    const std::filesystem::path system = temporaryFilesFolder();
    std::error_code failed;
    const bool usable = std::filesystem::is_directory(system, failed) && system.string().size() <= longestBase;
    return usable ? system : std::filesystem::path("/tmp");
}

void sweepAbandonedFolders(const std::filesystem::path& base) {
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(base, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::filesystem::path folder = entry->path();
        if (!folder.filename().string().starts_with(prefix) || !ownedByThisUser(folder) || !old(folder)) continue;
        const int lock = acquireLock(folder, 0);
        if (lock < 0) continue;
        killProcesses(processesOfJob(folder));
        removeWhole(folder);
        close(lock);
    }
}

}  // namespace shardlab::launch
