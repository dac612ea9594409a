// SPDX-License-Identifier: Apache-2.0
// A trace that was imported, as tests look at it.
#pragma once

#include "engine/trace/interchange/import.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/wings.h"

#include <QtGlobal>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::test {

struct Imported {
    ImportReport report;
    std::unique_ptr<RunReader> run;  ///< null: the import failed
    std::vector<Event> events;       ///< by begin

    std::string_view name(const Event& event) const { return run->names().of(event.action); }
    std::vector<Event> of(EventKind kind, int rank = -1) const {
        std::vector<Event> found;
        std::ranges::copy_if(events, std::back_inserter(found), [&](const Event& event) {
            return event.kind == kind && (rank < 0 || event.rank == rank);
        });
        return found;
    }
    std::vector<Event> named(std::string_view what) const {
        std::vector<Event> found;
        std::ranges::copy_if(events, std::back_inserter(found),
                             [&](const Event& event) { return name(event) == what; });
        return found;
    }
    std::int64_t ignored(std::string_view what) const {
        for (const ImportCount& each : report.ignored)
            if (each.what.find(what) != std::string::npos) return each.count;
        return 0;
    }
};

inline Imported importAll(const ImportRequest& request) {
    auto report = importRun(request);
    if (!report) {
        qWarning("%s", report.error().text().c_str());
        return {};
    }
    Imported made{*report, std::move(*RunReader::open(request.out)), {}};
    static_cast<void>(made.run->readEvents([&](std::span<const Event> block) {
        made.events.insert(made.events.end(), block.begin(), block.end());
        return true;
    }));
    std::ranges::stable_sort(made.events, {}, &Event::begin);
    return made;
}

/// Empty where the import succeeds.
inline std::string importError(const ImportRequest& request) {
    const auto report = importRun(request);
    return report ? std::string() : report.error().text();
}

}  // namespace shardlab::test
