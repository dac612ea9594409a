// SPDX-License-Identifier: Apache-2.0
#include "engine/base/tcp_socket.h"

#include "engine/base/parse_text.h"

#include <array>
#include <cerrno>
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

Result<Addresses> lookUp(const TcpAddress& address, int flags, Sentence what) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* list = nullptr;
    const int code = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list);
    if (code != 0)
        return fail({std::move(what), address.text(), termOf(::gai_strerror(code)),
                     say("A host name or an address, then a port")});
    return Addresses(list);
}

Descriptor socketFor(const addrinfo& address) {
    return Descriptor(
        ::socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol));
}

/// Waits until the socket is connected. The reason why it is not; empty: it is.
Sentence awaitConnection(const Descriptor& socket, std::chrono::milliseconds patience, const WakeUp& cancel) {
    std::array<pollfd, 2> watched{pollfd{socket.value(), POLLOUT, 0}, pollfd{cancel.descriptor(), POLLIN, 0}};
    const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(patience.count()));
    if (watched[1].revents != 0) return say("it was given up");
    if (ready <= 0) return say("no answer within {} s", patience.count() / 1000);
    int code = 0;
    socklen_t size = sizeof code;
    ::getsockopt(socket.value(), SOL_SOCKET, SO_ERROR, &code, &size);
    return code == 0 ? Sentence() : systemReason(code);
}

}  // namespace

std::string TcpAddress::text() const {
    const bool bare = host.find(':') == std::string::npos;
    return (bare ? host : "[" + host + "]") + ":" + std::to_string(port);
}

Result<TcpAddress> parseTcpAddress(std::string_view text) {
    const auto refuse = [&](Sentence why) {
        return fail({say("this is no address"), std::string(text), std::move(why),
                     say("[HOST:]PORT, like 7000, node3:7000 or [::1]:7000")});
    };
    TcpAddress address;
    std::string_view port = text;
    if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
        std::string_view host = text.substr(0, colon);
        port = text.substr(colon + 1);
        const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
        if (bracketed) host = host.substr(1, host.size() - 2);
        if (host.empty()) return refuse(say("its host is empty"));
        if (!bracketed && host.find_first_of(":[]") != std::string_view::npos)
            return refuse(say("an address with colons stands in brackets"));
        address.host = host;
    }
    const auto number = parseNumber<std::uint16_t>(port);
    if (!number) return refuse(say("its port is no number from 0 to 65535"));
    address.port = *number;
    return address;
}

Result<Descriptor> listenTcp(const TcpAddress& address, int backlog) {
    const auto addresses = lookUp(address, AI_PASSIVE, say("cannot listen"));
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
    return fail(
        {say("cannot listen"), address.text(), systemReason(code),
         code == EADDRINUSE ? say("Another port, or 0 for any that is free") : say("An address of this machine")});
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
    const auto addresses = lookUp(address, 0, say("cannot connect"));
    if (!addresses) return fail(addresses.error());
    Sentence why = say("it has no address");
    for (const addrinfo* each = addresses->get(); each != nullptr; each = each->ai_next) {
        Descriptor socket = socketFor(*each);
        if (!socket.valid()) continue;
        tuneForFrames(socket);
        const int code = ::connect(socket.value(), each->ai_addr, each->ai_addrlen) == 0 ? 0 : errno;
        why = code == 0             ? Sentence()
              : code == EINPROGRESS ? awaitConnection(socket, patience, cancel)
                                    : systemReason(code);
        if (why.empty()) return socket;
    }
    return fail({say("cannot connect"), address.text(), why,
                 say("Where a run is served or listened for, see shardlab run --help")});
}

}  // namespace shardlab::base
