// SPDX-License-Identifier: Apache-2.0
#include "app/cli/follow_job.h"
#include "app/cli/layout_argument.h"
#include "app/cli/print.h"
#include "app/cli/run_text.h"
#include "app/cli/serving.h"
#include "app/cli/verbs.h"
#include "engine/launch/job/input_files.h"
#include "engine/launch/job/job.h"
#include "engine/predict/plan/shared_pace.h"
#include "engine/trace/run_file/run_file.h"

#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <unistd.h>

namespace shardlab::cli {

namespace {

struct RunOptions {
    LayoutArgument layout;
    std::optional<int> steps;
    std::optional<std::int64_t> seed;
    std::optional<int> deadline;
    std::optional<int> maxRestarts;
    std::optional<std::uint64_t> sizeLimit;
    std::string out;
    std::string resume;
    std::vector<std::string> variables;
    std::vector<std::string> parameters;
    std::string paceLike;
    int operations = 0;
    ServingArgument serving;
    bool force = false;
    bool json = false;
};

/// The file "<layout's name>-<local time>.shardlab" in the current folder.
std::string defaultOut(const Layout& layout) {
    std::string name;
    for (char c : layout.name) name += c == ' ' || c == '/' || c == '\\' ? '-' : c;
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    localtime_r(&now, &parts);
    char time[32];
    std::strftime(time, sizeof time, "%Y%m%d-%H%M%S", &parts);
    return name + "-" + time + ".shardlab";
}

/// Prints the run's figures. `end` is as the job knows it, since a full disk may have kept it out of the file. Returns
/// the exit status of a run that did not fail.
int report(const std::string& file, const RunEnd& end, bool json) {
    auto summary = summaryOf(file);
    if (!summary) return failWith(summary.error());
    summary->end = end;
    print(json ? toJson(*summary, file) + "\n" : toText(*summary, file));
    return summary->checkpoints.none() ? noCheckpoints : success;
}

/// Slows the layout as many times as that run was slowed.
Status takePace(Layout& layout, const std::string& run) {
    if (!layout.cluster.pace)
        return fail({say("has no pace to change"), layout.name, say("the layout is not paced"),
                     say("a layout with /cluster/pace")});
    const auto reader = RunReader::open(run);
    if (!reader) return fail(reader.error());
    const RunHeader& header = (*reader)->header();
    if (!header.paced)
        return fail({say("has no pace to take"), run, say("that run went at full speed"), say("a paced run")});
    const auto seconds = stepSecondsAt(layout, header.stretch);
    if (!seconds) return fail(seconds.error());
    layout.cluster.pace->stepSeconds = *seconds;
    return {};
}

int run(const RunOptions& options) {
    auto layout = loadLegal(options.layout);
    if (!layout) return layout.error();
    if (!options.paceLike.empty())
        if (const Status taken = takePace(*layout, options.paceLike); !taken) return failWith(taken.error());
    printNotes(unjudged(*layout, !options.resume.empty()));
    const std::string file = options.out.empty() ? defaultOut(*layout) : options.out;
    if (const Status may = mayWrite(file, options.force); !may) return failWith(may.error());

    auto agent = options.layout.hosts.allowed();
    if (!agent) return failWith(agent.error());

    auto extras = mpirunExtras(options.variables, options.parameters);
    if (!extras) return failWith(extras.error());

    const JobSignals signals;
    JobOptions starting{.layout = *layout, .runFile = file};
    starting.resume = options.resume;
    starting.agent = std::move(*agent);
    starting.mpirun = std::move(*extras);
    starting.operationsEvery = options.operations;
    starting.measurements = measurementsOfThisMachine();
    RunProgress progress(isatty(STDERR_FILENO) == 1);
    std::optional<Serving> serving;
    if (options.serving.wanted()) {
        auto opened = Serving::open(options.serving, file);
        if (!opened) return failWith(opened.error());
        serving.emplace(std::move(*opened));
        starting.server = serving->server();
    }
    const auto job = Job::start(starting, progress);
    if (!job) return failWith(job.error());
    if (serving) serving->announce();
    follow(**job, signals, progress);
    if (serving) serving->report();
    const RunEnd end = *progress.end();
    const int reported = report(file, end, options.json);
    if (end.outcome != "failed") {
        if (reported == noCheckpoints) printError({say("the run has no checkpoint"), {}, end.reason, {}});
        return reported;
    }
    return failWith({say("the run failed"), {}, end.reason, {}});
}

}  // namespace

void addRun(CommandLine& line) {
    Verb verb(line, "run", "Train a layout on this machine, or the hosts it names, and record it");
    const auto options = std::make_shared<RunOptions>();
    options->layout.addTo(verb);
    options->layout.addScheduleTo(verb);
    options->layout.hosts.addTo(verb);
    verb.option("--steps", options->steps, "Optimizer steps").typeName("N");
    verb.option("--seed", options->seed, "Seed of weights and data").typeName("S");
    verb.option("--out", options->out, "Run file; by default NAME-TIME.shardlab in the current folder")
        .typeName("FILE");
    verb.option("--pace-like", options->paceLike,
                "Slow the paced layout as many times as this run was slowed, so that the faster of both ends first")
        .typeName("RUN");
    verb.option("--resume", options->resume,
                "Go on from a checkpoint, or from the newest in a folder of them; of any layout with the same model")
        .typeName("DIR");
    verb.option(
            "--deadline", options->deadline,
            "Seconds after which a rank that stands still within a step ends the run, with a report; until the first "
            "step is over, which loads libraries, at least 60; 0: from how long steps take")
        .typeName("S");
    verb.option("--max-restarts", options->maxRestarts,
                "How often the run goes on from its last checkpoint where ranks die or hang (--set /checkpoint/every)")
        .typeName("N");
    verb.option("--operations", options->operations,
                "Record the operations within the actions of every N-th step of a run that is not paced: products, "
                "attention, norms, layer by layer; 0: of none")
        .typeName("N")
        .nonNegative();
    verb.option(
            "--size-limit", options->sizeLimit,
            "Largest size of the run file, such as 500MB or 2GiB; 0: none. Near it every step's figures stay, and all "
            "events of the last steps and of every k-th (--set /run/keep_last, /run/keep_every)")
        .typeName("SIZE")
        .bytes();
    verb.option("--env", options->variables,
                "Hand this variable of the environment to ranks on other hosts too; NCCL_*, UCX_*, FI_* and "
                "LD_LIBRARY_PATH reach them unasked. May be given again")
        .typeName("NAME[=VALUE]")
        .oneValueEach();
    verb.option("--mca", options->parameters,
                "Start ranks with this parameter of Open MPI, in place of Shardlab's own: pml=ucx, for instance. May "
                "be given again")
        .typeName("NAME=VALUE")
        .oneValueEach();
    options->serving.addTo(verb);
    verb.flag("--force", options->force, "Replace the run file where it exists");
    verb.flag("--json", options->json, "Print the summary as one JSON object");
    verb.footer(
        "Ctrl+C stops at the next step boundary; a second Ctrl+C kills. The run file is whole either way.\n"
        "A lost terminal stops it as Ctrl+C does; started by nohup, it goes on.\n"
        "SIGUSR1 takes a checkpoint. /checkpoint/every takes them by itself.\n"
        "Exit status: 0 finished or stopped; 1 failed, or not started; 2 wrong arguments; 3 finished or stopped, but "
        "none\n"
        "of the checkpoints that were asked for could be taken. Where only some failed it is 0, and Outcome says so.");
    verb.runs([options] {
        // They become assignments, so that they are read and judged like any other field.
        if (options->steps) options->layout.assignments.push_back("/run/steps=" + std::to_string(*options->steps));
        if (options->seed) options->layout.assignments.push_back("/run/seed=" + std::to_string(*options->seed));
        if (options->deadline)
            options->layout.assignments.push_back("/run/deadline=" + std::to_string(*options->deadline));
        if (options->maxRestarts)
            options->layout.assignments.push_back("/run/max_restarts=" + std::to_string(*options->maxRestarts));
        if (options->sizeLimit)
            options->layout.assignments.push_back("/run/size_limit=" + std::to_string(*options->sizeLimit));
        return run(*options);
    });
}

}  // namespace shardlab::cli
