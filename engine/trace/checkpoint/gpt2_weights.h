// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/file.h"

#include <filesystem>

namespace shardlab::trace {

/// Writes a checkpoint's weights as model.safetensors and config.json into `folder`, as transformers'
/// GPT2LMHeadModel.from_pretrained reads them: names with "transformer.", fp32, the output projection tied and left
/// out. Errors: not a gpt, a damaged checkpoint, a folder that cannot be written.
Status exportGpt2(FileSystem& files, const std::filesystem::path& checkpoint, const std::filesystem::path& folder);

}  // namespace shardlab::trace
