// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/units.h"
#include "engine/layout/devices.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/stacks.h"
#include "engine/predict/evidence/published_ground.h"

#include <fmt/format.h>
#include <memory>

namespace shardlab::cli {
namespace {

struct ValidateOptions {
    std::string file;
    std::string stacks;
    std::string run;
    bool json = false;
};

std::string signedPercent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string validationText(const std::vector<ValidatedRow>& rows, const ValidationSummary& summary) {
    Table table({"run", "stack", "published", "predicted", "error", "memory"});
    for (const ValidatedRow& row : rows) {
        if (!row.run.refused.empty() || !row.counts()) continue;
        const auto error = row.error(), memory = row.memoryError();
        table.add({row.run.id, row.run.layout.cluster.pace->stack,
                   row.run.seconds ? formatSeconds(*row.run.seconds) : "",
                   row.seconds ? formatSeconds(*row.seconds) : "", error ? signedPercent(*error) : "",
                   memory ? signedPercent(*memory) : ""});
    }
    std::string text = table.text() + "\n";
    Table sources({"source", "runs", "median error", "nine of ten", "bias"});
    for (const auto& source : summary.sources)
        if (source.time.rows > 0)
            sources.add({source.source, std::to_string(source.time.rows), formatPercent(source.time.median),
                         formatPercent(source.time.ninetieth), signedPercent(source.time.bias)});
    text += sources.text() + "\n";
    text +=
        fmt::format("{} of {} complete runs are predicted. Step: median error {}, nine of ten at most {}, worst {}.\n",
                    summary.predicted, summary.rows, formatPercent(summary.time.median),
                    formatPercent(summary.time.ninetieth), formatPercent(summary.time.worst));
    if (summary.memory.rows > 0)
        text += fmt::format("Memory, {} runs: median error {}, nine of ten at most {}.\n", summary.memory.rows,
                            formatPercent(summary.memory.median), formatPercent(summary.memory.ninetieth));
    for (const ValidatedRow& row : rows)
        if (!row.run.refused.empty()) text += fmt::format("{}: refused: {}\n", row.run.id, row.run.refused);
    return text;
}

/// Prints the layout of one run.
int printLayout(const CsvTable& table, const std::string& id, const std::filesystem::path& file) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.cell(row, "id") != id) continue;
        const PublishedRun run = publishedRun(table, row);
        if (!run.refused.empty()) return failWith({"cannot make a layout of " + id, file.string(), run.refused, ""});
        print(writeLayout(run.layout));
        return success;
    }
    return failWith({"there is no such run", file.string(), id + " is no id in this table", ""});
}

std::vector<ValidatedRow> validatedRows(const CsvTable& table) {
    ProgressLine line;
    return validate(table, [&](std::size_t done) { line.show(fmt::format("{} of {} runs", done, table.rows())); });
}

int validateRuns(const ValidateOptions& options) {
    if (!options.stacks.empty()) {
        Result<StackList> stacks = readStacks(options.stacks);
        if (!stacks) return failWith(stacks.error());
        useStacks(std::move(*stacks));
        useDevices(readDevices(std::filesystem::path(options.stacks) / "devices", userDevicesFolder()));
    }
    const std::filesystem::path file = options.file.empty() ? publishedRunsFile() : std::filesystem::path(options.file);
    const Result<CsvTable> table = CsvTable::read(file);
    if (!table) return failWith(table.error());
    if (!options.run.empty()) return printLayout(*table, options.run, file);
    const std::vector<ValidatedRow> rows = validatedRows(*table);
    const ValidationSummary summary = summarize(rows);
    print(options.json ? toJson(rows, summary) + "\n" : validationText(rows, summary));
    return success;
}

}  // namespace

void addValidate(CommandLine& line) {
    Verb verb(line, "validate",
              "Compare predictions with published runs: step time and memory of every row of a table");
    const auto options = std::make_shared<ValidateOptions>();
    verb.option("FILE", options->file,
                "A table as resources/published/README.md describes it; by default the one that comes with Shardlab");
    verb.option(
            "--figures", options->stacks,
            "Take software stacks, architectures and devices from this folder's stacks/, architectures/ and devices/")
        .typeName("FOLDER");
    verb.option("--layout", options->run, "Print the layout of this run instead").typeName("ID");
    verb.flag("--json", options->json, "Answer with one JSON object");
    verb.runs([options] { return validateRuns(*options); });
}

}  // namespace shardlab::cli
