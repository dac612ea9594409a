// SPDX-License-Identifier: Apache-2.0
// A layout made from the config.json that lies beside weights of Hugging Face.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace shardlab::trace {

struct ConfigLayout {
    Layout layout;
    std::vector<Sentence> leftOut;  ///< what the file says and the layout does not, a sentence each
};

/// The layout of a file, with data that its vocabulary can be trained on. Error: the layout has faults.
Result<ConfigLayout> legalConfigLayout(ConfigLayout made, const std::filesystem::path& file);

/// The text is a JSON object that names a model of transformers.
bool looksLikeConfig(std::string_view text);

/// A layout of one rank, without faults, whose model is the file's as far as a layout can say it; it starts from the
/// weights beside the file where there are any and nothing that changes the mathematics is left out, and reads text
/// with the tokenizer.json beside it. Errors: the file cannot be read, its model is of a family that no layout has, or
/// of sizes that no layout may have.
Result<ConfigLayout> layoutFromConfig(const std::filesystem::path& config);
/// The same of the text of the file `config`, which is not read again: a pipe gives its text once.
Result<ConfigLayout> layoutFromConfig(const std::filesystem::path& config, std::string_view text);

}  // namespace shardlab::trace
