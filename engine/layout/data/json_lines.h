// SPDX-License-Identifier: Apache-2.0
// Texts in a file of JSON Lines: an object a line, of which one field is a text.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace shardlab::layout {

/// Hands on the texts one by one, up to the first line that begins behind `most` bytes. Empty lines are passed over.
/// Errors: the file cannot be read; a line, named by its number, is longer than largestJson, no JSON object, or has no
/// such text; what `take` returns.
Status eachJsonLine(const std::filesystem::path& file, const std::string& field, std::uint64_t most,
                    const std::function<Status(std::string_view text, std::int64_t line)>& take);

}  // namespace shardlab::layout
