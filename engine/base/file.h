// SPDX-License-Identifier: Apache-2.0
// Whole small files: read at once, replaced at once.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace shardlab {

/// Errors: missing, a folder, unreadable, more than `largest` bytes.
Result<std::string> readFile(const std::filesystem::path& file, std::int64_t largest = std::int64_t{1} << 30);

/// Written beside, synced, renamed: after a crash the file is the old one or the new one, never a part.
Status replaceFile(const std::filesystem::path& file, std::string_view content);

}  // namespace shardlab
