// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/scanned_block.h"

#include "ui/core/point_events.h"

#include <algorithm>
#include <iterator>

namespace shardlab::ui {

ScannedBlock scanned(const BlockPlace& place, std::span<const Event> events, const DecodedBlock& block, bool figures) {
    ScannedBlock made{
        .place = place, .digest = std::make_shared<const BlockDigest>(digestOf(block)), .told = {}, .figured = {}};
    const auto isTold = [](const Event& event) {
        return PointEvents::keeps(event.kind) || event.kind == EventKind::MemoryPeak;
    };
    std::ranges::copy_if(events, std::back_inserter(made.told), isTold);
    if (figures) made.figured.assign(events.begin(), events.end());
    return made;
}

}  // namespace shardlab::ui
