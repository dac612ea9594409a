// SPDX-License-Identifier: Apache-2.0
// Layouts as JSON trees, made from the table of fields.
#pragma once

#include "engine/layout/fields.h"
#include "engine/layout/layout_file.h"

#include <nlohmann/json.hpp>

namespace shardlab::layout {

/// The version that is written as the first field of a layout file. A file without one has version 1.
inline constexpr int layoutVersion = 1;

/// `root` is an object. What is wrong keeps its default and is named in the faults. Error only where the version is not
/// one that this program reads.
Result<ParsedLayout> layoutFromJson(const nlohmann::json& root);

nlohmann::ordered_json layoutToJson(const Layout& layout);
/// Objects over several lines with two spaces of indent, lists on one.
std::string layoutText(const nlohmann::ordered_json& json);

}  // namespace shardlab::layout
