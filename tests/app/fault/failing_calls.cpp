// SPDX-License-Identifier: Apache-2.0
// Preloaded into the command line program: from the begin of main() on it counts calls, and fails the one that
// $FAIL_CALL names, "malloc 12" or "open 3", once. At the end the counts of all kinds go into $FAIL_COUNTS, a line
// each. "malloc all" fails each in turn: the process forks before each, and the call fails in the child, whose answer
// is compared with that of the program, in $FAIL_RIGHT.out and .err and $FAIL_STATUS; a line for each child whose
// answer is neither that nor a refusal goes into $FAIL_COUNTS too. "malloc all 1 3" does so with each third call from
// the second on.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {

enum Kind { Malloc, Open, Read, Map, kinds };
constexpr std::array<const char*, kinds> names{"malloc", "open", "read", "map"};

std::array<std::atomic<long>, kinds> counts;
std::atomic<bool> counting = false;
int failing = kinds;
long failingAt = 0;

/// What the children of "all" answered.
struct Sweep {
    bool on = false;
    long from = 0, every = 1;
    long same = 0, refused = 0;
    std::string wrong, out, error;
    int status = 0;
} sweep;
constexpr unsigned longestAnswer = 60;  ///< seconds

std::string contentOf(const std::string& file) {
    std::string content;
    if (FILE* in = std::fopen(file.c_str(), "r")) {
        char part[4096];
        for (size_t size; (size = std::fread(part, 1, sizeof part, in)) > 0;) content.append(part, size);
        std::fclose(in);
    }
    return content;
}

std::string besideRight(const char* ending) { return std::string(std::getenv("FAIL_RIGHT")) + ending; }

/// Whether this is the child, in which the call fails.
bool failsInChild(Kind kind, long call) {
    counting = false;
    const std::string out = besideRight(".child.out"), error = besideRight(".child.err");
    const pid_t child = ::fork();
    if (child == 0) {
        for (const auto& [file, stream] : {std::pair(&out, STDOUT_FILENO), std::pair(&error, STDERR_FILENO)}) {
            const int to = ::creat(file->c_str(), 0600);
            if (to < 0 || ::dup2(to, stream) < 0) std::abort();
            ::close(to);
        }
        ::alarm(longestAnswer);
        ::unsetenv("FAIL_COUNTS");
        sweep.on = false;
        counting = true;
        return true;
    }
    int ended = 0;
    if (child < 0 || ::waitpid(child, &ended, 0) != child) std::abort();
    const std::string said = contentOf(out), complaint = contentOf(error);
    const int status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -WTERMSIG(ended);
    if (status == sweep.status && said == sweep.out && complaint == sweep.error) ++sweep.same;
    else if (status == 1 && !complaint.empty() && complaint.size() < 4000) ++sweep.refused;
    else
        sweep.wrong += std::string("wrong:") + names[kind] + " " + std::to_string(call) + ", status " +
                       std::to_string(status) + ": " + complaint.substr(0, complaint.find('\n')) + "\n";
    counting = true;
    return false;
}

/// Whether this call is the one that fails.
bool fails(Kind kind) {
    if (!counting) return false;
    const long call = ++counts[kind];
    if (failing != kind) return false;
    return sweep.on ? call % sweep.every == sweep.from && failsInChild(kind, call) : call == failingAt;
}

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void begin() {
    if (counting || std::strcmp(program_invocation_short_name, "shardlab") != 0) return;
    if (const char* said = std::getenv("FAIL_CALL")) {
        char name[16] = "";
        sweep.on =
            std::sscanf(said, "%15s all %ld %ld", name, &sweep.from, &sweep.every) > 0 && std::strstr(said, " all");
        if (sweep.on) {
            sweep.out = contentOf(besideRight(".out"));
            sweep.error = contentOf(besideRight(".err"));
            sweep.status = std::atoi(std::getenv("FAIL_STATUS"));
        }
        if (sweep.on || std::sscanf(said, "%15s %ld", name, &failingAt) == 2)
            for (int kind = 0; kind < kinds; ++kind)
                if (std::strcmp(names[kind], name) == 0) failing = kind;
    }
    counting = true;
}

__attribute__((destructor)) void tell() {
    const bool counted = counting.exchange(false);
    const char* file = std::getenv("FAIL_COUNTS");
    if (!counted || file == nullptr) return;
    if (FILE* out = std::fopen(file, "w")) {
        for (int kind = 0; kind < kinds; ++kind) std::fprintf(out, "%s %ld\n", names[kind], counts[kind].load());
        if (sweep.on) std::fprintf(out, "same %ld\nrefused %ld\n%s", sweep.same, sweep.refused, sweep.wrong.c_str());
        std::fclose(out);
    }
}

}  // namespace

extern "C" {

// What the program does first: it gives signals their meaning.
void (*signal(int number, void (*action)(int)))(int) {
    begin();
    return next<void (*(int, void (*)(int)))(int)>("signal")(number, action);
}

void* malloc(size_t size) {
    if (!fails(Malloc)) return __libc_malloc(size);
    errno = ENOMEM;
    return nullptr;
}
void* calloc(size_t count, size_t size) {
    if (!fails(Malloc)) return __libc_calloc(count, size);
    errno = ENOMEM;
    return nullptr;
}
void* realloc(void* old, size_t size) {
    if (!fails(Malloc)) return __libc_realloc(old, size);
    errno = ENOMEM;
    return nullptr;
}
void* aligned_alloc(size_t alignment, size_t size) {
    if (!fails(Malloc)) return __libc_memalign(alignment, size);
    errno = ENOMEM;
    return nullptr;
}

int open(const char* file, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (!fails(Open)) return next<int(const char*, int, ...)>("open")(file, flags, mode);
    errno = EMFILE;
    return -1;
}
FILE* fopen(const char* file, const char* mode) {
    if (!fails(Open)) return next<FILE*(const char*, const char*)>("fopen")(file, mode);
    errno = EMFILE;
    return nullptr;
}
FILE* fopen64(const char* file, const char* mode) {
    if (!fails(Open)) return next<FILE*(const char*, const char*)>("fopen64")(file, mode);
    errno = EMFILE;
    return nullptr;
}
DIR* opendir(const char* folder) {
    if (!fails(Open)) return next<DIR*(const char*)>("opendir")(folder);
    errno = EMFILE;
    return nullptr;
}

ssize_t read(int file, void* bytes, size_t count) {
    if (!fails(Read)) return next<ssize_t(int, void*, size_t)>("read")(file, bytes, count);
    errno = EIO;
    return -1;
}
ssize_t pread(int file, void* bytes, size_t count, off_t at) {
    if (!fails(Read)) return next<ssize_t(int, void*, size_t, off_t)>("pread")(file, bytes, count, at);
    errno = EIO;
    return -1;
}

void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
    if (!fails(Map))
        return next<void*(void*, size_t, int, int, int, off_t)>("mmap")(at, size, protection, flags, file, offset);
    errno = ENOMEM;
    return MAP_FAILED;
}
}
