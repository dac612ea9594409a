// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/metrics/rank_detail.h"

#include "engine/trace/metrics/figure_sum.h"

#include <algorithm>
#include <utility>

namespace shardlab::trace {

void IdleTime::add(const Event& event) {
    const bool computes = isCompute(event.kind) && event.lane == Lane::Compute;
    if (!computes && event.kind != EventKind::Wait) return;
    const std::int64_t begin = asFigure(event.begin);
    if (last >= 0) grow(pending, std::max<std::int64_t>(0, begin - last));
    last = std::max(last, asFigure(event.end));
    if (computes) grow(sum, std::exchange(pending, 0));
}

void RankDetail::add(const Event& event) {
    if (const auto category = memoryCategory(event.kind)) {
        std::int64_t& bytes = memory[static_cast<std::size_t>(*category)];
        bytes = std::max(bytes, asFigure(event.bytes));
    }
    if (!isSpan(event.kind) || event.kind == EventKind::Step) return;
    standing.add(event);
    const bool named = nameNumber(event.action) != 0;
    const int stage = event.action == 0 || named ? -1 : actionFromId(event.action).stage;
    const auto order = [](const KindTime& time) { return std::pair(time.kind, time.stage); };
    auto place = std::ranges::lower_bound(kinds, std::pair(event.kind, stage), {}, order);
    if (place == kinds.end() || order(*place) != std::pair(event.kind, stage))
        place = kinds.insert(place, {event.kind, stage});
    ++place->count;
    grow(place->nanoseconds, event.end - event.begin);
    grow(place->bytes, asFigure(event.bytes));
}

}  // namespace shardlab::trace
