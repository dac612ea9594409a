// SPDX-License-Identifier: Apache-2.0
// shardlab: the command line, a file for each verb (verbs.h). Without arguments it opens the desktop.
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/standard_streams.h"
#include "engine/launch/job/process.h"
#include "engine/layout/suggest.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/ranges.h>
#include <exception>
#include <new>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace {

using namespace shardlab::cli;

/// Becomes the desktop program; returns only where that is not possible.
int openDesktop() {
    std::string program = (programFolder() / "shardlab-desktop").string();
    char* const argv[] = {program.data(), nullptr};
    execv(program.c_str(), argv);
    printError({"cannot open the desktop", program, std::strerror(errno),
                "build it: ninja -C build shardlab-desktop; shardlab --help lists what works without it"});
    return failure;
}

/// Whether an allocation has failed. What is called without memory reaches nothing but globals.
std::atomic<bool> memoryFailed = false;

[[noreturn]] void noteFailure() {
    memoryFailed = true;
    throw std::bad_alloc();
}

/// Where an allocation fails in a place from which nothing may be thrown, of the standard library or of the JSON
/// library's destructors; which exception it was cannot always be asked then.
[[noreturn]] void endWithoutMemory() {
    if (memoryFailed) {
        constexpr std::string_view said = "shardlab: no memory is left\n";
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, said.data(), said.size());
        ::_exit(failure);
    }
    __gnu_cxx::__verbose_terminate_handler();  // our own bug
    std::abort();
}

int carryOut(int argc, char** argv) {
    CommandLine line(
        "Shardlab: design a parallel layout for training, run it for real, watch it, replay it, learn from it.\n"
        "Without arguments it opens the desktop.",
        "shardlab");
    addPlan(line);
    addSearch(line);
    addValidate(line);
    addPartition(line);
    addSchedule(line);
    addSamples(line);
    addRun(line);
    addResize(line);
    addFault(line);
    addCheckpoint(line);
    addExportWeights(line);
    addProfile(line);
    addWatch(line);
    addListen(line);
    addInfo(line);
    addQuery(line);
    addCompare(line);
    addExport(line);
    addImport(line);
    addLearn(line);
    addLayouts(line);
    addDevices(line);
    addDoctor(line);
    addHelp(line);
    if (argv[1][0] != '-' && !line.help(argv[1])) {
        const std::vector<std::string> verbs = line.verbs();
        printError({say("there is no such verb"), argv[1], {}, legalWords(argv[1], {verbs.begin(), verbs.end()})});
        return wrongUse;
    }
    try {
        int status = success;
        const std::optional<shardlab::cli::Action> chosen = line.read(argc, argv, status);
        return chosen ? (*chosen)() : status;
    } catch (const std::exception& problem) {
        return failWith({problem.what(), {}, {}, {}});
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::set_new_handler(noteFailure);
    std::set_terminate(endWithoutMemory);
    const StandardStreams streams;
    try {
        return streams.finish(argc == 1 ? openDesktop() : carryOut(argc, argv), "shardlab");
    } catch (const std::exception& problem) {  // where not even a message could be made
        std::fprintf(stderr, "shardlab: %s\n", problem.what());
        return failure;
    }
}
