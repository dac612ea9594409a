// SPDX-License-Identifier: Apache-2.0
#include "engine/base/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace shardlab::base {

std::filesystem::path temporaryFilesFolder() {
    const char* named = std::getenv("TMPDIR");
    if (named == nullptr || *named == '\0') return "/tmp";
    std::error_code failed;
    // Programs that are started elsewhere are told of it too.
    const std::filesystem::path whole = std::filesystem::absolute(named, failed);
    return failed ? std::filesystem::path(named) : whole;
}

ScratchFile scratchFile(const std::filesystem::path& folder) {
    int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor < 0) {  // the file system knows no files without a name
        std::string name = (folder / "shardlab-XXXXXX").string();
        descriptor = ::mkostemp(name.data(), O_CLOEXEC);
        if (descriptor >= 0) ::unlink(name.c_str());
    }
    if (descriptor < 0) return ScratchFile(std::tmpfile());
    ScratchFile file(::fdopen(descriptor, "w+b"));
    if (!file) ::close(descriptor);
    return file;
}

Result<ScratchFolder> ScratchFolder::make(std::string_view purpose) {
    const std::filesystem::path base = temporaryFilesFolder();
    const auto refuse = [&](const Sentence& why) {
        return fail({say("cannot make a temporary folder"), base.string(), why,
                     say("Set TMPDIR to a folder that can be written to")});
    };
    // mkdtemp() puts six characters of its own in place of the last six.
    std::string name = (base / ("shardlab-" + std::string(purpose) + '-' + std::string(6, 'X'))).string();
    if (::mkdtemp(name.data()) == nullptr) return refuse(systemReason(errno));
    return ScratchFolder(std::move(name));
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ScratchFolder& ScratchFolder::operator=(ScratchFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace shardlab::base
