// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/order/order_cells.h"

#include "engine/layout/schedule/slots.h"

#include <algorithm>

namespace shardlab::ui {

OrderCells cellsOf(const Schedule& schedule, const std::optional<Finding>& wrong) {
    const SlotTimes times = slotTimes(schedule);
    OrderCells cells;
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
        std::vector<OrderCell>& row = cells.ranks.emplace_back();
        int end = 0;
        const auto put = [&](const Action& action, int begin, int position) {
            const int slots = std::max(1, slotsOf(action.kind));
            row.push_back({std::max(begin, end), slots, position, action, QString::fromStdString(toText(action))});
            end = row.back().end();
        };
        const auto& actions = schedule.ranks[rank];
        for (std::size_t i = 0; i < actions.size(); ++i)
            put(actions[i], i < times.reached[rank] ? times.begin[rank][i] : times.end, static_cast<int>(i));
        if (wrong && wrong->rank == static_cast<int>(rank) && wrong->position < 0) put(wrong->action, times.end, -1);
        cells.slots = std::max(cells.slots, end);
    }
    return cells;
}

}  // namespace shardlab::ui
