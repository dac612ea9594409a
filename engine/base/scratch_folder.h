// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string_view>

namespace shardlab::base {

/// A folder of our own among the system's temporary ones, removed with all that is in it when this object goes.
class ScratchFolder {
public:
    /// `purpose` is part of its name. Errors: no folder for temporary files, or it cannot be written to.
    static Result<ScratchFolder> make(std::string_view purpose);
    ScratchFolder(ScratchFolder&& other) noexcept;
    ScratchFolder& operator=(ScratchFolder&& other) noexcept;
    ~ScratchFolder();

    const std::filesystem::path& path() const { return path_; }

private:
    explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;  ///< empty: moved from
};

}  // namespace shardlab::base
