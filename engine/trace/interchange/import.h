// SPDX-License-Identifier: Apache-2.0
// Traces and logs of other programs as runs that every view shows; one file per format. Each is read as a stream, never
// all in memory.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/interchange/expected_run.h"
#include "engine/trace/interchange/input_stream.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

class ForeignTrace;

struct ImportFormat {
    std::string_view name;         ///< "kineto"
    std::string_view title;        ///< "PyTorch profiler"
    std::string_view description;  ///< one line for a person
    /// Adds what is in `file` to `trace`.
    Status (*read)(const std::filesystem::path& file, ForeignTrace& trace, const ShareWatcher& watcher);
};

std::span<const ImportFormat> importFormats();
/// Error: an unknown name; says which there are.
Result<ImportFormat> findImportFormat(std::string_view name);
/// By the file's content. Errors: it cannot be read, or is of no format that is known.
Result<ImportFormat> detectImportFormat(const std::filesystem::path& file);

struct ImportCount {
    std::string what;  ///< "flow events"
    std::int64_t count = 0;
};

struct ImportReport {
    std::string origin;  ///< title of the format
    int ranks = 0;
    std::optional<int> job;  ///< what was read is of a whole job, whose ranks it may not name: how many; 0: not told
    std::int64_t events = 0;
    std::int64_t names = 0;
    int steps = 0;
    double seconds = 0;                ///< from the first begin to the last end
    std::vector<std::string> notes;    ///< in English, as the run keeps them in its log
    std::vector<ImportCount> ignored;  ///< what was not understood, most first
    /// "imported 1.2 k events of 2 ranks from PyTorch profiler, 4 steps, 3.1 s"
    Sentence summary() const;
    /// The summary and what follows from it, one line each, for a terminal and the run's log.
    std::vector<std::string> lines() const;
};

struct ImportRequest {
    std::vector<std::filesystem::path> files;  ///< of one training job, one or more per rank
    std::filesystem::path out;                 ///< run file; replaced where it is a run
    std::string format;                        ///< empty: detected, the same for all files
    std::optional<ExpectedRun> expected = {};  ///< the layout that was trained; none: the run has no layout
};

/// With an expected layout the run has it and its prediction, as that of a program that is listened to. On an error,
/// traces of another layout among them, nothing is left of `out`, and what was there before stays.
Result<ImportReport> importRun(const ImportRequest& request, const ShareWatcher& watcher = {});

}  // namespace shardlab::trace
