// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/trace/checkpoint/manifest.h"

#include <filesystem>

namespace shardlab::trace {

/// Whether a layout can go on from a checkpoint: the same model, seed and optimizer, and steps left to train. How the
/// model, the batch and the state are spread over ranks may be another. `checkpoint` names it in the error.
Status canContinue(const Layout& layout, const CheckpointManifest& manifest, const std::filesystem::path& checkpoint);

}  // namespace shardlab::trace
