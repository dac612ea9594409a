// SPDX-License-Identifier: Apache-2.0
#include "app/cli/expectation.h"
#include "app/cli/follow_job.h"
#include "app/cli/print.h"
#include "app/cli/run_text.h"
#include "app/cli/serving.h"
#include "app/cli/verbs.h"
#include "app/cli/run_progress.h"
#include "engine/base/resources.h"
#include "engine/launch/serve/live_listener.h"
#include "engine/launch/serve/run_copy.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>

namespace shardlab::cli {

namespace {

struct ListenChoices {
    std::string address;
    std::string tokenFile;
    std::string out;
    LayoutArgument layout;
    int deadline = 30;
    bool force = false;
    bool plain = false;  ///< without TLS
};

void announce(const std::string& address, const TokenFile& token) {
    printNote(fmt::format("listening at {}, {}", address, token.text()));
    printNote(
        token.pass().security
            ? "a program that sends: Python with “import shardlab” (C needs --no-tls), started with"
            : "a program that sends: Python with “import shardlab”, C with “#include \"shardlab.h\"”, started with");
    printNote(fmt::format("  SHARDLAB_ADDRESS={} SHARDLAB_TOKEN_FILE={} PYTHONPATH={}", address,
                          std::filesystem::absolute(token.file()).string(), (resourcesFolder() / "live").string()));
}

int listen(const ListenChoices& options) {
    const auto address = parseTcpAddress(options.address);
    if (!address) return failWith(address.error());
    if (const Status may = mayWrite(options.out, options.force); !may) return failWith(may.error());
    auto expected = expectationOf(options.layout);
    if (!expected) return expected.error();
    const JobSignals signals;
    const auto token =
        TokenFile::make(options.tokenFile.empty() ? options.out + ".token" : options.tokenFile, options.plain);
    if (!token) return failWith(token.error());

    RunProgress progress(isatty(STDERR_FILENO) == 1);
    RunCopy copy(options.out, progress);
    ListenOptions listening;
    listening.address = *address;
    listening.pass = token->pass();
    listening.silence = std::chrono::seconds(options.deadline);
    listening.expected = std::move(*expected);
    auto listener = LiveListener::listen(listening, copy);
    if (!listener) return failWith(listener.error());
    announce((*listener)->address().text(), *token);
    bool left = false;
    while (!progress.status().over() && !left && !(*listener)->misfit()) {
        left = signals.next() != 0;
        progress.show();
    }
    const CallerCounts counts = (*listener)->counts();
    const auto misfit = (*listener)->misfit();
    listener->reset();
    progress.close();
    if (counts.refused() > 0) printNote("refused: " + counts.refusals());
    if (misfit)
        return failWith({"cannot show the program with this layout", options.layout.layout, *misfit,
                         "the layout that the program trains, or no --layout"});
    if (copy.error()) return failWith(*copy.error());
    if (!progress.end()) {
        printNote("no program has sent anything; nothing was recorded");
        return success;
    }
    const auto summary = summaryOf(options.out);
    if (!summary) return failWith(summary.error());
    print(toText(*summary, options.out));
    if (progress.end()->outcome != "failed") return success;
    return failWith({"the run failed", {}, progress.end()->reason, {}});
}

}  // namespace

void addListen(CommandLine& line) {
    Verb verb(line, "listen", "Make a run of what other programs send while they train");
    const auto options = std::make_shared<ListenChoices>();
    verb.option("ADDRESS", options->address,
                "A port of this machine alone, 0 for any that is free, or HOST:PORT; TLS is spoken there")
        .required()
        .typeName("[HOST:]PORT");
    verb.option("--out,--output", options->out, "Run file to write").required().typeName("FILE");
    addExpectationTo(verb, options->layout);
    verb.option("--deadline", options->deadline,
                "Seconds without an event of any rank after which it is said which rank hangs; 30 by default")
        .typeName("S")
        .positive();
    verb.option("--token-file", options->tokenFile,
                "Where to write the token that programs need; by default RUN.token, while it listens")
        .typeName("FILE");
    addPlainTo(verb, options->plain);
    verb.flag("--force", options->force, "Replace the run file where it exists");
    verb.footer("The run begins with the first program that connects and ends when all of its ranks have. Ctrl+C ends "
                "it earlier.");
    verb.runs([options] { return listen(*options); });
}

}  // namespace shardlab::cli
