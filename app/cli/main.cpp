// SPDX-License-Identifier: Apache-2.0
// shardlab: the command line, a file for each verb (verbs.h). Without arguments it opens the desktop.
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/standard_streams.h"
#include "engine/launch/job/process.h"

#include <cerrno>
#include <cstring>
#include <fmt/ranges.h>
#include <optional>
#include <unistd.h>

namespace {

using namespace shardlab;

/// Becomes the desktop program; returns only where that is not possible.
int openDesktop() {
    std::string program = (programFolder() / "shardlab-desktop").string();
    char* const argv[] = {program.data(), nullptr};
    execv(program.c_str(), argv);
    cli::printError({"cannot open the desktop", program, std::strerror(errno),
                     "build it: ninja -C build shardlab-desktop; shardlab --help lists what works without it"});
    return cli::failure;
}

int carryOut(int argc, char** argv) {
    cli::CommandLine line(
        "Shardlab: design a parallel layout for training, run it for real, watch it, replay it, learn from it.\n"
        "Without arguments it opens the desktop.",
        "shardlab");
    cli::addPlan(line);
    cli::addSearch(line);
    cli::addPartition(line);
    cli::addSchedule(line);
    cli::addRun(line);
    cli::addResize(line);
    cli::addFault(line);
    cli::addCheckpoint(line);
    cli::addExportWeights(line);
    cli::addProfile(line);
    cli::addWatch(line);
    cli::addListen(line);
    cli::addInfo(line);
    cli::addQuery(line);
    cli::addCompare(line);
    cli::addExport(line);
    cli::addImport(line);
    cli::addLearn(line);
    cli::addLayouts(line);
    cli::addDevices(line);
    cli::addDoctor(line);
    cli::addHelp(line);
    if (argv[1][0] != '-' && !line.help(argv[1])) {
        cli::printError(
            {"there is no such verb", argv[1], {}, fmt::format("Legal: {}", fmt::join(line.verbs(), ", "))});
        return cli::wrongUse;
    }
    try {
        int status = cli::success;
        const std::optional<cli::Action> chosen = line.read(argc, argv, status);
        return chosen ? (*chosen)() : status;
    } catch (const std::exception& problem) {
        cli::printError({problem.what(), {}, {}, {}});
        return cli::failure;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const StandardStreams streams;
    return streams.finish(argc == 1 ? openDesktop() : carryOut(argc, argv), "shardlab");
}
