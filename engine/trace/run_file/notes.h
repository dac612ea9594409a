// SPDX-License-Identifier: Apache-2.0
// What people write beside a run: a moment, perhaps a rank, and a text; kept in the run file.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace shardlab::trace {

struct Note {
    std::int64_t id = 0;    ///< 0: not kept yet
    std::int64_t time = 0;  ///< nanoseconds of the run's clock
    int rank = -1;          ///< -1: of the run as a whole
    std::string text;
    std::string created;  ///< ISO 8601, UTC
    bool operator==(const Note&) const = default;
};

/// Writes a note into a run that is not being recorded; sets its id where it has none, else replaces the one that has
/// it. A file of an older format is brought to the newest first. Errors: no run, a run that is being recorded, a file
/// that cannot be written.
Status keepNote(const std::filesystem::path& run, Note& note);
/// Takes one away; one that is not there is none.
Status dropNote(const std::filesystem::path& run, std::int64_t id);

}  // namespace shardlab::trace
