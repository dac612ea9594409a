// SPDX-License-Identifier: Apache-2.0
// What the kernel says of other processes, and of the machine.
#pragma once

#include "engine/base/file.h"
#include "tests/support/wings.h"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace shardlab::test {

struct ProcessState {
    char state = 'X';  ///< as in /proc/PID/stat; X where it is gone
    int parent = -1;
};

inline ProcessState stateOf(int process) {
    const std::string content = readFile("/proc/" + std::to_string(process) + "/stat").value_or("");
    ProcessState found;
    if (const std::size_t bracket = content.rfind(')'); bracket != std::string::npos)
        std::sscanf(content.c_str() + bracket + 1, " %c %d", &found.state, &found.parent);
    return found;
}

/// Neither gone nor a zombie that its parent has yet to reap.
inline bool running(int process) {
    const char state = stateOf(process).state;
    return state != 'X' && state != 'Z';
}

inline std::vector<int> childrenOf(int process) {
    std::vector<int> children;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename().string();
        int child = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), child);
        if (error == std::errc{} && end == name.data() + name.size() && stateOf(child).parent == process)
            children.push_back(child);
    }
    return children;
}

/// How long somebody waited for processor, disk and memory lately (/proc/pressure), and what each process of Shardlab,
/// Open MPI and Slurm is doing: for the message of a test that has waited in vain.
inline std::string machineState() {
    std::string told;
    for (const char* what : {"cpu", "io", "memory"})
        told += "\n" + std::string(what) + ": " + readFile("/proc/pressure/" + std::string(what)).value_or("not known");
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const auto said = [&](const char* file) { return readFile(entry.path() / file).value_or(""); };
        const std::string name = said("comm");
        if (const bool ours = name.starts_with("shardlab") || name.starts_with("mpirun") || name.starts_with("orted") ||
                              name.starts_with("prte") || name.starts_with("slurm");
            !ours || entry.path().filename().string().find_first_not_of("0123456789") != std::string::npos)
            continue;
        const ProcessState state = stateOf(std::stoi(entry.path().filename()));
        told += "\n" + entry.path().filename().string() + " of " + std::to_string(state.parent) + " " + state.state +
                " " + said("wchan") + " " + name;
    }
    return told + "\n";
}

}  // namespace shardlab::test
