// SPDX-License-Identifier: Apache-2.0
#include "engine/base/units.h"
#include "engine/layout/check_rules.h"

#include <fmt/format.h>

namespace shardlab {
namespace {

// What a run file holds that no limit takes away: the figures of each step and rank (measured: 48 bytes), its
// losses and the like, the blocks that are being filled, the layout and its prediction.
constexpr std::int64_t bytesOfRankStep = 100;
constexpr std::int64_t bytesOfStep = 120;
constexpr std::int64_t bytesOfRank = 128 << 10;
constexpr std::int64_t bytesOfRun = 512 << 10;

}  // namespace

void checkRun(const Layout& layout, std::vector<Fault>& faults) {
    const std::int64_t limit = layout.run.sizeLimit;
    if (limit <= 0) return;
    const std::int64_t ranks = rankCount(layout);
    const std::int64_t least = bytesOfRun + ranks * bytesOfRank + layout.run.steps * (bytesOfStep + ranks * bytesOfRankStep);
    if (limit >= least) return;
    faults.push_back({"/run/size_limit", fmt::format("{} are too few", formatBytes(limit)),
                      fmt::format("the figures of {} steps of {} ranks are always kept", layout.run.steps, ranks),
                      fmt::format("{} ({}) or more, 0 for no limit, or fewer steps", least, formatBytes(least))});
}

}  // namespace shardlab
