// SPDX-License-Identifier: Apache-2.0
// TCP for what is watched or told from other machines: addresses, listeners, connections that never block.
#pragma once

#include "engine/base/unix_socket.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace shardlab::base {

/// Where `[HOST:]PORT` leads. Port 0, to listen on: any that is free.
struct TcpAddress {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;
    /// The address in the form that parseTcpAddress reads: "127.0.0.1:7000", "[::1]:7000".
    std::string text() const;
    bool operator==(const TcpAddress&) const = default;
};

/// "7000", "node3:7000", "0.0.0.0:7000", "[::1]:7000". Without a host it is this machine alone.
Result<TcpAddress> parseTcpAddress(std::string_view text);

/// Errors: a name that leads nowhere, an address that is not this machine's, a port that is taken or not allowed.
Result<Descriptor> listenTcp(const TcpAddress& address, int backlog = listenBacklog);
/// The address that `listener` is bound to: `asked`, with the port that the system chose where 0 was asked for.
TcpAddress boundAddress(const Descriptor& listener, TcpAddress asked);
/// Waits until connected, at most `patience` for each address the name has, or until `cancel` rings. Looking up a name
/// may take longer. Error: `why` is the system's reason.
Result<Descriptor> connectTcp(const TcpAddress& address, std::chrono::milliseconds patience, const WakeUp& cancel);

}  // namespace shardlab::base
