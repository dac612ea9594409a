// SPDX-License-Identifier: Apache-2.0
// Files that a program obeys: they count only where this user or root alone can have written them.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace shardlab::base {

/// Nothing where there is no such file; never waits for a writer. Errors: a link, no regular file, another user's file,
/// a second name of some other file, more than `largest` bytes, unreadable.
Result<std::optional<std::string>> readOwnFile(const std::filesystem::path& file, std::size_t largest);

/// Mode 0600 from its first moment, whole or not at all; replaces a file of that name.
Status replaceOwnFile(const std::filesystem::path& file, std::string_view content);

}  // namespace shardlab::base
