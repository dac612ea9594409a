// SPDX-License-Identifier: Apache-2.0
#include "app/cli/desktop_program.h"
#include "app/cli/follow_job.h"
#include "app/cli/guess_round.h"
#include "app/cli/page_language.h"
#include "app/cli/print.h"
#include "app/cli/terminal_markdown.h"
#include "app/cli/verbs.h"
#include "engine/base/file.h"
#include "engine/base/scratch_folder.h"
#include "engine/launch/job/job.h"
#include "engine/launch/lesson/handout.h"
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
    std::string handout;  ///< a file; empty: none is written
    bool noQuestions = false;
    bool figures = false;
};

int list() {
    const auto all = lessons();
    if (!all) return failWith(all.error());
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

/// Also asks the reader to guess, before the experiments that tell.
Status runAll(const Lesson& lesson, const LearnOptions& options, const Measurements& measurements,
              std::vector<KnownExperiment>& known, GuessRound& guesses) {
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
        if (!guesses.askBefore(index, *chosen, signals)) {
            printNote("nothing more is run");
            break;
        }
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
        guesses.tellVerdicts(known);
    }
    return {};
}

/// A PDF where the name ends so, else HTML.
Status writeHandout(const std::string& page, const std::filesystem::path& file) {
    if (file.extension() != ".pdf") return replaceFile(file, page);
    auto scratch = ScratchFolder::make("handout");
    if (!scratch) return fail(scratch.error());
    const std::filesystem::path html = scratch->path() / "handout.html";
    if (const Status written = replaceFile(html, page); !written) return written;
    return askDesktop({"--print", html.string(), "--out", file.string()}, "the handout was not printed");
}

std::string missing(const LearnOptions& options) {
    const std::filesystem::path file(options.handout);
    if (options.handout.empty() || file.extension() == ".pdf" || file.extension() == ".html") return {};
    return "for --handout, a file whose name ends with .html or .pdf,";
}

int learn(const LearnOptions& options) {
    if (options.figures) return listFigures();
    if (options.lesson.empty()) return list();
    auto lesson = findLesson(options.lesson);
    if (!lesson) return failWith(lesson.error());
    paceTogether(*lesson);
    const Measurements measurements = measurementsOfThisMachine();
    std::vector<KnownExperiment> known(lesson->experiments.size());
    for (std::size_t index = 0; index < known.size(); ++index) {
        auto planned = planRun(lesson->experiments[index].layout, measurements);
        if (!planned) return failWith(planned.error());
        known[index].planned = std::move(*planned);
    }
    GuessRound guesses(*lesson,
                       options.run && !options.noQuestions && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1);
    Status done = options.run ? runAll(*lesson, options, measurements, known, guesses) : Status();
    const bool any = std::ranges::any_of(known, [](const KnownExperiment& one) { return one.measured.has_value(); });
    if (done && !options.handout.empty()) {
        done = writeHandout(handout(*lesson, known, guesses.reader()), options.handout);
        if (done) print(options.handout + "\n");
    } else if (done || any) {
        print(lessonPage(*lesson, known, guesses.reader()));
    }
    return done ? success : failWith(done.error());
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
    verb.flag("--no-questions", options->noQuestions,
              "Do not ask for guesses before experiments, as a terminal is asked otherwise")
        .needs(run);
    verb.option("--handout", options->handout,
                "Write the lesson for paper, with its questions and what was measured: .html or .pdf")
        .typeName("FILE")
        .needs(lesson);
    verb.flag("--figures", options->figures, "List the figures that a lesson may name");
    verb.footer("Figures before a run are predicted; Ctrl+C ends an experiment at the next step boundary, and the "
                "lesson with it.");
    offerLanguage(verb, options->language);
    verb.runs(
        [options] {
            useLanguage(options->language);
            return learn(*options);
        },
        [options] { return missing(*options); });
}

}  // namespace shardlab::cli
