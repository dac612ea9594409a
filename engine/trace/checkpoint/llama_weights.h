// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/file.h"

#include <filesystem>

namespace shardlab::trace {

/// Writes a checkpoint's weights as model.safetensors and config.json into `folder`, as transformers'
/// LlamaForCausalLM.from_pretrained reads them: fp32, each projection by itself and [outputs, inputs].
/// Errors: not a llama, feed-forward blocks of several widths, a damaged checkpoint, a folder that cannot be written.
Status exportLlama(FileSystem& files, const std::filesystem::path& checkpoint, const std::filesystem::path& folder);

}  // namespace shardlab::trace
