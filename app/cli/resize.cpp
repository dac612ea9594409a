// SPDX-License-Identifier: Apache-2.0
#include "app/cli/ask_run.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/launch/job/elastic_world.h"
#include "engine/trace/run_file/run_file.h"

#include <fmt/format.h>
#include <memory>

namespace shardlab::cli {

namespace {

struct ResizeOptions {
    std::string run;
    int data = 0;
};

const std::string noResize = "the run cannot be resized";

int resize(const ResizeOptions& options) {
    const auto reader = RunReader::open(options.run);
    if (!reader) return failWith(reader.error());
    if (const Status can = canResize((*reader)->header().layout, options.data); !can) return failWith(can.error());
    const auto layout = layoutOfGoingRun(options.run, noResize);
    if (!layout) return failWith(layout.error());
    if (const Status asked = askRun(options.run, ResizeRequest{options.data}, noResize); !asked)
        return failWith(asked.error());
    if (const auto ended = layoutOfGoingRun(options.run, noResize); !ended) return failWith(ended.error());
    print(fmt::format("asked for {}: after this step, from a checkpoint\n", replicasText(*layout, options.data)));
    return success;
}

}  // namespace

void addResize(CommandLine& line) {
    Verb verb(line, "resize", "Give a running elastic run another number of replicas");
    const auto options = std::make_shared<ResizeOptions>();
    verb.option("run", options->run, "Run file that it is recorded into").typeName("RUN").required();
    verb.option("replicas", options->data,
                "Replicas to go on with: of run.min_data to parallel.data, a number that divides the batch")
        .typeName("N")
        .required();
    verb.footer("The run's layout must have /run/min_data. The run takes a checkpoint at the end of the step and goes "
                "on from there.");
    verb.runs([options] { return resize(*options); });
}

}  // namespace shardlab::cli
