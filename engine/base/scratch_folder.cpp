// SPDX-License-Identifier: Apache-2.0
#include "engine/base/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

namespace shardlab::base {

Result<ScratchFolder> ScratchFolder::make(std::string_view purpose) {
    std::error_code missing;
    const std::filesystem::path base = std::filesystem::temp_directory_path(missing);
    const auto refuse = [&](const Sentence& why) {
        return fail({say("cannot make a temporary folder"), base.string(), why,
                     say("Set TMPDIR to a folder that can be written to")});
    };
    if (missing) return refuse(systemReason(missing.value()));
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
