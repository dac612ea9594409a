// SPDX-License-Identifier: Apache-2.0
#include "engine/base/unix_socket.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace shardlab::base {
namespace {

constexpr int streamSocket = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

Result<sockaddr_un> addressOf(const std::filesystem::path& socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string& path = socket.native();
    if (path.empty() || path.size() >= sizeof address.sun_path)
        return fail({say("cannot use the socket"), path, say("its path has {} bytes", path.size()),
                     say("1 to {} are possible: choose a shorter folder", sizeof address.sun_path - 1)});
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

const sockaddr* generic(const sockaddr_un& address) { return reinterpret_cast<const sockaddr*>(&address); }

}  // namespace

Result<Descriptor> connectUnix(const std::filesystem::path& socket) {
    const auto address = addressOf(socket);
    if (!address) return fail(address.error());
    Descriptor descriptor(::socket(AF_UNIX, streamSocket, 0));
    if (!descriptor.valid() || ::connect(descriptor.value(), generic(*address), sizeof *address) != 0)
        return fail({say("cannot connect"), socket.string(), systemReason(errno), ""});
    return descriptor;
}

Result<Descriptor> listenUnix(const std::filesystem::path& socket, int backlog) {
    const auto address = addressOf(socket);
    if (!address) return fail(address.error());
    const auto refuse = [&](const Sentence& why, const Sentence& legal = {}) {
        return fail({say("cannot listen on the socket"), socket.string(), why, legal});
    };
    struct stat status {};
    if (::lstat(socket.c_str(), &status) == 0) {
        if (!S_ISSOCK(status.st_mode)) return refuse(say("something else has that name"));
        if (connectUnix(socket))
            return refuse(say("another program listens there"), say("End that program or choose another folder"));
        ::unlink(socket.c_str());
    }
    Descriptor descriptor(::socket(AF_UNIX, streamSocket, 0));
    if (!descriptor.valid()) return refuse(systemReason(errno));
    ::fchmod(descriptor.value(), 0600);  // of the socket before it has a name: no moment is open to others
    if (::bind(descriptor.value(), generic(*address), sizeof *address) != 0) return refuse(systemReason(errno));
    if (::listen(descriptor.value(), backlog) != 0) return refuse(systemReason(errno));
    return descriptor;
}

}  // namespace shardlab::base
