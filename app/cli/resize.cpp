// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/launch/elastic_world.h"
#include "engine/launch/resize_request.h"
#include "engine/run/run_file.h"

#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <thread>

namespace shardlab::cli {

namespace {

struct Options {
    std::string run;
    int data = 0;
};

constexpr std::chrono::seconds patience{30};

int refuse(const Error& error) {
    printError(error);
    return failure;
}

/// The layout of a run that could be resized so.
Result<Layout> elasticLayout(const Options& options) {
    const auto reader = RunReader::open(options.run);
    if (!reader) return fail(reader.error());
    const Layout& layout = (*reader)->header().layout;
    if (const Status can = canResize(layout, options.data); !can) return fail(can.error());
    if (const std::string& outcome = (*reader)->end().outcome; !outcome.empty())
        return fail({"the run cannot be resized", options.run, "it has ended: " + outcome, "a run that goes on"});
    return layout;
}

int resize(const Options& options) {
    const auto layout = elasticLayout(options);
    if (!layout) return refuse(layout.error());
    if (const Status asked = writeResizeRequest(options.run, options.data); !asked) return refuse(asked.error());
    const auto until = std::chrono::steady_clock::now() + patience;
    std::error_code ignored;
    while (std::filesystem::exists(resizeRequestFile(options.run), ignored)) {
        if (std::chrono::steady_clock::now() > until) {
            std::filesystem::remove(resizeRequestFile(options.run), ignored);
            return refuse({"the run cannot be resized", options.run,
                           fmt::format("nobody took what was asked within {} s", patience.count()), "a run that goes on, and records into this file"});
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (const auto ended = elasticLayout(options); !ended) return refuse(ended.error());
    print(fmt::format("asked for {}: after this step, from a checkpoint\n", replicasText(*layout, options.data)));
    return success;
}

}  // namespace

void addResize(CLI::App& program, Action& chosen) {
    CLI::App* verb = program.add_subcommand("resize", "Ask an elastic run that goes on for another number of replicas");
    const auto options = std::make_shared<Options>();
    verb->add_option("run", options->run, "Run file that it is recorded into")->type_name("RUN")->required();
    verb->add_option("replicas", options->data, "Replicas to go on with: of run.min_data to parallel.data, what divides the batch")
        ->type_name("N")
        ->required();
    verb->footer("Of a layout with /run/min_data. The run takes a checkpoint at the end of the step and goes on from there.");
    verb->callback([&chosen, options] { chosen = [options] { return resize(*options); }; });
}

}  // namespace shardlab::cli
