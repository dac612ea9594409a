// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/process.h"

#include "engine/base/parse_text.h"
#include "engine/base/standard_streams.h"
#include "engine/launch/job/private_network.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardlab::launch {

namespace {

constexpr std::size_t longestLine = 16 * 1024;
constexpr std::size_t mostInput = 32 * 1024;  ///< what a pipe holds without a reader

/// Both ends close on exec and on leaving the scope.
class Pipe {
public:
    Pipe() {
        if (pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
    }
    ~Pipe() {
        closeEnd(0);
        closeEnd(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    bool valid() const { return ends_[0] >= 0; }
    int readEnd() const { return ends_[0]; }
    int writeEnd() const { return ends_[1]; }
    int takeReadEnd() { return std::exchange(ends_[0], -1); }
    void closeEnd(int index) {
        if (ends_[index] >= 0) close(ends_[index]);
        ends_[index] = -1;
    }

private:
    int ends_[2];
};

std::vector<std::string> childEnvironment(const ProcessSpec& spec) {
    std::vector<std::string> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable(*entry);
        const std::string_view key = variable.substr(0, variable.find('='));
        const bool replaced = std::any_of(spec.environment.begin(), spec.environment.end(),
                                          [&](const auto& added) { return added.first == key; });
        if (!replaced) variables.emplace_back(variable);
    }
    for (const auto& [key, value] : spec.environment) variables.push_back(key + "=" + value);
    return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

/// Between fork and exec only calls that are safe in a child of a threaded process.
[[noreturn]] void becomeChild(const char* program, char* const* argv, char* const* environment, int input, int output,
                              int error, int failure, pid_t launcher, const ProcessSpec& spec) {
    setpgid(0, 0);
    if (const int reason = spec.privateNetwork ? enterPrivateNetwork() : 0; reason != 0) {
        [[maybe_unused]] const ssize_t written = write(failure, &reason, sizeof reason);
        _exit(127);
    }
    prctl(PR_SET_PDEATHSIG, spec.orphaned);
    if (getppid() != launcher) _exit(127);  // the launcher died before prctl
    dup2(input >= 0 ? input : open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    for (int number : {SIGINT, SIGTERM, SIGPIPE, SIGQUIT, SIGCHLD}) ::signal(number, SIG_DFL);
    sigset_t blocked;
    sigemptyset(&blocked);
    // Under nohup a hangup must end nothing; mpirun handles it whatever it finds, so that it is kept from it
    // altogether.
    if (ignoresSignal(SIGHUP)) sigaddset(&blocked, SIGHUP);
    sigprocmask(SIG_SETMASK, &blocked, nullptr);
    execve(program, argv, environment);
    const int reason = errno;
    [[maybe_unused]] const ssize_t written = write(failure, &reason, sizeof reason);
    _exit(127);
}

}  // namespace

std::string signalName(int number) {
    const char* name = sigabbrev_np(number);
    return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(number);
}

std::string ExitStatus::text() const { return signalled ? signalName(code) : "exit code " + std::to_string(code); }

Result<Process> Process::start(const ProcessSpec& spec) {
    const auto cannot = [&](int reason) {
        return fail(Error{say("cannot start"), spec.program.string(), systemReason(reason), {}});
    };
    Pipe input, output, error, failure;
    if (!input.valid() || !output.valid() || !error.valid() || !failure.valid()) return cannot(errno);
    if (spec.input.size() > mostInput) return cannot(E2BIG);
    if (!spec.input.empty() && ::write(input.writeEnd(), spec.input.data(), spec.input.size()) < 0)
        return cannot(errno);

    std::vector<std::string> arguments{spec.program.string()};
    arguments.insert(arguments.end(), spec.arguments.begin(), spec.arguments.end());
    std::vector<std::string> variables = childEnvironment(spec);
    const std::vector<char*> argv = pointers(arguments);
    const std::vector<char*> environment = pointers(variables);

    const pid_t launcher = getpid();
    const pid_t child = fork();
    if (child < 0) return cannot(errno);
    if (child == 0)
        becomeChild(argv[0], argv.data(), environment.data(), spec.input.empty() ? -1 : input.readEnd(),
                    output.writeEnd(), error.writeEnd(), failure.writeEnd(), launcher, spec);
    setpgid(child, child);  // here too: whoever comes first
    failure.closeEnd(1);
    int reason = 0;
    ssize_t got = 0;
    do {
        got = ::read(failure.readEnd(), &reason, sizeof reason);
    } while (got < 0 && errno == EINTR);
    if (got == sizeof reason) {
        waitpid(child, nullptr, 0);
        return cannot(reason);
    }
    return Process(child, output.takeReadEnd(), error.takeReadEnd());
}

Process::Process(int pid, int output, int error) : pid_(pid), streams_{{output, {}}, {error, {}}} {
    for (const Stream& stream : streams_) fcntl(stream.descriptor, F_SETFL, O_NONBLOCK);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), streams_{std::exchange(other.streams_[0], Stream{}),
                                                    std::exchange(other.streams_[1], Stream{})},
      status_(other.status_) {}

Process::~Process() {
    if (pid_ > 0 && !status_) {
        signal(SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    for (const Stream& stream : streams_)
        if (stream.descriptor >= 0) close(stream.descriptor);
}

bool Process::readStream(int index, std::vector<OutputLine>& lines) {
    Stream& stream = streams_[index];
    if (stream.descriptor < 0) return false;
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(stream.descriptor, buffer.data(), buffer.size());
    if (got == 0) {
        close(stream.descriptor);
        stream.descriptor = -1;
    }
    if (got <= 0) return false;
    for (const char* c = buffer.data(); c != buffer.data() + got; ++c) {
        if (*c != '\n') stream.rest.push_back(*c);
        if (*c == '\n' || stream.rest.size() == longestLine)
            lines.push_back({index == 1, std::exchange(stream.rest, {})});
    }
    return true;
}

std::vector<OutputLine> Process::read(int milliseconds) {
    std::vector<OutputLine> lines;
    pollfd waiting[2] = {{streams_[0].descriptor, POLLIN, 0}, {streams_[1].descriptor, POLLIN, 0}};
    if (poll(waiting, 2, milliseconds) <= 0) return lines;
    for (int index : {0, 1})
        for (int chunk = 0; chunk < 16 && readStream(index, lines); ++chunk) {}
    return lines;
}

std::vector<OutputLine> Process::readRest() {
    std::vector<OutputLine> lines;
    for (int index : {0, 1}) {
        while (readStream(index, lines)) {}
        if (!streams_[index].rest.empty()) lines.push_back({index == 1, std::exchange(streams_[index].rest, {})});
    }
    return lines;
}

std::optional<ExitStatus> Process::exitStatus() {
    if (status_ || pid_ <= 0) return status_;
    int word = 0;
    const pid_t ended = waitpid(pid_, &word, WNOHANG);
    // Where SIGCHLD is ignored, as a parent may have left it, the kernel forgets children: only that it ended is known.
    if (ended < 0 && errno == ECHILD) return status_ = ExitStatus{};
    if (ended != pid_) return std::nullopt;
    status_ = WIFSIGNALED(word) ? ExitStatus{true, WTERMSIG(word)} : ExitStatus{false, WEXITSTATUS(word)};
    return status_;
}

void Process::signal(int number) const {
    if (pid_ > 0 && !status_) ::kill(-pid_, number);
}

std::vector<std::string> linesOf(const ProcessSpec& spec, std::chrono::milliseconds patience) {
    Result<Process> process = Process::start(spec);
    if (!process) return {};
    std::vector<std::string> lines;
    const auto take = [&](std::vector<OutputLine> read) {
        for (OutputLine& line : read) lines.push_back(std::move(line.text));
    };
    const auto giveUp = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < giveUp && !process->exitStatus()) take(process->read(50));
    take(process->readRest());
    return lines;
}

std::optional<std::filesystem::path> findInPath(std::string_view name) {
    const char* path = std::getenv("PATH");
    std::string_view folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
    while (!folders.empty()) {
        const std::filesystem::path candidate = std::filesystem::path(takePart(folders, ':')) / name;
        std::error_code ignored;
        if (std::filesystem::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return std::nullopt;
}

std::filesystem::path programFolder() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

}  // namespace shardlab::launch
