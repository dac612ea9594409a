// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/stray_processes.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace shardlab {

std::vector<int> processesOfJob(const std::filesystem::path& folder) {
    std::vector<int> found;
    std::string wanted("--folder");
    wanted.append(1, '\0').append(folder.string()).append(1, '\0');
    std::error_code failed;
    for (std::filesystem::directory_iterator entry("/proc", failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::string name = entry->path().filename().string();
        int process = 0;
        const auto [last, error] = std::from_chars(name.data(), name.data() + name.size(), process);
        if (error != std::errc{} || last != name.data() + name.size() || process == getpid()) continue;
        struct stat data {};
        if (stat(entry->path().c_str(), &data) != 0 || data.st_uid != geteuid()) continue;
        std::ifstream file(entry->path() / "cmdline", std::ios::binary);
        const std::string arguments{std::istreambuf_iterator<char>(file), {}};
        if (arguments.find(wanted) != std::string::npos) found.push_back(process);
    }
    return found;
}

bool isStopped(int process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    const std::size_t bracket = content.rfind(')');  // the program's name before it may hold anything
    return bracket != std::string::npos && content.compare(bracket, 3, ") T") == 0;
}

void killProcesses(const std::vector<int>& processes) {
    for (int process : processes) kill(process, SIGKILL);
}

}  // namespace shardlab
