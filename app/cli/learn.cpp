// SPDX-License-Identifier: Apache-2.0
#include "app/cli/follow_job.h"
#include "app/cli/page_language.h"
#include "app/cli/print.h"
#include "app/cli/terminal_markdown.h"
#include "app/cli/verbs.h"
#include "engine/base/scratch_folder.h"
#include "engine/launch/job/job.h"
#include "engine/launch/lesson/lesson.h"
#include "engine/launch/lesson/lesson_pace.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>

namespace shardlab::cli {

namespace {

struct LearnOptions {
    std::string lesson;
    std::optional<std::string> run;  ///< an experiment; empty: all
    std::string output;
    std::string language;
    bool figures = false;
};

int list() {
    const auto all = lessons();
    if (!all) {
        printError(all.error());
        return failure;
    }
    Table table({"name", "what it is about", "experiments"});
    for (const Lesson& lesson : *all) {
        std::string names;
        for (const LessonExperiment& experiment : lesson.experiments)
            names += (names.empty() ? "" : ", ") + experiment.name;
        table.add({lesson.name, lesson.title, names});
    }
    print(table.text());
    return success;
}

int listFigures() {
    Table table({"figure", "of", "what it is"});
    for (const LessonFigure& figure : lessonFigures()) {
        std::string origins;
        for (const FigureOrigin origin : {FigureOrigin::Measured, FigureOrigin::Predicted, FigureOrigin::Theory})
            if (figure.has(origin)) origins += (origins.empty() ? "" : ", ") + std::string(name(origin));
        table.add({std::string(figure.name), origins, std::string(figure.meaning)});
    }
    print(table.text());
    return success;
}

/// Runs the experiment and records it into `file`. Error: it did not start, or failed.
Status record(const LessonExperiment& experiment, const std::filesystem::path& file, const Measurements& measurements,
              const JobSignals& signals, bool& stopped) {
    printNote(fmt::format("{}{}{}", experiment.name, experiment.title.empty() ? "" : ": ", experiment.title));
    RunProgress progress(isatty(STDERR_FILENO) == 1);
    JobOptions starting{.layout = experiment.layout, .runFile = file};
    starting.measurements = measurements;
    const auto job = Job::start(starting, progress);
    if (!job) return fail(job.error());
    follow(**job, signals, progress);
    const RunEnd end = *progress.end();
    stopped = end.outcome == "stopped";
    if (end.outcome == "failed") return fail({"the experiment failed", experiment.name, end.reason, {}});
    return {};
}

/// The indices of the experiments that --run asks for.
Result<std::vector<std::size_t>> wanted(const Lesson& lesson, const LearnOptions& options) {
    std::vector<std::size_t> all;
    for (std::size_t index = 0; index < lesson.experiments.size(); ++index)
        if (options.run->empty() || lesson.experiments[index].name == *options.run) all.push_back(index);
    if (!all.empty()) return all;
    std::string names;
    for (const LessonExperiment& experiment : lesson.experiments)
        names += (names.empty() ? "" : ", ") + experiment.name;
    return fail({"the lesson has no such experiment", *options.run, {}, "Legal: " + names});
}

Status runAll(const Lesson& lesson, const LearnOptions& options, const Measurements& measurements,
              std::vector<KnownExperiment>& known) {
    const auto chosen = wanted(lesson, options);
    if (!chosen) return fail(chosen.error());
    std::optional<ScratchFolder> scratch;
    std::filesystem::path folder = options.output;
    if (folder.empty()) {
        auto made = ScratchFolder::make("lesson");
        if (!made) return fail(made.error());
        scratch.emplace(std::move(*made));
        folder = scratch->path();
    } else {
        std::error_code problem;
        std::filesystem::create_directories(folder, problem);
        if (problem) return fail({"cannot make the folder for runs", folder.string(), problem.message(), {}});
    }
    const JobSignals signals;
    for (const std::size_t index : *chosen) {
        const LessonExperiment& experiment = lesson.experiments[index];
        const std::filesystem::path file = folder / (lesson.name + "-" + experiment.name + ".shardlab");
        bool stopped = false;
        const Status recorded = record(experiment, file, measurements, signals, stopped);
        if (!recorded) return recorded;
        if (stopped) {  // Ctrl+C is meant for the lesson, not for this run of it
            printNote(experiment.name + " was stopped before its end: its figures stay open");
            break;
        }
        auto measured = measureRun(file);
        if (!measured) return fail(measured.error());
        known[index].measured = std::move(*measured);
    }
    return {};
}

int learn(const LearnOptions& options) {
    if (options.figures) return listFigures();
    if (options.lesson.empty()) return list();
    auto lesson = findLesson(options.lesson);
    if (!lesson) {
        printError(lesson.error());
        return failure;
    }
    paceTogether(*lesson);
    const Measurements measurements = measurementsOfThisMachine();
    std::vector<KnownExperiment> known(lesson->experiments.size());
    for (std::size_t index = 0; index < known.size(); ++index) {
        auto planned = planRun(lesson->experiments[index].layout, measurements);
        if (!planned) {
            printFaults(planned.error());
            return failure;
        }
        known[index].planned = std::move(*planned);
    }
    const Status ran = options.run ? runAll(*lesson, options, measurements, known) : Status();
    const bool any = std::ranges::any_of(known, [](const KnownExperiment& one) { return one.measured.has_value(); });
    if (ran || any) print(lessonPage(*lesson, known));
    if (ran) return success;
    printError(ran.error());
    return failure;
}

}  // namespace

void addLearn(CommandLine& line) {
    Verb verb(line, "learn", "Lessons that run what they explain: list them, read one, run its experiments");
    const auto options = std::make_shared<LearnOptions>();
    const Option lesson = verb.option("LESSON", options->lesson, "Which one; without it, all are listed");
    const Option run =
        verb.option("--run", options->run, "Run this experiment, or all of them, and fill the figures in")
            .typeName("EXPERIMENT")
            .optionalValue()
            .needs(lesson);
    verb.option("--output", options->output, "Keep the run files in this folder").typeName("FOLDER").needs(run);
    verb.flag("--figures", options->figures, "List the figures that a lesson may name");
    verb.footer("Figures before a run are predicted; Ctrl+C ends an experiment at the next step boundary, and the "
                "lesson with it.");
    offerLanguage(verb, options->language);
    verb.runs([options] {
        useLanguage(options->language);
        return learn(*options);
    });
}

}  // namespace shardlab::cli
