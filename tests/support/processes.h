// SPDX-License-Identifier: Apache-2.0
// What the kernel says of other processes.
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

}  // namespace shardlab::test
