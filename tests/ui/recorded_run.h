// SPDX-License-Identifier: GPL-3.0-or-later
// Run files to open, for tests only: a layout's predicted step again and again with jitter.
#pragma once

#include "engine/launch/job/run_header.h"
#include "tests/ui/synthetic_run.h"
#include "tests/support/wings.h"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace shardlab::test {

/// `slow`: a rank whose computations take `factor` times as long in every step; -1: none.
inline void recordRun(const std::filesystem::path& file, const Plan& plan, int steps, std::uint32_t seed, int slow = -1,
                      double factor = 1.5) {
    auto writer = RunWriter::create(file, headerOf(plan));
    if (!writer) throw std::runtime_error(writer.error().text());
    std::vector<Event> events = syntheticRun(plan, steps, seed);
    for (Event& event : events)
        if (event.rank == slow && isCompute(event.kind))
            event.end = event.begin + static_cast<std::int64_t>(static_cast<double>(event.end - event.begin) * factor);
    for (const RankRecord& record : syntheticRanks(plan)) static_cast<void>((*writer)->setRank(record));
    const Status stored = [&] {
        Status status = (*writer)->appendPredicted(plan.simulation.events);
        if (status) status = (*writer)->append(events);
        if (status) status = (*writer)->finish({"finished", ""});
        return status;
    }();
    if (!stored) throw std::runtime_error(stored.error().text());
}

}  // namespace shardlab::test
