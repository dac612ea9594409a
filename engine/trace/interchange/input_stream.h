// SPDX-License-Identifier: Apache-2.0
// A file as a stream of bytes, unpacked on the way where it is gzip, within limits; tells how far it is and can be
// cancelled.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <streambuf>
#include <vector>

struct gzFile_s;

namespace shardlab::trace {

/// Told the share done, in [0, 1], every megabyte or so; false: leave off.
using ShareWatcher = std::function<bool(double)>;

/// What a gzip file may unpack to. gzip packs nothing by more than 1032 to 1, and traces by 10 to 50.
struct UnpackLimits {
    std::uint64_t bytes = std::uint64_t{64} << 30;
    std::uint64_t ratio = 200;                      ///< unpacked bytes for each packed one
    std::uint64_t free = std::uint64_t{256} << 20;  ///< so many unpacked bytes are there before the ratio counts
};

class InputStream final : public std::streambuf {
public:
    /// Errors: no such file, a folder, no right to read it.
    static Result<std::unique_ptr<InputStream>> open(const std::filesystem::path& file, ShareWatcher watcher,
                                                     UnpackLimits limits = {});

    bool cancelled() const { return cancelled_; }
    /// Why it ended before the file did: damaged gzip data, more of it than the limits allow, a failing disk.
    const std::optional<Error>& problem() const { return problem_; }

private:
    struct Close {
        void operator()(gzFile_s* file) const;
    };
    int_type underflow() override;
    std::optional<Error> beyondLimits() const;

    std::filesystem::path file_;
    std::unique_ptr<gzFile_s, Close> in_;
    std::uint64_t size_;
    std::uint64_t unpacked_ = 0;
    UnpackLimits limits_;
    ShareWatcher watcher_;
    std::vector<char> buffer_;
    std::optional<Error> problem_;
    bool cancelled_ = false;

public:
    /// For its own factory: nobody else can close.
    InputStream(std::filesystem::path file, std::unique_ptr<gzFile_s, Close> in, std::uint64_t size,
                ShareWatcher watcher, UnpackLimits limits);
};

}  // namespace shardlab::trace
