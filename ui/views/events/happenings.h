// SPDX-License-Identifier: GPL-3.0-or-later
// Everything a run has to tell, in order of time: log lines, commands, faults, overflows, lost events, validations,
// ends of ranks.
#pragma once

#include "ui/core/run_model.h"

#include <QString>

#include <optional>
#include <vector>

namespace shardlab::ui {

struct Happening {
    std::int64_t time = 0;
    int rank = -1;  ///< -1: the run as a whole
    int step = -1;
    LogLevel level = LogLevel::Info;
    QString text;
    std::optional<Event> event;  ///< what it tells of, where the timeline shows it, or the counter that tells of it
    bool operator==(const Happening&) const = default;
};

/// Newest first.
std::vector<Happening> happenings(const RunModel& model);

}  // namespace shardlab::ui
