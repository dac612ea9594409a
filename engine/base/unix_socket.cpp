// SPDX-License-Identifier: Apache-2.0
#include "engine/base/unix_socket.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace shardlab {
namespace {

constexpr int streamSocket = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

Result<sockaddr_un> addressOf(const std::filesystem::path& socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string& path = socket.native();
    if (path.empty() || path.size() >= sizeof address.sun_path)
        return fail({"cannot use the socket", path, "its path has " + std::to_string(path.size()) + " bytes",
                     "1 to " + std::to_string(sizeof address.sun_path - 1) + " are possible: choose a shorter folder"});
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

const sockaddr* generic(const sockaddr_un& address) { return reinterpret_cast<const sockaddr*>(&address); }

std::optional<std::size_t> moved(ssize_t count) {
    if (count > 0) return static_cast<std::size_t>(count);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOBUFS)) return 0;
    return std::nullopt;
}

}  // namespace

void Descriptor::close() {
    if (value_ >= 0) ::close(std::exchange(value_, -1));
}

Result<Descriptor> connectUnix(const std::filesystem::path& socket) {
    const auto address = addressOf(socket);
    if (!address) return fail(address.error());
    Descriptor descriptor(::socket(AF_UNIX, streamSocket, 0));
    if (!descriptor.valid() || ::connect(descriptor.value(), generic(*address), sizeof *address) != 0)
        return fail({"cannot connect", socket.string(), std::strerror(errno), ""});
    return descriptor;
}

Result<Descriptor> listenUnix(const std::filesystem::path& socket, int backlog) {
    const auto address = addressOf(socket);
    if (!address) return fail(address.error());
    const auto refuse = [&](const std::string& why, const char* legal = "") {
        return fail({"cannot listen on the socket", socket.string(), why, legal});
    };
    struct stat status {};
    if (::lstat(socket.c_str(), &status) == 0) {
        if (!S_ISSOCK(status.st_mode)) return refuse("something else has that name");
        if (connectUnix(socket))
            return refuse("another program listens there", "End that program or choose another folder");
        ::unlink(socket.c_str());
    }
    Descriptor descriptor(::socket(AF_UNIX, streamSocket, 0));
    if (!descriptor.valid()) return refuse(std::strerror(errno));
    ::fchmod(descriptor.value(), 0600);  // of the socket before it has a name: no moment is open to others
    if (::bind(descriptor.value(), generic(*address), sizeof *address) != 0) return refuse(std::strerror(errno));
    if (::listen(descriptor.value(), backlog) != 0) return refuse(std::strerror(errno));
    return descriptor;
}

std::optional<Descriptor> acceptUnix(const Descriptor& listener) {
    const int descriptor = ::accept4(listener.value(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return std::nullopt;
    return Descriptor(descriptor);
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

}  // namespace shardlab
