// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/private_network.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardlab::launch {
namespace {

int failure() { return errno != 0 ? errno : EPERM; }

/// 0, or why the file of the kernel does not take the text.
int tellKernel(const char* file, std::string_view text) {
    const int out = ::open(file, O_WRONLY | O_CLOEXEC);
    if (out < 0) return failure();
    const ssize_t written = ::write(out, text.data(), text.size());
    const int reason = written == static_cast<ssize_t>(text.size()) ? 0 : failure();
    ::close(out);
    return reason;
}

/// "1000 1000 1": in the namespace a number is what it is outside, and no other has a meaning.
int mapItself(const char* file, unsigned number) {
    char text[32];
    char* end = text;
    for (int i = 0; i < 2; ++i) {
        end = std::to_chars(end, text + sizeof text, number).ptr;
        *end++ = ' ';
    }
    *end++ = '1';
    return tellKernel(file, {text, static_cast<std::size_t>(end - text)});
}

int enterAsUser(unsigned user, unsigned group) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return failure();
    if (const int reason = mapItself("/proc/self/uid_map", user); reason != 0) return reason;
    // Without it the kernel takes no group's number from a user who is not root.
    if (const int reason = tellKernel("/proc/self/setgroups", "deny"); reason != 0) return reason;
    return mapItself("/proc/self/gid_map", group);
}

int raiseLoopback() {
    const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0) return failure();
    ifreq request{};
    std::memcpy(request.ifr_name, "lo", sizeof "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    const int reason = ::ioctl(any, SIOCSIFFLAGS, &request) == 0 ? 0 : failure();
    ::close(any);
    return reason;
}

}  // namespace

int enterPrivateNetwork() noexcept {
    const unsigned user = ::geteuid(), group = ::getegid();
    if (::unshare(CLONE_NEWNET) != 0)
        if (const int reason = enterAsUser(user, group); reason != 0) return reason;
    return raiseLoopback();
}

bool privateNetworkIsAllowed() {
    const pid_t child = ::fork();
    if (child < 0) return false;
    if (child == 0) ::_exit(enterPrivateNetwork() == 0 ? 0 : 1);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace shardlab::launch
