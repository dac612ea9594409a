// SPDX-License-Identifier: GPL-3.0-or-later
// Where each action of a schedule stands in its grid of ranks × unit slots: F, I, W and R take one slot, B two.
#pragma once

#include "engine/layout/schedule/validate.h"

#include <QString>

#include <vector>

namespace shardlab::ui {

struct OrderCell {
    int begin = 0;
    int slots = 1;
    int position = -1;  ///< in the rank's list; -1: an action that is missing from it
    Action action;
    QString text;
    int end() const { return begin + slots; }
};

struct OrderCells {
    std::vector<std::vector<OrderCell>> ranks;  ///< ascending by slot
    int slots = 0;                              ///< the longest rank's
};

/// Actions that never begin follow one another at the end of their rank; so does what `wrong` misses.
OrderCells cellsOf(const Schedule& schedule, const std::optional<Finding>& wrong);

}  // namespace shardlab::ui
