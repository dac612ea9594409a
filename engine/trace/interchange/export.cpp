// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/export.h"

#include <algorithm>
#include <array>
#include <string>

namespace shardlab::trace {
namespace {

constexpr std::array knownExports{
    ExportFormat{"csv", ".csv", "one row per event, for spreadsheets and scripts", writeCsv},
    ExportFormat{"chrome", ".json", "trace for ui.perfetto.dev and chrome://tracing", writeChrome},
    ExportFormat{"perfetto", ".pftrace", "trace for ui.perfetto.dev, smaller and faster to open", writePerfetto},
    ExportFormat{"sqlite", ".sqlite", "a database with one row per event", writeRows},
};

}  // namespace

Status visitEvents(const RunReader& run, const std::function<bool(std::span<const Event>, EventSource)>& take) {
    const auto predicted = run.predicted();
    if (predicted) take(*predicted, EventSource::Predicted);
    const Status read =
        run.readEvents([&](std::span<const Event> block) { return take(block, EventSource::Measured); });
    return predicted ? read : fail(predicted.error());
}

std::span<const ExportFormat> exportFormats() { return knownExports; }

Result<ExportFormat> findExportFormat(std::string_view name) {
    const auto found = std::ranges::find(knownExports, name, &ExportFormat::name);
    if (found != knownExports.end()) return *found;
    std::string legal = "Possible are";
    for (const ExportFormat& format : knownExports)
        legal += (&format == knownExports.data() ? " " : ", ") + std::string(format.name);
    return fail({say("unknown export format"), std::string(name), "", legal});
}

Status exportRun(const RunReader& run, const ExportFormat& format, const std::filesystem::path& file) {
    DiskFileSystem files;
    return exportRun(files, run, format, file);
}

Status exportRun(FileSystem& files, const RunReader& run, const ExportFormat& format,
                 const std::filesystem::path& file) {
    auto out = ReplacingFile::open(files, file);
    if (!out) return fail(out.error());
    Status written = format.write(run, *out);
    if (written && run.damage()) written = fail(*run.damage());
    // The format's writer fails where the run is damaged, or where a write failed; in the second case commit() fails
    // too.
    const Status committed = out->commit();
    if (!committed) return committed;
    if (!written) {
        Error error = written.error();
        error.legal = say("All that could be read has been exported to {}", file.string());
        return fail(error);
    }
    return {};
}

}  // namespace shardlab::trace
