// SPDX-License-Identifier: Apache-2.0
// JSON text into a tree, with what the plain parser would pass over in silence.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/fault.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::layout {

/// Bytes of a file of JSON that is held as a tree, which takes up to 30 times as much. Layouts, devices, vocabularies
/// and indices of weights have a few MiB at most.
inline constexpr std::int64_t largestJson = std::int64_t{16} << 20;

struct JsonText {
    nlohmann::json root;
    std::vector<Fault> duplicates;  ///< keys that stand twice in one object; the first value counts
};

/// Error with line and column where the text is no JSON, nests deeper than 64, or holds a number no double can.
Result<JsonText> parseJsonText(std::string_view text);

/// `pointer` with one more part, escaped as RFC 6901 wants it.
std::string childPointer(std::string_view pointer, std::string_view key);

}  // namespace shardlab::layout
