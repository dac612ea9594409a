// SPDX-License-Identifier: GPL-3.0-or-later
// What lies in a stretch of time on some ranks: how many spans of each kind and rank, and how long they last there.
#pragma once

#include "engine/trace/event/event.h"
#include "ui/core/selection.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shardlab::ui {

/// Nanoseconds, of each span the part within the area.
struct AreaFigures {
    std::int64_t count = 0;
    std::int64_t total = 0;
    double mean = 0;
    std::int64_t p95 = 0;  ///< the smallest that 95 % of them do not exceed
    std::int64_t largest = 0;
};

class AreaStatistics {
public:
    /// `ranks` empty: all.
    void begin(TimeRange area, std::vector<int> ranks);
    /// Adds an event. Events that do not reach into the area are passed over, and so are spans that consist of others:
    /// steps, validations, annotations.
    void add(const Event& event);

    const TimeRange& area() const { return area_; }
    using Key = std::pair<int, EventKind>;  ///< rank (−1: all) and kind (None: all)
    /// The figures of every kind on all ranks, of every rank, and of every kind on every rank, in this order of keys;
    /// the first entry is of everything. Sums over kinds leave out spans that lie within other spans, such as a
    /// recomputation within its backward.
    std::map<Key, AreaFigures> figures() const;

private:
    TimeRange area_;
    std::vector<int> ranks_;
    std::map<Key, std::vector<std::int64_t>> parts_;  ///< by rank and kind
};

}  // namespace shardlab::ui
