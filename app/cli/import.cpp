// SPDX-License-Identifier: Apache-2.0
#include "app/cli/expectation.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/trace/dumps/flight_dump.h"
#include "engine/trace/dumps/hang_report.h"
#include "engine/trace/interchange/import.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace shardlab::cli {

namespace {

struct ImportOptions {
    std::vector<std::string> files;
    std::string out;
    std::string format;
    LayoutArgument layout;
    bool force = false;
};

/// The run file beside the first trace: "rank0.json.gz" becomes "rank0.shardlab".
std::filesystem::path defaultOut(std::filesystem::path file) {
    if (file.extension() == ".gz") file.replace_extension();
    return file.replace_extension(".shardlab");
}

/// Shows the share that is done.
ShareWatcher progress() {
    return [line = std::make_shared<ProgressLine>()](double share) {
        line->show(fmt::format("importing {:3} %", static_cast<int>(share * 100)));
        return true;
    };
}

/// Dumps of a flight recorder become no run: they hold the last calls of each rank, and answer who waits for whom.
constexpr const char* flightRecorder = "flight-recorder";

int reportDumps(const ImportOptions& options) {
    for (const auto& [option, given] : {std::pair{"--out", options.out}, std::pair{"--layout", options.layout.layout}})
        if (!given.empty())
            return failWith(
                {"dumps of a flight recorder become no run", given, "", fmt::format("import without {}", option)});
    std::vector<FlightDump> dumps;
    for (const std::string& file : options.files) {
        auto dump = readFlightDump(file);
        if (!dump) return failWith(dump.error());
        dumps.push_back(std::move(*dump));
    }
    const auto report = reportHang(dumps);
    if (!report) return failWith(report.error());
    print(report->text());
    return success;
}

bool areDumps(const ImportOptions& options) {
    if (!options.format.empty()) return options.format == flightRecorder;
    return std::ranges::any_of(options.files, [](const std::string& file) { return isFlightDump(file); });
}

int importTraces(const ImportOptions& options) {
    if (areDumps(options)) return reportDumps(options);
    auto expected = expectationOf(options.layout);
    if (!expected) return expected.error();
    ImportRequest request{.files = {options.files.begin(), options.files.end()},
                          .out = options.out,
                          .format = options.format,
                          .expected = std::move(*expected)};
    if (request.out.empty()) request.out = defaultOut(request.files.front());
    if (const Status may = mayWrite(request.out, options.force); !may) return failWith(may.error());
    const auto report = importRun(request, progress());
    if (!report) return failWith(report.error());
    for (const std::string& line : report->lines()) printNote(line);
    print(request.out.string() + "\n");
    return success;
}

}  // namespace

void addImport(CommandLine& line) {
    Verb verb(line, "import", "Make a run of what another program recorded; every view shows it");
    const auto options = std::make_shared<ImportOptions>();
    std::vector<std::string> names;
    std::string help;
    for (const ImportFormat& format : importFormats()) {
        names.emplace_back(format.name);
        help += fmt::format("{}{}: {}", help.empty() ? "" : "; ", format.name, format.description);
    }
    names.emplace_back(flightRecorder);
    help +=
        fmt::format("; {}: dumps of PyTorch's flight recorder after a hang, a report instead of a run", flightRecorder);
    verb.option("FILE", options->files, "Traces of one job: one file per rank, or one with all").required();
    verb.option("--from", options->format, "Format, by default seen from the content. " + help).oneOf(names);
    verb.option("--out", options->out, "Run file to write; by default beside the first trace").typeName("RUN");
    addExpectationTo(verb, options->layout);
    verb.flag("--force", options->force, "Replace the run file where it exists");
    verb.runs([options] { return importTraces(*options); });
}

}  // namespace shardlab::cli
