// SPDX-License-Identifier: Apache-2.0
// Layout files (*.layout.json): read, write, change one field by its pointer.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/fault.h"
#include "engine/layout/layout.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::layout {

/// What could be read: fields that were wrong (unknown key, wrong type, unknown word, out of the type's range)
/// keep their default and are named in `faults`. Meaning is judged by check(), not here.
struct ParsedLayout {
    Layout layout;
    std::vector<Fault> faults;
};

/// Error only where the text is no JSON object at all (with line and column), or of a version that is not known.
Result<ParsedLayout> parseLayout(std::string_view json);
/// The text of `file`, which errors name.
Result<ParsedLayout> parseLayout(std::string_view json, const std::filesystem::path& file);
/// Reads a file. A relative data.path stays as written; see resolvePaths.
Result<ParsedLayout> readLayout(const std::filesystem::path& file);
/// Every field, in the order of fields(), two spaces of indent.
std::string writeLayout(const Layout& layout);
Status saveLayout(const Layout& layout, const std::filesystem::path& file);

/// The layout with its paths made absolute against `directory` (that of the layout file).
Layout resolvePaths(Layout layout, const std::filesystem::path& directory);

/// "/parallel/data=4": the value is JSON, or a bare word taken as a string.
Result<ParsedLayout> setField(const Layout& layout, std::string_view assignment);

}  // namespace shardlab::layout
