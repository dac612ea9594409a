// SPDX-License-Identifier: Apache-2.0
// Text that programs print: its lines, and what stands before what they say.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/interchange/input_stream.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shardlab::trace {

/// Tells each line until `told` returns false. A progress bar's returns end lines too, and of a line its first 64 KiB
/// count. Errors: the file cannot be read or unpacked; it was cancelled.
Status eachLine(const std::filesystem::path& file, const ShareWatcher& watcher,
                const std::function<bool(std::string_view line)>& told);

/// Without the escape sequences that colour a terminal.
std::string plainText(std::string_view line);
/// Nanoseconds from 1970 of the first "2025-06-01 12:00:00,123" in the text, taken for universal time.
std::optional<std::int64_t> clockIn(std::string_view text);

}  // namespace shardlab::trace
