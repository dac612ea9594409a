// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/late_start.h"

#include "engine/base/clock.h"
#include "engine/base/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::launch {

namespace {

constexpr std::int64_t lateAfter = 20 * nsPerSecond;
constexpr std::int64_t stuckAfter = 300 * nsPerSecond;  // a disk that stands still holds up a start, too
constexpr std::ptrdiff_t mostLateNamed = 8;

}  // namespace

void LateStart::begin(std::int64_t now) {
    begun_ = lastProcess_ = now;
    due_ = lateAfter;
}

bool LateStart::isStuck(std::int64_t now, bool processes) {
    if (processes) lastProcess_ = now;
    return now - lastProcess_ >= stuckAfter;
}

std::string LateStart::look(std::int64_t now, std::span<const RankFate> ranks, std::span<const std::string> hosts) {
    if (now - begun_ < due_) return {};
    due_ *= 2;
    const std::ptrdiff_t missing = std::ranges::count(ranks, false, &RankFate::joined);
    std::string told = fmt::format("{} of {} ranks have not begun after {}", missing, ranks.size(),
                                   formatSeconds(toSeconds(now - begun_)));
    std::ptrdiff_t named = 0;
    for (std::size_t rank = 0; rank < ranks.size() && named < mostLateNamed; ++rank) {
        if (ranks[rank].joined) continue;
        told += fmt::format("{}rank {}", named++ == 0 ? ": " : ", ", rank);
        if (!hosts.empty()) told += " on " + hosts[rank];
    }
    return told + (missing > named ? ", …" : "");
}

}  // namespace shardlab::launch
