// SPDX-License-Identifier: Apache-2.0
#include "engine/base/socket.h"

#include <cerrno>
#include <cstdint>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace shardlab::base {
namespace {

void setOption(const Descriptor& socket, int level, int option) {
    const int on = 1;
    ::setsockopt(socket.value(), level, option, &on, sizeof on);
}

std::optional<std::size_t> moved(ssize_t count) {
    if (count > 0) return static_cast<std::size_t>(count);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOBUFS)) return 0;
    return std::nullopt;
}

}  // namespace

void Descriptor::close() {
    if (value_ >= 0) ::close(std::exchange(value_, -1));
}

std::optional<Descriptor> acceptCall(const Descriptor& listener) {
    Descriptor caller(::accept4(listener.value(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!caller.valid()) return std::nullopt;
    tuneForFrames(caller);
    return caller;
}

void tuneForFrames(const Descriptor& socket) {
    setOption(socket, IPPROTO_TCP, TCP_NODELAY);
    setOption(socket, SOL_SOCKET, SO_KEEPALIVE);
}

std::optional<std::size_t> receiveSome(const Descriptor& socket, std::span<std::byte> room) {
    return moved(::recv(socket.value(), room.data(), room.size(), MSG_DONTWAIT));
}

std::optional<std::size_t> sendSome(const Descriptor& socket, std::span<const std::byte> bytes) {
    if (bytes.empty()) return 0;
    return moved(::send(socket.value(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
}

WakeUp::WakeUp() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (!event_.valid()) throw std::runtime_error("no file descriptor is left for a thread's wake-up");
}

void WakeUp::ring() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(event_.value(), &one, sizeof one);
}

void WakeUp::clear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(event_.value(), &count, sizeof count);
}

}  // namespace shardlab::base
