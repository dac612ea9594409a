// SPDX-License-Identifier: Apache-2.0
// Tokens: what lets a caller in. Made new for each run, kept in files that only their owner reads.
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace shardlab::base {

/// 128 bits from the kernel, as 32 hexadecimal digits.
Result<std::string> randomToken();

/// Compares two tokens in a time that does not depend on where they differ.
bool sameToken(std::string_view known, std::string_view shown);

/// A name beside `file` that nobody can know before: "a.json.new5d0f…". What is written there and renamed meets no file
/// or link that somebody else has put in its way.
Result<std::filesystem::path> nameBeside(const std::filesystem::path& file);

/// Mode 0600 from its first moment; replaces a file of that name.
Status writeToken(const std::filesystem::path& file, std::string_view token);
/// Reads the first line of the file. Errors: the file is not there, or the line is empty.
Result<std::string> readToken(const std::filesystem::path& file);

}  // namespace shardlab::base
