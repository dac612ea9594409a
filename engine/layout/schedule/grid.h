// SPDX-License-Identifier: Apache-2.0
// The grid of text.h, cut to what fits an error message.
#pragma once

#include "engine/layout/schedule/schedule.h"

namespace shardlab::layout {

struct GridWindow {
    int ranks = 1 << 30;  ///< rows on either side of the marked one
    int slots = 1 << 30;  ///< columns on either side of the marked one
};

std::string renderGrid(const Schedule& schedule, const Action* marked, int markedRank, GridWindow window);

}  // namespace shardlab::layout
