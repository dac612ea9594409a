// SPDX-License-Identifier: Apache-2.0
// What holds of every import, whatever the trace: an error and nothing left behind, or a run that every view can show.
#pragma once

#include "engine/trace/interchange/import.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

namespace shardlab::fuzz {

inline void requireRun(const std::filesystem::path& file, const ImportReport& report) {
    const auto run = RunReader::open(file);
    require(run.has_value(), "what was imported can be opened");
    require(!(*run)->header().hasLayout() && rankCount((*run)->header().layout) == report.ranks,
            "it has the ranks that were told");
    require((*run)->eventCount() == report.events, "and the events");
    std::int64_t events = 0;
    const Status read = (*run)->readEvents([&](std::span<const Event> some) {
        for (const Event& event : some) {
            require(event.end >= event.begin, "what was imported ends after it begins");
            require(event.rank >= 0 && event.rank < report.ranks, "it is of a rank of the run");
            require(nameNumber(event.action) <= (*run)->names().size(), "its name is in the table");
        }
        events += static_cast<std::int64_t>(some.size());
        return true;
    });
    require(read && events == report.events, "all of it can be read");
    for (const std::string& name : (*run)->names().all())
        require(name.size() <= 4096, "a name is no longer than it may be");
    require((*run)->predicted().has_value() && (*run)->log().has_value(), "and what is beside it");
}

/// `format` empty: detected.
inline void importFile(const std::filesystem::path& file, std::string format) {
    const std::filesystem::path folder = scratch() / "out", out = folder / "run.shardlab";
    std::filesystem::create_directory(folder);
    std::filesystem::remove(out);
    const Result<ImportReport> report = importRun({{file}, out, std::move(format)});
    if (report) {
        for (const std::string& line : report->lines()) require(!line.empty(), "a report's lines say something");
        requireRun(out, *report);
        std::filesystem::remove(out);
    } else {
        requireClear(report.error());
    }
    require(std::filesystem::is_empty(folder), "nothing else is left");
}

}  // namespace shardlab::fuzz
