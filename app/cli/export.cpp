// SPDX-License-Identifier: Apache-2.0
#include "app/cli/desktop_program.h"
#include "app/cli/export_layout.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/trace/interchange/export.h"
#include "engine/trace/run_file/run_file.h"
#include "engine/trace/trainers/trainer_target.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace shardlab::cli {

namespace {

constexpr const char* picture = "png";

struct ExportOptions {
    std::string run;
    std::string format;
    std::string out;
    bool force = false;
};

/// The desktop's own views draw the picture, on no display.
Status exportPicture(const ExportOptions& options, const std::string& out) {
    // The run is opened here first, so that what is wrong with it is said in the same words for every format.
    const auto run = RunReader::open(options.run);
    if (!run) return fail(run.error());
    const Status drawn = askDesktop({"--render", options.run, "--out", out}, "the picture was not drawn");
    if (!drawn) return drawn;
    return (*run)->damage() ? Status(fail(*(*run)->damage())) : Status{};
}

Status exportTo(const ExportOptions& options, const std::string& out) {
    if (options.format == picture) return exportPicture(options, out);
    const auto format = findExportFormat(options.format);
    if (!format) return fail(format.error());
    const auto run = RunReader::open(options.run);
    if (!run) return fail(run.error());
    return exportRun(**run, *format, out);
}

/// The file beside the run: "a.shardlab" becomes "a.csv".
std::string defaultExport(const ExportOptions& options) {
    const auto format = findExportFormat(options.format);
    std::filesystem::path out(options.run);
    return out.replace_extension(format ? std::string(format->extension) : "." + options.format).string();
}

int exportRunFile(const ExportOptions& options) {
    const std::string out = options.out.empty() ? defaultExport(options) : options.out;
    if (const Status may = mayWrite(out, options.force); !may) return failWith(may.error());
    if (const Status done = exportTo(options, out); !done) return failWith(done.error());
    print(out + "\n");
    return success;
}

}  // namespace

void addExport(CommandLine& line) {
    Verb verb(line, "export",
              "Write a recorded run for other programs or as a picture, or a layout for the trainers that people use");
    struct Options {
        ExportOptions run;
        ExportLayoutOptions layout;
        std::string file, out;
        bool force = false;
    };
    const auto options = std::make_shared<Options>();
    std::vector<std::string> names;
    std::string help = "Of a run: ";
    for (const ExportFormat& format : exportFormats()) {
        names.emplace_back(format.name);
        help += fmt::format("{}: {}; ", format.name, format.description);
    }
    names.emplace_back(picture);
    std::vector<std::string> targets;
    std::string targetHelp = "Of a layout: ";
    for (const TrainerTarget& target : trainerTargets()) {
        targetHelp += fmt::format("{}{}: {}", targets.empty() ? "" : "; ", target.name, target.description);
        targets.emplace_back(target.name);
    }
    verb.option("FILE", options->file, "A run file (*.shardlab) with --format; a layout file or a preset with --for")
        .required();
    Option format =
        verb.option("--format", options->run.format, help + "png: the dashboard, drawn by the desktop's own views")
            .oneOf(names);
    Option target = verb.option("--for", options->layout.target, targetHelp).oneOf(targets).excludes(format);
    options->layout.layout.addAssignmentsTo(verb).needs(target);
    verb.flag("--sbatch", options->layout.sbatch, "As a script for Slurm's sbatch, which starts the training by itself")
        .needs(target);
    verb.option("--out", options->out, "File to write; by default beside the run or the layout").typeName("FILE");
    verb.flag("--force", options->force, "Replace files where they exist");
    verb.footer(
        "What a program cannot do is refused at its field, all of it at once. shardlab layouts --from FILE is the way "
        "back; shardlab help trainers says what goes over.");
    verb.runs(
        [options] {
            if (options->layout.target.empty()) {
                options->run.run = options->file;
                options->run.out = options->out;
                options->run.force = options->force;
                return exportRunFile(options->run);
            }
            options->layout.layout.layout = options->file;
            options->layout.out = options->out;
            options->layout.force = options->force;
            return exportLayoutFor(options->layout);
        },
        [options] {
            const bool none = options->run.format.empty() && options->layout.target.empty();
            return std::string(none ? "--format of a run, or --for of a layout" : "");
        });
}

}  // namespace shardlab::cli
