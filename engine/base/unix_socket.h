// SPDX-License-Identifier: Apache-2.0
// Unix stream sockets: those of this machine, which have a path.
#pragma once

#include "engine/base/result.h"
#include "engine/base/socket.h"

#include <filesystem>

namespace shardlab::base {

/// Errors: a path longer than a socket address holds (107 bytes), nobody listening (`why` is the system's reason).
Result<Descriptor> connectUnix(const std::filesystem::path& socket);
/// Callers that may wait to be accepted, unless a listener asks otherwise.
inline constexpr int listenBacklog = 128;

/// Takes the place of a socket nobody listens on any more. Errors: too long, unwritable, somebody listening,
/// something else lying there. Only this user may connect.
Result<Descriptor> listenUnix(const std::filesystem::path& socket, int backlog = listenBacklog);

}  // namespace shardlab::base
