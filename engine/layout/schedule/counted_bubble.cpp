// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/generators.h"
#include "engine/layout/schedule/slots.h"

namespace shardlab::layout {

double countedBubble(const Schedule& compute) {
    const SlotTimes times = slotTimes(compute);
    double busy = 0;
    for (const auto& actions : compute.ranks)
        for (const Action& action : actions) busy += slotsOf(action.kind);
    const double whole = double(times.end) * static_cast<double>(compute.ranks.size());
    return whole > 0 ? 1 - busy / whole : 0;
}

}  // namespace shardlab::layout
