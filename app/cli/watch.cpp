// SPDX-License-Identifier: Apache-2.0
#include "app/cli/follow_job.h"
#include "app/cli/print.h"
#include "app/cli/run_text.h"
#include "app/cli/verbs.h"
#include "app/cli/run_progress.h"
#include "engine/base/token.h"
#include "engine/launch/serve/run_copy.h"
#include "engine/launch/tls/tls_pass.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <unistd.h>

namespace shardlab::cli {

namespace {

struct WatchChoices {
    std::string address;
    std::string tokenFile;
    std::string out;
    int giveUp = 60;
    bool force = false;
};

/// Prints the figures of the copy, as `run` does at its end.
int report(const std::string& file) {
    const auto summary = summaryOf(file);
    if (!summary) return failWith(summary.error());
    print(toText(*summary, file));
    return success;
}

int watch(const WatchChoices& options) {
    const auto address = parseTcpAddress(options.address);
    if (!address) return failWith(address.error());
    const auto pass = readToken(options.tokenFile).and_then(readPass);
    if (!pass) return failWith(pass.error());
    if (!options.out.empty())
        if (const Status may = mayWrite(options.out, options.force); !may) return failWith(may.error());

    const JobSignals signals;
    RunProgress progress(isatty(STDERR_FILENO) == 1);
    std::optional<RunCopy> copy;
    if (!options.out.empty()) copy.emplace(options.out, progress);
    bool left = false;
    {
        WatchOptions watching{*address, *pass};
        watching.giveUpAfter = std::chrono::seconds(options.giveUp);
        const RunWatch watch(watching, copy ? *copy : static_cast<WatchObserver&>(progress));
        while (!progress.status().over() && !left) {
            left = signals.next() != 0;
            progress.show();
        }
    }
    progress.close();
    if (copy && !progress.end())
        copy->close(left ? "watching ended before the run did" : progress.status().reason.english());
    if (copy && copy->error()) return failWith(*copy->error());
    if (progress.status().state == WatchStatus::State::Failed)
        return failWith({"cannot watch", address->text(), progress.status().reason, {}});
    std::error_code ignored;
    if (copy && std::filesystem::exists(options.out, ignored)) return report(options.out);
    if (const auto end = progress.end())
        print(end->reason.empty() ? end->outcome + "\n" : end->outcome + ": " + end->reason + "\n");
    return success;
}

}  // namespace

void addWatch(CommandLine& line) {
    Verb verb(line, "watch", "Follow a run that another machine serves, from its start");
    const auto options = std::make_shared<WatchChoices>();
    verb.option("ADDRESS", options->address,
                "[HOST:]PORT that run --serve has printed, or this end of an ssh tunnel to it")
        .required();
    verb.option("--token-file", options->tokenFile, "File with the token that run --serve has written, or a copy of it")
        .required()
        .typeName("FILE");
    verb.option("--out,--output", options->out, "Write what arrives into a run file; the whole run, from its start")
        .typeName("FILE");
    verb.option("--give-up", options->giveUp, "Seconds after which a lost connection is given up; 0: never")
        .typeName("S")
        .nonNegative()
        .showDefault();
    verb.flag("--force", options->force, "Replace the run file where it exists");
    verb.footer("Watching never slows or changes the run. Ctrl+C ends the watching, not the run.");
    verb.runs([options] { return watch(*options); });
}

}  // namespace shardlab::cli
