// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/file.h"

#include <filesystem>

namespace shardlab::trace {

/// Writes a checkpoint's weights into `folder` as model.safetensors, whole and in fp32: of a model that transformers
/// has a class for as its from_pretrained reads them, with config.json beside them (of a GPT2LMHeadModel names begin
/// with "transformer.", and the output projection is tied and left out); of any other model by the names and in the
/// shapes that Shardlab gives them, with model.layout.json. Errors: a damaged checkpoint, a folder that cannot be
/// written.
Status exportWeights(FileSystem& files, const std::filesystem::path& checkpoint, const std::filesystem::path& folder);

}  // namespace shardlab::trace
