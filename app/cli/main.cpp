// SPDX-License-Identifier: Apache-2.0
// shardlab: the command line, a file for each verb (verbs.h). Without arguments it opens the desktop.
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/standard_streams.h"
#include "engine/launch/job/process.h"

#include <cerrno>
#include <cstring>
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
    CLI::App program(
        "Shardlab: design a parallel layout for training, run it for real, watch it, replay it, learn from it.\n"
        "Without arguments it opens the desktop.",
        "shardlab");
    program.set_version_flag("--version", "shardlab " SHARDLAB_VERSION);
    program.set_help_flag("-h,--help", "Print this help and exit");
    program.require_subcommand(1);
    program.get_formatter()->column_width(34);
    program.footer("Exit status: 0 success, 1 failure, 2 wrong use. shardlab VERB --help tells more.");

    cli::Action chosen;
    cli::addPlan(program, chosen);
    cli::addSearch(program, chosen);
    cli::addPartition(program, chosen);
    cli::addSchedule(program, chosen);
    cli::addRun(program, chosen);
    cli::addResize(program, chosen);
    cli::addFault(program, chosen);
    cli::addCheckpoint(program, chosen);
    cli::addExportWeights(program, chosen);
    cli::addProfile(program, chosen);
    cli::addWatch(program, chosen);
    cli::addListen(program, chosen);
    cli::addInfo(program, chosen);
    cli::addQuery(program, chosen);
    cli::addCompare(program, chosen);
    cli::addExport(program, chosen);
    cli::addImport(program, chosen);
    cli::addLearn(program, chosen);
    cli::addLayouts(program, chosen);
    cli::addDevices(program, chosen);
    cli::addDoctor(program, chosen);
    cli::addHelp(program, chosen);
    std::string verbs;
    bool known = argv[1][0] == '-';
    for (const CLI::App* verb : program.get_subcommands({})) {
        known = known || verb->check_name(argv[1]);
        verbs += (verbs.empty() ? "" : ", ") + verb->get_name();
    }
    if (!known) {
        cli::printError({"there is no such verb", argv[1], {}, "Legal: " + verbs});
        return cli::wrongUse;
    }
    try {
        program.parse(argc, argv);
        return chosen();
    } catch (const CLI::ParseError& wrong) {
        return program.exit(wrong) == 0 ? cli::success : cli::wrongUse;
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
