// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/trace/interchange/export.h"
#include "engine/launch/job/process.h"
#include "engine/trace/run_file/run_file.h"

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
    const std::filesystem::path desktop = programFolder() / "shardlab-desktop";
    auto process =
        Process::start({desktop, {"--render", options.run, "--out", out}, {{"QT_QPA_PLATFORM", "offscreen"}}});
    if (!process) {
        Error error = process.error();
        error.legal = "pictures are drawn by the desktop: ninja -C build shardlab-desktop";
        return fail(std::move(error));
    }
    constexpr std::string_view speaker = "shardlab-desktop: ";  // other lines are Qt's own
    std::string said;
    const auto listen = [&](const std::vector<OutputLine>& lines) {
        for (const OutputLine& line : lines)
            if (line.text.starts_with(speaker)) said = line.text.substr(speaker.size());
    };
    while (!process->exitStatus()) listen(process->read(100));
    listen(process->readRest());
    if (process->exitStatus()->success()) return (*run)->damage() ? Status(fail(*(*run)->damage())) : Status{};
    return fail(
        Error{"the picture was not drawn", desktop.string(), said.empty() ? process->exitStatus()->text() : said, {}});
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
    std::error_code ignored;
    if (std::filesystem::exists(out, ignored) && !options.force) {
        printError({"will not replace", out, "it exists", "another --out, or --force"});
        return failure;
    }
    if (const Status done = exportTo(options, out); !done) {
        printError(done.error());
        return failure;
    }
    print(out + "\n");
    return success;
}

}  // namespace

void addExport(CommandLine& line) {
    Verb verb(line, "export", "Write a recorded run for other programs, or as a picture");
    const auto options = std::make_shared<ExportOptions>();
    std::vector<std::string> names;
    std::string help;
    for (const ExportFormat& format : exportFormats()) {
        names.emplace_back(format.name);
        help += fmt::format("{}: {}; ", format.name, format.description);
    }
    names.emplace_back(picture);
    verb.option("RUN", options->run, "A run file (*.shardlab)").required();
    verb.option("--format", options->format, help + "png: the dashboard, drawn by the desktop's own views")
        .required()
        .oneOf(names);
    verb.option("--out", options->out, "File to write; by default beside the run").typeName("FILE");
    verb.flag("--force", options->force, "Replace the file where it exists");
    verb.runs([options] { return exportRunFile(*options); });
}

}  // namespace shardlab::cli
