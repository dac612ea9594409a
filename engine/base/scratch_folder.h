// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace shardlab::base {

/// Where temporary files belong: what TMPDIR names, as an absolute path; /tmp where TMPDIR is unset or empty. Whether
/// anything can be written there shows when it is.
std::filesystem::path temporaryFilesFolder();

struct CloseScratchFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using ScratchFile = std::unique_ptr<std::FILE, CloseScratchFile>;
/// A file without a name in `folder`, or where none can be made there in /tmp, to be written and read; nobody else can
/// open it. nullptr: errno says why.
ScratchFile scratchFile(const std::filesystem::path& folder = temporaryFilesFolder());

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
