// SPDX-License-Identifier: Apache-2.0
// shardlab: the command line, a file for each verb (verbs.h). Without arguments it opens the desktop.
#include "app/cli/print.h"
#include "app/cli/verbs.h"
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

}  // namespace

int main(int argc, char** argv) {
    if (argc == 1) return openDesktop();

    CLI::App program("Shardlab: design a parallel layout for training, run it for real, watch it, replay it, learn from it.\n"
                     "Without arguments it opens the desktop.",
                     "shardlab");
    program.set_version_flag("--version", "shardlab " SHARDLAB_VERSION);
    program.set_help_flag("-h,--help", "Print this help and exit");
    program.require_subcommand(1);
    program.get_formatter()->column_width(34);
    program.footer("Exit status: 0 success, 1 failure, 2 wrong use. shardlab VERB --help tells more.");

    shardlab::cli::Action chosen;
    shardlab::cli::addPlan(program, chosen);
    shardlab::cli::addSearch(program, chosen);
    shardlab::cli::addPartition(program, chosen);
    shardlab::cli::addSchedule(program, chosen);
    shardlab::cli::addRun(program, chosen);
    shardlab::cli::addResize(program, chosen);
    shardlab::cli::addFault(program, chosen);
    shardlab::cli::addCheckpoint(program, chosen);
    shardlab::cli::addExportWeights(program, chosen);
    shardlab::cli::addProfile(program, chosen);
    shardlab::cli::addWatch(program, chosen);
    shardlab::cli::addListen(program, chosen);
    shardlab::cli::addInfo(program, chosen);
    shardlab::cli::addQuery(program, chosen);
    shardlab::cli::addCompare(program, chosen);
    shardlab::cli::addExport(program, chosen);
    shardlab::cli::addImport(program, chosen);
    shardlab::cli::addLearn(program, chosen);
    shardlab::cli::addLayouts(program, chosen);
    shardlab::cli::addDevices(program, chosen);
    shardlab::cli::addDoctor(program, chosen);
    shardlab::cli::addHelp(program, chosen);
    std::string verbs;
    bool known = argv[1][0] == '-';
    for (const CLI::App* verb : program.get_subcommands({})) {
        known = known || verb->check_name(argv[1]);
        verbs += (verbs.empty() ? "" : ", ") + verb->get_name();
    }
    if (!known) {
        shardlab::cli::printError({"there is no such verb", argv[1], {}, "Legal: " + verbs});
        return shardlab::cli::wrongUse;
    }
    try {
        program.parse(argc, argv);
        return chosen();
    } catch (const CLI::ParseError& wrong) {
        return program.exit(wrong) == 0 ? shardlab::cli::success : shardlab::cli::wrongUse;
    } catch (const std::exception& problem) {
        shardlab::cli::printError({problem.what(), {}, {}, {}});
        return shardlab::cli::failure;
    }
}
