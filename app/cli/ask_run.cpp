// SPDX-License-Identifier: Apache-2.0
#include "app/cli/ask_run.h"

#include "engine/trace/run_file/run_file.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace shardlab::cli {
namespace {

constexpr std::chrono::seconds patience{30};

}  // namespace

Result<Layout> layoutOfGoingRun(const std::string& runFile, const std::string& what) {
    const auto reader = RunReader::open(runFile);
    if (!reader) return fail(reader.error());
    if (const std::string& outcome = (*reader)->end().outcome; !outcome.empty())
        return fail({what, runFile, "it has ended: " + outcome, "a run that goes on"});
    return (*reader)->header().layout;
}

Status askRun(const std::string& runFile, const RunRequest& request, const std::string& what) {
    struct stat run {};
    if (::stat(runFile.c_str(), &run) == 0 && ::geteuid() != 0 && ::geteuid() != run.st_uid)
        return fail({what, runFile, fmt::format("it is a run of another user, of number {}", run.st_uid),
                     "its own user, or root"});
    if (const Status asked = writeRunRequest(runFile, request); !asked) return asked;
    const auto until = std::chrono::steady_clock::now() + patience;
    std::error_code ignored;
    while (std::filesystem::exists(runRequestFile(runFile), ignored)) {
        if (std::chrono::steady_clock::now() > until) {
            std::filesystem::remove(runRequestFile(runFile), ignored);
            return fail({what, runFile, fmt::format("nobody took what was asked within {} s", patience.count()),
                         "a run that goes on, and records into this file"});
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return {};
}

}  // namespace shardlab::cli
