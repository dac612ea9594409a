// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/trace/checkpoint/manifest.h"

#include <filesystem>

namespace shardlab::trace {

/// Whether a layout can go on from a checkpoint: the same model, seed and optimizer, and steps left to train. How the
/// model, the batch and the state are spread over ranks may be another. `checkpoint` names it in the error.
Status canContinue(const Layout& layout, const CheckpointManifest& manifest, const std::filesystem::path& checkpoint);

/// The manifest of a checkpoint that ranks could read: its shards are there, of the sizes and with the headers that it
/// tells. The error says why they could not.
Result<CheckpointManifest> readWhole(const std::filesystem::path& checkpoint);

/// `place` itself where it is a checkpoint, else the newest in it that is whole. Error: there is none; why the newest
/// is not whole, where no other is.
Result<std::filesystem::path> newestWhole(const std::filesystem::path& place);

}  // namespace shardlab::trace
