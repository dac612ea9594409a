// SPDX-License-Identifier: Apache-2.0
// A run that failed, or was asked for another size, and went on from a checkpoint: it may hold some steps twice. What
// counts is the last time they were done; what was recorded of them before is superseded. It stays in the run and on
// the timeline, where it happened, but is part of no figure of a step.
#pragma once

#include "engine/trace/event/event.h"

#include <limits>
#include <span>
#include <vector>

namespace shardlab::trace {

/// Only the launcher records it: no rank can take steps away.
constexpr bool isRestart(const Event& event) {
    return event.kind == EventKind::Restart && event.rank == -1 && event.step >= 0;
}

class Restarts {
public:
    Restarts() = default;
    explicit Restarts(std::span<const Event> events) {
        for (const Event& event : events) add(event);
    }
    /// False where `event` is no restart, or one that is known. Whoever is told of one that is new drops what it holds
    /// and is superseded now.
    bool add(const Event& event);
    bool superseded(const Event& event) const { return !all_.empty() && supersededByAny(event); }
    bool empty() const { return all_.empty(); }
    const std::vector<Event>& all() const { return all_; }  ///< ascending by begin

    /// Between two restarts, or from the beginning, or to the end: steps ascend in it.
    struct Window {
        std::int64_t begin = std::numeric_limits<std::int64_t>::min();
        std::int64_t end = std::numeric_limits<std::int64_t>::max();  ///< not in it
    };
    /// The window in which the step was done the last time, which counts.
    Window lastOf(int step) const;
    /// How many of `all` ranks did the step: an elastic run has fewer for some time.
    int ranksOf(int step, int all) const;

private:
    bool supersededByAny(const Event& event) const;

    std::vector<Event> all_;
};

}  // namespace shardlab::trace
