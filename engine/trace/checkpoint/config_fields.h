// SPDX-License-Identifier: Apache-2.0
// The fields of a config.json of transformers, a row a field: what the file says, what a layout's model computes with,
// and how the model is made to compute what the file says. Comparing, taking over and writing go through the same rows.
// Which fields a family has, and what it takes where a file says nothing, is told by config_families.h.
#pragma once

#include "engine/base/sentence.h"
#include "engine/layout/layout.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

struct ConfigField {
    std::string name;  ///< "n_head", or of an object within the file "rope_parameters.rope_theta"
    bool fits =
        true;        ///< the model computes what the file says, or what transformers takes where the file says nothing
    Sentence what;   ///< where it does not fit: "n_head is 12, model.heads is 4"
    Sentence legal;  ///< where it does not fit: "model.heads 12"
    nlohmann::json ours;  ///< what a file of the model says; null: it need not say anything
    /// Gives the model what the file says, where a field of the layout can say it; a value that is none changes
    /// nothing.
    std::function<void(ModelSpec&)> take = {};
    bool writesNull = false;  ///< a file of the model says null
};

struct ConfigFields {
    std::vector<ConfigField> rows;
    std::set<std::string, std::less<>> names;  ///< of the file's own fields that were looked at
};

/// `config` is an object; an empty one says nothing.
ConfigFields configFields(const nlohmann::json& config, const ModelSpec& model);

}  // namespace shardlab::trace
