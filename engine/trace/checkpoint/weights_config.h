// SPDX-License-Identifier: Apache-2.0
// What config.json says of the weights that lie beside it, held against the layout's model.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace shardlab::trace {

/// One thing in which weights are not those of a model.
struct WeightMismatch {
    Sentence what;   ///< "config.json: n_head is 12, model.heads is 4"
    Sentence legal;  ///< "model.heads 12"
};

/// A tensor that the model has no place for.
inline WeightMismatch beyondModel(const std::string& tensor) {
    return {say("{} is there, the layout's model has no such tensor", tensor), say("a layout with the same model")};
}

/// config.json in the folder of weights, or beside their file; there need be none, and then nothing is compared.
std::filesystem::path weightsConfig(const std::filesystem::path& weights);

/// Error: the file cannot be read, or is no JSON object in which each name stands once.
Result<nlohmann::json> readConfig(const std::filesystem::path& config);
/// The same of the text of the file `config`, which is not read again.
Result<nlohmann::json> parseConfig(std::string_view text, const std::filesystem::path& config);

/// Every field of a config.json that changes what a gpt or a llama computes, held against what `model` computes
/// (config_fields.h). A field that is left out has the value that transformers gives it. Fields that are known to
/// change nothing are passed over; one that is not known, and not null, is a mismatch: it may change the mathematics,
/// and training on without it would be silent.
std::vector<WeightMismatch> compareConfig(const nlohmann::json& config, const ModelSpec& model);

/// The config.json that transformers needs beside weights of `model`, which is a gpt or a llama.
std::string writeConfig(const ModelSpec& model);

}  // namespace shardlab::trace
