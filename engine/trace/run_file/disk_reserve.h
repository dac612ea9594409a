// SPDX-License-Identifier: Apache-2.0
// Room on a disk that is kept for the end of a run, should the disk fill up before.
#pragma once

#include "engine/base/socket.h"

#include <cstdint>
#include <filesystem>

namespace shardlab::trace {

/// Takes `bytes` of the disk that `file` lies on, in a file without a name; whoever closes the descriptor gives them
/// back, and so does the end of the process. Not valid where the disk does not have them, or keeps no such file.
base::Descriptor reserveDisk(const std::filesystem::path& file, std::int64_t bytes);

}  // namespace shardlab::trace
