// SPDX-License-Identifier: Apache-2.0
// Other programs draw a thread's spans as a stack: they nest or follow each other. The spans of a lane may overlap, so
// a lane is as many rows as that takes.
#pragma once

#include "engine/trace/event/event.h"

#include <vector>

namespace shardlab::trace {

class LaneRows {
public:
    struct Place {
        int row = 0;
        bool fresh = false;  ///< the first span of its row
    };
    /// The first row whose open spans have all ended, or hold the whole of `event`.
    Place place(const Event& event) {
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            Row& open = rows_[row];
            if (event.begin < open.last) continue;
            while (!open.ends.empty() && open.ends.back() <= event.begin) open.ends.pop_back();
            if (!open.ends.empty() && event.end > open.ends.back()) continue;
            open.ends.push_back(event.end);
            open.last = event.begin;
            return {static_cast<int>(row), false};
        }
        rows_.push_back({{event.end}, event.begin});
        return {static_cast<int>(rows_.size() - 1), true};
    }

private:
    struct Row {
        std::vector<std::int64_t> ends;  ///< of the spans that may be open, outermost first
        std::int64_t last = 0;           ///< begin of the span placed last
    };
    std::vector<Row> rows_;
};

}  // namespace shardlab::trace
