// SPDX-License-Identifier: Apache-2.0
// Layouts as JSON trees, by the table of fields.
#pragma once

#include "engine/layout/fields.h"
#include "engine/layout/layout_file.h"

#include <nlohmann/json.hpp>

namespace shardlab {

/// `root` is an object. What is wrong keeps its default and is named in the faults.
ParsedLayout layoutFromJson(const nlohmann::json& root);

nlohmann::ordered_json layoutToJson(const Layout& layout);
/// Objects over several lines with two spaces of indent, lists on one.
std::string layoutText(const nlohmann::ordered_json& json);

}  // namespace shardlab
