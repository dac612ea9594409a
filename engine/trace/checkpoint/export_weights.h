// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/file.h"

#include <filesystem>

namespace shardlab::trace {

/// Writes a checkpoint's weights into `folder`, whole and in fp32: of a model that transformers has a class for as it
/// reads them (gpt2_weights.h, llama_weights.h); of any other by the names and in the shapes that Shardlab gives them,
/// with the layout beside them (model.layout.json). Errors: a damaged checkpoint, a folder that cannot be written.
Status exportWeights(FileSystem& files, const std::filesystem::path& checkpoint, const std::filesystem::path& folder);

}  // namespace shardlab::trace
