// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace shardlab::trace {

/// Some key of the TOML text has more than 32 dots. The parser bounds how deep values lie, but makes a table for each
/// dot of a key, and tables in tables go recursively. Dots of comments and of texts do not count.
bool nestsTooDeep(std::string_view text);

}  // namespace shardlab::trace
