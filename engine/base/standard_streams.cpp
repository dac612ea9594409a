// SPDX-License-Identifier: Apache-2.0
#include "engine/base/standard_streams.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace shardlab::base {
namespace {

constexpr int lost = 1;  ///< exit status

/// 0: all has arrived; else the system's reason.
int flushed() {
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
    if (errno != 0) return errno;
    // An earlier write failed and its reason is forgotten; what kept it keeps the next one too.
    std::clearerr(stdout);
    std::fputc('\n', stdout);
    return std::fflush(stdout) != 0 && errno != 0 ? errno : EIO;
}

}  // namespace

bool ignoresSignal(int number) {
    struct sigaction action {};
    return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

StandardStreams::StandardStreams() : ignoredPipe_(ignoresSignal(SIGPIPE)) {
    std::signal(SIGPIPE, SIG_IGN);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF)  // the other way round than it is used: the use fails
            static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

int StandardStreams::finish(int status, std::string_view program) const {
    const int reason = flushed();
    if (reason == 0) return status;
    if (reason == EPIPE && !ignoredPipe_) {
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
    std::fprintf(stderr, "%.*s: cannot write standard output: %s\n", static_cast<int>(program.size()), program.data(),
                 std::strerror(reason));
    return status != 0 ? status : lost;
}

}  // namespace shardlab::base
