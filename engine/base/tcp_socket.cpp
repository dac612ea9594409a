// SPDX-License-Identifier: Apache-2.0
#include "engine/base/tcp_socket.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace shardlab::base {
namespace {

struct FreeAddresses {
    void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> lookUp(const TcpAddress& address, int flags, const char* what) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* list = nullptr;
    const int code = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list);
    if (code != 0) return fail({what, address.text(), ::gai_strerror(code), "A host name or an address, then a port"});
    return Addresses(list);
}

Descriptor socketFor(const addrinfo& address) {
    return Descriptor(
        ::socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol));
}

/// Waits until the socket is connected. The reason why it is not; empty: it is.
std::string awaitConnection(const Descriptor& socket, std::chrono::milliseconds patience, const WakeUp& cancel) {
    std::array<pollfd, 2> watched{pollfd{socket.value(), POLLOUT, 0}, pollfd{cancel.descriptor(), POLLIN, 0}};
    const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(patience.count()));
    if (watched[1].revents != 0) return "it was given up";
    if (ready <= 0) return "no answer within " + std::to_string(patience.count() / 1000) + " s";
    int code = 0;
    socklen_t size = sizeof code;
    ::getsockopt(socket.value(), SOL_SOCKET, SO_ERROR, &code, &size);
    return code == 0 ? std::string() : std::strerror(code);
}

}  // namespace

std::string TcpAddress::text() const {
    const bool bare = host.find(':') == std::string::npos;
    return (bare ? host : "[" + host + "]") + ":" + std::to_string(port);
}

Result<TcpAddress> parseTcpAddress(std::string_view text) {
    const auto refuse = [&](const char* why) {
        return fail({"this is no address", std::string(text), why, "[HOST:]PORT, like 7000, node3:7000 or [::1]:7000"});
    };
    TcpAddress address;
    std::string_view port = text;
    if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
        std::string_view host = text.substr(0, colon);
        port = text.substr(colon + 1);
        const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
        if (bracketed) host = host.substr(1, host.size() - 2);
        if (host.empty()) return refuse("its host is empty");
        if (!bracketed && host.find_first_of(":[]") != std::string_view::npos)
            return refuse("an address with colons stands in brackets");
        address.host = host;
    }
    const auto [end, wrong] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (wrong != std::errc{} || end != port.data() + port.size())
        return refuse("its port is no number from 0 to 65535");
    return address;
}

Result<Descriptor> listenTcp(const TcpAddress& address, int backlog) {
    const auto addresses = lookUp(address, AI_PASSIVE, "cannot listen");
    if (!addresses) return fail(addresses.error());
    int code = 0;
    for (const addrinfo* each = addresses->get(); each != nullptr; each = each->ai_next) {
        Descriptor socket = socketFor(*each);
        const int on = 1;
        ::setsockopt(socket.value(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (socket.valid() && ::bind(socket.value(), each->ai_addr, each->ai_addrlen) == 0 &&
            ::listen(socket.value(), backlog) == 0)
            return socket;
        code = errno;
    }
    return fail({"cannot listen", address.text(), std::strerror(code),
                 code == EADDRINUSE ? "Another port, or 0 for any that is free" : "An address of this machine"});
}

TcpAddress boundAddress(const Descriptor& listener, TcpAddress asked) {
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    if (::getsockname(listener.value(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) return asked;
    if (bound.ss_family == AF_INET) asked.port = ntohs(reinterpret_cast<const sockaddr_in&>(bound).sin_port);
    if (bound.ss_family == AF_INET6) asked.port = ntohs(reinterpret_cast<const sockaddr_in6&>(bound).sin6_port);
    return asked;
}

Result<Descriptor> connectTcp(const TcpAddress& address, std::chrono::milliseconds patience, const WakeUp& cancel) {
    const auto addresses = lookUp(address, 0, "cannot connect");
    if (!addresses) return fail(addresses.error());
    std::string why = "it has no address";
    for (const addrinfo* each = addresses->get(); each != nullptr; each = each->ai_next) {
        Descriptor socket = socketFor(*each);
        if (!socket.valid()) continue;
        tuneForFrames(socket);
        const int code = ::connect(socket.value(), each->ai_addr, each->ai_addrlen) == 0 ? 0 : errno;
        why = code == 0 ? "" : code == EINPROGRESS ? awaitConnection(socket, patience, cancel) : std::strerror(code);
        if (why.empty()) return socket;
    }
    return fail(
        {"cannot connect", address.text(), why, "Where a run is served or listened for, see shardlab run --help"});
}

}  // namespace shardlab::base
