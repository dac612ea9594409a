// SPDX-License-Identifier: Apache-2.0
// Runs in other programs' formats; one file per format. Written beside, then renamed; never all in memory.
#pragma once

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/trace/run_file/run_file.h"

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace shardlab::trace {

struct ExportFormat {
    std::string_view name;         ///< "csv"
    std::string_view extension;    ///< ".csv"
    std::string_view description;  ///< one line for a person
    Status (*write)(const RunReader& run, ReplacingFile& out);
};

/// csv: one row per event, predicted ones first; the columns are written down in resources/manual/70-run-file.md. Rows
/// of a lane ascend.
Status writeCsv(const RunReader& run, ReplacingFile& out);
/// chrome: the JSON of chrome://tracing, which ui.perfetto.dev opens: a process per rank, threads per lane, counters,
/// an arrow from each send to its receive, and the predicted step as processes of its own.
Status writeChrome(const RunReader& run, ReplacingFile& out);

/// perfetto: the protobuf of ui.perfetto.dev, with tracks per rank and lane, flows from send to receive, and counters.
Status writePerfetto(const RunReader& run, ReplacingFile& out);
/// sqlite: a database with a table of events, one row each, and the other tables of shardlab query.
Status writeRows(const RunReader& run, ReplacingFile& out);

/// Gives `take` the predicted events, then block by block the measured ones until it returns false. Errors: the
/// predicted ones, or what a block holds, cannot be read; all others have been given.
Status visitEvents(const RunReader& run, const std::function<bool(std::span<const Event>, EventSource)>& take);

std::span<const ExportFormat> exportFormats();
/// Error: an unknown name; says which there are.
Result<ExportFormat> findExportFormat(std::string_view name);

/// Errors: the file cannot be written (nothing is left of it); the run is damaged, and what precedes the damage, or
/// can be read in spite of it, has been exported.
Status exportRun(const RunReader& run, const ExportFormat& format, const std::filesystem::path& file);
Status exportRun(FileSystem& files, const RunReader& run, const ExportFormat& format,
                 const std::filesystem::path& file);

}  // namespace shardlab::trace
