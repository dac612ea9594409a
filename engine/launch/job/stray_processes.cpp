// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/stray_processes.h"

#include "engine/base/file.h"
#include "engine/base/parse_text.h"
#include "engine/launch/job/mpirun.h"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace shardlab::launch {

namespace {

/// What stands between the words of a command line: of the process itself, or of the line that it hands to a shell.
constexpr std::string_view betweenWords{"\0 \"'", 4};

/// Whether the command line has the word `key` and then the word `folder`, or with `inside` something that lies in it.
bool says(std::string_view arguments, std::string_view key, std::string_view folder, bool inside) {
    for (std::size_t at = arguments.find(folder); at != std::string_view::npos; at = arguments.find(folder, at + 1)) {
        const std::string_view behind = arguments.substr(at + folder.size());
        const bool whole = behind.empty() || betweenWords.find(behind.front()) != std::string_view::npos ||
                           (inside && behind.front() == '/');
        const std::size_t end = at == 0 ? std::string_view::npos : arguments.find_last_not_of(betweenWords, at - 1);
        if (whole && end != std::string_view::npos && end + 1 < at && arguments.substr(0, end + 1).ends_with(key))
            return true;
    }
    return false;
}

std::vector<int> processesWith(std::string_view key, const std::filesystem::path& folder, bool inside) {
    std::vector<int> found;
    std::error_code failed;
    for (std::filesystem::directory_iterator entry("/proc", failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const auto process = parseNumber<int>(entry->path().filename().string());
        if (!process || *process == getpid()) continue;
        struct stat data {};
        if (stat(entry->path().c_str(), &data) != 0 || data.st_uid != geteuid()) continue;
        // A process that ends meanwhile has no arguments.
        if (says(readFile(entry->path() / "cmdline").value_or(""), key, folder.native(), inside))
            found.push_back(*process);
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

int killJob(const std::filesystem::path& ranks, const std::filesystem::path& sessions,
            std::chrono::nanoseconds patience) {
    std::size_t most = 0;
    for (const auto giveUp = std::chrono::steady_clock::now() + patience;;) {
        std::vector<int> left = processesOfJob(ranks);
        std::ranges::copy(daemonsOfJob(sessions), std::back_inserter(left));
        if (left.empty() || std::chrono::steady_clock::now() >= giveUp) return static_cast<int>(most);
        most = std::max(most, left.size());
        killProcesses(left);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

}  // namespace shardlab::launch
