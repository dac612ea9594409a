// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/stray_processes.h"

#include "engine/base/file.h"
#include "engine/base/parse_text.h"
#include "engine/launch/job/mpirun.h"

#include <algorithm>
#include <csignal>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace shardlab::launch {

namespace {

/// The processes that have the argument `key` and then `folder`, or with `inside` something that lies in it.
std::vector<int> processesWith(const std::string& key, const std::filesystem::path& folder, bool inside) {
    std::vector<int> found;
    const std::string wanted = key + '\0' + folder.string();
    std::error_code failed;
    for (std::filesystem::directory_iterator entry("/proc", failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const auto process = parseNumber<int>(entry->path().filename().string());
        if (!process || *process == getpid()) continue;
        struct stat data {};
        if (stat(entry->path().c_str(), &data) != 0 || data.st_uid != geteuid()) continue;
        // A process that ends meanwhile has no arguments.
        const std::string arguments = readFile(entry->path() / "cmdline").value_or("");
        for (std::size_t at = arguments.find(wanted); at != std::string::npos; at = arguments.find(wanted, at + 1)) {
            const char next = at + wanted.size() < arguments.size() ? arguments[at + wanted.size()] : '\0';
            if (next != '\0' && !(inside && next == '/')) continue;
            found.push_back(*process);
            break;
        }
    }
    return found;
}

}  // namespace

std::vector<int> processesOfJob(const std::filesystem::path& folder) { return processesWith("--folder", folder, true); }

std::vector<int> daemonsOfJob(const std::filesystem::path& folder) {
    std::vector<int> found;
    for (const char* parameter : sessionFolderParameters)
        for (const int process : processesWith(parameter, folder, false))
            if (std::ranges::find(found, process) == found.end()) found.push_back(process);
    return found;
}

bool isStopped(int process) {
    const std::string content = readFile("/proc/" + std::to_string(process) + "/stat").value_or("");
    const std::size_t bracket = content.rfind(')');  // the program's name before it may hold anything
    return bracket != std::string::npos && content.compare(bracket, 3, ") T") == 0;
}

std::vector<int> StoppedProcesses::look(std::vector<int> processes) {
    std::erase_if(processes, [](int process) { return !isStopped(process); });
    std::vector<int> found;
    for (const int process : processes)
        if (std::ranges::find(known_, process) == known_.end()) found.push_back(process);
    known_ = std::move(processes);
    return found;
}

void killProcesses(const std::vector<int>& processes) {
    for (int process : processes) kill(process, SIGKILL);
}

}  // namespace shardlab::launch
