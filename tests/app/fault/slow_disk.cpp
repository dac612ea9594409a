// SPDX-License-Identifier: Apache-2.0
// Preloaded into the command line program (its ranks are left alone): while the file $SLOW_DISK is there, no write to a
// place in a file and no sync returns; "$SLOW_DISK.waits" appears when the first of them waits.
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

void waitForDisk() {
    const char* sign = std::getenv("SLOW_DISK");
    if (sign == nullptr || std::string_view(program_invocation_short_name) != "shardlab") return;
    while (::access(sign, F_OK) == 0) {
        const int waits = ::open((std::string(sign) + ".waits").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (waits >= 0) ::close(waits);
        ::usleep(10'000);
    }
}

/// Calls the C library's own `name`, of the type of `function`, when the disk is there.
template <class Result, class... Arguments>
Result late(Result (*function)(Arguments...), const char* name, Arguments... arguments) {
    waitForDisk();
    return reinterpret_cast<decltype(function)>(::dlsym(RTLD_NEXT, name))(arguments...);
}

}  // namespace

extern "C" {

int fsync(int file) { return late(&::fsync, "fsync", file); }
int fdatasync(int file) { return late(&::fdatasync, "fdatasync", file); }
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
    return late(&::pwrite, "pwrite", file, bytes, count, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
    return late(&::pwrite64, "pwrite64", file, bytes, count, at);
}
}
