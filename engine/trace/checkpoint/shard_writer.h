// SPDX-License-Identifier: Apache-2.0
// A rank's part of a checkpoint on its way to disk.
#pragma once

#include "engine/base/file.h"
#include "engine/trace/checkpoint/manifest.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace shardlab::trace {

/// State in memory that a piece of a checkpoint is made of.
struct StatePiece {
    std::string name;
    std::string_view kind;
    Slice slice;
    std::int64_t begin = 0;
    std::span<const float> values;
};

/// Writes and syncs one shard; it is safe on disk when this returns. `written` is called with the bytes of each
/// portion.
Result<CheckpointShard> writeShard(FileSystem& files, const std::filesystem::path& file,
                                   std::span<const StatePiece> pieces,
                                   const std::function<void(std::size_t bytes)>& written = {});

}  // namespace shardlab::trace
