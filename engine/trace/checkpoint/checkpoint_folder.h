// SPDX-License-Identifier: Apache-2.0
// The folder that a run's checkpoints lie in, each a folder of its own, "000003-step-200": numbered in the order they
// were made. A name without ending is a whole checkpoint: it was renamed to it after its last byte was safe, and before
// the first is removed again it is renamed away.
#pragma once

#include "engine/base/file.h"
#include "engine/trace/checkpoint/manifest.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shardlab::trace {

struct CheckpointPlace {
    std::filesystem::path path;
    int serial = 0;
    std::int64_t step = 0;
};

/// Whole ones, the oldest first; empty where the folder is not there.
std::vector<CheckpointPlace> listCheckpoints(const std::filesystem::path& folder);
/// `place` itself where it is a checkpoint, else the newest in it. Error: there is none.
Result<std::filesystem::path> findCheckpoint(const std::filesystem::path& place);

/// Where checkpoint `serial` is written before it is whole; all ranks of the job give the same `mark`.
std::filesystem::path unfinishedCheckpoint(const std::filesystem::path& folder, int serial, std::int64_t step,
                                           const std::string& mark);
/// Makes the files in `unfinished` a checkpoint: manifest, folder and name are safe on disk when it returns.
/// An error leaves `unfinished` as it is. Returns the checkpoint's path.
Result<std::filesystem::path> commitCheckpoint(FileSystem& files, const std::filesystem::path& unfinished,
                                               const CheckpointManifest& manifest);
/// Removes a checkpoint, or what was left of one.
Status removeCheckpoint(FileSystem& files, const std::filesystem::path& checkpoint);
/// Removes all but the newest `keep` and those of step 0, and what killed jobs left unfinished.
Status tidyCheckpoints(FileSystem& files, const std::filesystem::path& folder, int keep);

}  // namespace shardlab::trace
