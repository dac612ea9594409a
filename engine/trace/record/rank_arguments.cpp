// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/rank_arguments.h"

#include "engine/base/parse_text.h"

#include <cmath>
#include <fmt/format.h>

namespace shardlab::trace {

namespace {

Error wrongArgument(const std::string& argument, const std::string& why) {
    return Error{"wrong argument of shardlab-rank", argument, why, "it is started by shardlab, not by hand"};
}

}  // namespace

std::filesystem::path RankArguments::attemptFolder(const std::filesystem::path& jobFolder, int restart) {
    return restart == 0 ? jobFolder : jobFolder / ("restart-" + std::to_string(restart));
}

std::filesystem::path RankArguments::statusFile(int rank) const { return folder / (std::to_string(rank) + ".status"); }

std::filesystem::path RankArguments::flightFile(int rank) const { return folder / (std::to_string(rank) + ".flight"); }

std::filesystem::path RankArguments::spoolFile(int rank) const { return folder / (std::to_string(rank) + ".spool"); }

std::vector<std::string> toArgv(const RankArguments& arguments) {
    std::vector<std::string> argv{
        "--layout",       arguments.layout.string(),
        "--folder",       arguments.folder.string(),
        "--socket",       arguments.socket,
        "--token",        arguments.token,
        "--clock-origin", std::to_string(arguments.clockOrigin),
        "--threads",      std::to_string(arguments.threads),
    };
    if (arguments.stretch != 1) argv.insert(argv.end(), {"--stretch", fmt::format("{}", arguments.stretch)});
    if (!arguments.checkpoints.empty()) argv.insert(argv.end(), {"--checkpoints", arguments.checkpoints.string()});
    if (!arguments.resume.empty()) argv.insert(argv.end(), {"--resume", arguments.resume.string()});
    if (arguments.oversubscribed) argv.emplace_back("--oversubscribed");
    for (const InjectedFault& fault : arguments.faults) argv.insert(argv.end(), {"--fault", toText(fault)});
    if (arguments.operationsEvery > 0)
        argv.insert(argv.end(), {"--operations", std::to_string(arguments.operationsEvery)});
    if (!arguments.profile.empty()) argv.insert(argv.end(), {"--profile", arguments.profile.string()});
    return argv;
}

Result<RankArguments> parseRankArguments(const std::vector<std::string>& argv) {
    RankArguments parsed;
    for (std::size_t i = 0; i < argv.size(); ++i) {
        const std::string& key = argv[i];
        if (key == "--oversubscribed") {
            parsed.oversubscribed = true;
            continue;
        }
        if (key != "--layout" && key != "--stretch" && key != "--folder" && key != "--socket" && key != "--token" &&
            key != "--clock-origin" && key != "--threads" && key != "--profile" && key != "--checkpoints" &&
            key != "--resume" && key != "--fault" && key != "--operations")
            return fail(wrongArgument(key, "no such argument"));
        if (i + 1 == argv.size()) return fail(wrongArgument(key, "its value is missing"));
        const std::string& value = argv[++i];
        if (key == "--layout") parsed.layout = value;
        if (key == "--folder") parsed.folder = value;
        if (key == "--socket") parsed.socket = value;
        if (key == "--token") parsed.token = value;
        if (key == "--profile") parsed.profile = value;
        if (key == "--checkpoints") parsed.checkpoints = value;
        if (key == "--resume") parsed.resume = value;
        if (key == "--fault") {
            const auto fault = parseInjectedFault(value);
            if (!fault) return fail(wrongArgument(key, fault.error().text()));
            parsed.faults.push_back(*fault);
        }
        if (key == "--stretch") {
            const auto stretch = parseNumber<double>(value);
            if (!stretch || !(*stretch > 0) || !std::isfinite(*stretch))
                return fail(wrongArgument(key, "'" + value + "' is no positive number"));
            parsed.stretch = *stretch;
        }
        if (key == "--clock-origin") {
            const auto origin = parseNumber<std::int64_t>(value);
            if (!origin) return fail(wrongArgument(key, "'" + value + "' is no integer"));
            parsed.clockOrigin = *origin;
        }
        if (key == "--threads" || key == "--operations") {
            const auto count = parseNumber<int>(value);
            if (!count || *count < 1) return fail(wrongArgument(key, "'" + value + "' is no positive integer"));
            (key == "--threads" ? parsed.threads : parsed.operationsEvery) = *count;
        }
    }
    if (parsed.layout.empty()) return fail(wrongArgument("--layout", "it is missing"));
    if (parsed.folder.empty()) return fail(wrongArgument("--folder", "it is missing"));
    if (parsed.socket.empty()) return fail(wrongArgument("--socket", "it is missing"));
    return parsed;
}

}  // namespace shardlab::trace
