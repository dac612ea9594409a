// SPDX-License-Identifier: Apache-2.0
// A new run file: what it may replace, and that a file of its name is a run from its first moment.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/run_file/run_file.h"
#include "engine/trace/run_file/sqlite.h"

#include <filesystem>

namespace shardlab::trace {

/// A new run file with all tables and the header, in WAL mode, its write lock taken. Errors: see RunWriter::create.
Result<Database> createRunFile(const std::filesystem::path& file, const RunHeader& header);

/// Whether somebody records into the run at this moment; it must be one. False too where that cannot be told, as of a
/// file that may not be written. While a RunReader has the file open, asking changes nothing of it.
bool isBeingRecorded(const std::filesystem::path& file);

}  // namespace shardlab::trace
