// SPDX-License-Identifier: Apache-2.0
// The spool: a rank's own append-only file of frames (wire.h). It holds what the collector has not acknowledged yet,
// and outlives the rank, so that the launcher can read what a killed rank had no time to send.
#pragma once

#include "engine/base/file.h"
#include "engine/trace/record/wire.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace shardlab::trace {

struct SpoolOptions {
    std::size_t memoryBytes = std::size_t{16} << 20;       ///< kept where the disk fails
    std::uint64_t recycleBytes = std::uint64_t{64} << 20;  ///< a fully acknowledged file so large starts again
};

class Spool {
public:
    /// Always succeeds: where the file cannot be created or, later, written, frames are kept in memory up to
    /// options.memoryBytes instead, and fault() says why.
    Spool(FileSystem& files, const std::filesystem::path& file, const SpoolOptions& options = {});

    /// Adds one frame whose body is its offset, then `body`. Error: neither disk nor memory takes it.
    Status append(FrameType type, std::span<const std::byte> body);
    /// Offset behind the last frame; offsets count all bytes ever appended.
    std::uint64_t end() const { return end_; }
    /// Bytes from `offset` on, at most `most`; empty at the end. `offset` is not before the acknowledged one.
    Result<Bytes> read(std::uint64_t offset, std::size_t most) const;
    /// All before `offset` will not be read again.
    void acknowledge(std::uint64_t offset);
    /// Why the file is no longer written.
    const std::optional<Error>& fault() const { return fault_; }

private:
    bool writeToFile(std::span<const std::byte> frame);

    SpoolOptions options_;
    std::unique_ptr<File> file_;
    std::uint64_t fileBegin_ = 0;  ///< offset of the file's first byte
    std::uint64_t fileEnd_ = 0;
    Bytes memory_;  ///< offsets from memoryBegin_ to end_
    std::uint64_t memoryBegin_ = 0;
    std::uint64_t end_ = 0;
    std::optional<Error> fault_;
};

/// Calls `sink` for each whole frame at or behind the offset `from`, with the body's offset taken off: offset, type,
/// body. A frame cut short at the end is none, as a killed rank may leave one. Errors: no file; a damaged frame, after
/// which nothing is read.
Status readSpool(FileSystem& files, const std::filesystem::path& file, std::uint64_t from,
                 const std::function<void(std::uint64_t, const Frame&)>& sink);

}  // namespace shardlab::trace
