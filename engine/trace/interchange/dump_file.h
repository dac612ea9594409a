// SPDX-License-Identifier: Apache-2.0
// The files that PyTorch dumps: what all of them have in common.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/interchange/input_stream.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace shardlab::trace {

inline constexpr std::size_t dumpHead = 64 * 1024;  ///< bytes by which a dump is told from other files

/// At most `most` bytes of the file, unpacked where it is packed with gzip.
Result<std::string> firstBytes(const std::filesystem::path& file, std::size_t most, const ShareWatcher& watcher = {});
bool isPickle(std::string_view bytes);

}  // namespace shardlab::trace
