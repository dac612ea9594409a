// SPDX-License-Identifier: Apache-2.0
// A child process in a group of its own, whose output is read line by line.
#pragma once

#include "engine/base/result.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlab::launch {

struct ProcessSpec {
    std::filesystem::path program;
    std::vector<std::string> arguments;                            ///< without the program's name
    std::vector<std::pair<std::string, std::string>> environment;  ///< added to this process's own
    std::string input;                                             ///< its standard input, at most 32 KiB; then its end
    /// In a network that nobody outside can reach (private_network.h), which must be allowed.
    bool privateNetwork = false;
    int orphaned = SIGTERM;  ///< the signal that the kernel sends it when the thread that started it ends
};

struct ExitStatus {
    bool signalled = false;
    int code = 0;  ///< signal number or exit code

    bool success() const { return !signalled && code == 0; }
    /// "exit code 3" or "SIGKILL".
    std::string text() const;
};

/// "SIGKILL" for 9.
std::string signalName(int number);

struct OutputLine {
    bool error = false;  ///< from standard error
    std::string text;    ///< without the line's end
};

class Process {
public:
    /// The kernel sends the child ProcessSpec::orphaned when the calling thread ends, so call this from a thread that
    /// lives as long as the child may. Errors: the program cannot be executed, or has too much input.
    static Result<Process> start(const ProcessSpec& spec);
    Process(Process&& other) noexcept;
    Process& operator=(Process&&) = delete;
    /// Where the child still runs, kills its group and reaps it.
    ~Process();

    int pid() const { return pid_; }
    /// Waits at most `milliseconds` for output (0: not at all) and returns the whole lines read.
    std::vector<OutputLine> read(int milliseconds);
    /// What is left after the child's end, the last unfinished line included.
    std::vector<OutputLine> readRest();
    /// None while the child runs; never waits.
    std::optional<ExitStatus> exitStatus();
    /// Signals the whole group; nothing happens once the child was reaped.
    void signal(int number) const;

private:
    struct Stream {
        int descriptor = -1;
        std::string rest;  ///< a line that has begun and not yet ended
    };
    Process(int pid, int output, int error);
    bool readStream(int index, std::vector<OutputLine>& lines);

    int pid_ = -1;
    Stream streams_[2];
    std::optional<ExitStatus> status_;
};

/// What a program prints, line by line, until it ends or `patience` is over, when it is killed; empty where it cannot
/// be started. Standard error is among it.
std::vector<std::string> linesOf(const ProcessSpec& spec, std::chrono::milliseconds patience);

/// The program of that name in PATH; nothing where there is none.
std::optional<std::filesystem::path> findInPath(std::string_view name);
/// This program's own folder.
std::filesystem::path programFolder();

}  // namespace shardlab::launch
