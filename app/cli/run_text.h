// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/launch/job/run_summary.h"
#include "engine/trace/run_file/run_file.h"

#include <string>

namespace shardlab::cli {

/// The figures of a run file. Errors: those of opening and reading it.
Result<RunSummary> summaryOf(const std::string& file);

/// A run's figures for people: `run` prints them at its end, `info` tells them of a file. Ranks that are alike share a
/// row, unless `all` are asked for, with their processes.
std::string toText(const RunSummary& summary, const std::string& file, bool all = false);

/// The exit status of a verb that has told what it could of `run`: where the file is damaged, that is said to standard
/// error.
int wasWhole(const RunReader& run);

}  // namespace shardlab::cli
