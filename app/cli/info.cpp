// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print.h"
#include "app/cli/run_text.h"
#include "app/cli/verbs.h"
#include "engine/trace/run_file/run_creation.h"

#include <memory>

namespace shardlab::cli {

namespace {

struct InfoOptions {
    std::string run;
    bool all = false;
    bool json = false;
};

int info(const InfoOptions& options) {
    const auto reader = RunReader::open(options.run);
    if (!reader) return failWith(reader.error());
    auto summary = summarize(**reader);
    if (!summary) return failWith(summary.error());
    summary->recording = summary->end.outcome.empty() && isBeingRecorded(options.run);
    print(options.json ? toJson(*summary, options.run) + "\n" : toText(*summary, options.run, options.all));
    return wasWhole(**reader);
}

}  // namespace

void addInfo(CommandLine& line) {
    Verb verb(line, "info", "Tell what a recorded run did and why it ended");
    const auto options = std::make_shared<InfoOptions>();
    verb.option("RUN", options->run, "A run file (*.shardlab)").required();
    verb.flag("--all", options->all,
              "Give every rank a row, with its process; by default ranks that are alike share one");
    verb.flag("--json", options->json, "Answer with one JSON object, with the keys of run --json");
    verb.runs([options] { return info(*options); });
}

}  // namespace shardlab::cli
