// SPDX-License-Identifier: Apache-2.0
#include "engine/base/units.h"
#include "engine/layout/check/check_rules.h"
#include "engine/layout/fault_list.h"
#include "engine/layout/injected_fault.h"

#include <fmt/format.h>

namespace shardlab::layout {
namespace {

// What a run file holds that no limit takes away: the figures of each step and rank (measured: 48 bytes), its
// losses and the like, the blocks that are being filled, the layout and its prediction.
constexpr std::int64_t bytesOfRankStep = 100;
constexpr std::int64_t bytesOfStep = 120;
constexpr std::int64_t bytesOfRank = 128 << 10;
constexpr std::int64_t bytesOfRun = 512 << 10;

void checkInjectedFaults(const Layout& layout, std::vector<Fault>& faults) {
    const std::int64_t ranks = rankCount(layout);
    for (std::size_t i = 0; i < layout.run.faults.size() && faults.size() <= mostFaults; ++i) {
        const std::string pointer = fmt::format("/run/faults/{}", i);
        const Result<InjectedFault> fault = parseInjectedFault(layout.run.faults[i]);
        if (!fault) {
            faults.push_back({pointer,
                              say("'{}' is no fault that can be brought about", layout.run.faults[i].substr(0, 60)),
                              fault.error().why, fault.error().legal});
            continue;
        }
        if (fault->rank < 0 || fault->rank >= ranks)
            faults.push_back({pointer, say("there is no rank {}", fault->rank), say("the layout has {} of them", ranks),
                              say("rank 0 to {}", ranks - 1)});
        if (fault->after < 0 || fault->after >= layout.run.steps)
            faults.push_back({pointer, say("a fault after {} steps would never happen", fault->after),
                              say("the run has {} of them", layout.run.steps),
                              say("after 0 to {}", layout.run.steps - 1)});
    }
}

}  // namespace

void checkRun(const Layout& layout, std::vector<Fault>& faults) {
    checkInjectedFaults(layout, faults);
    const std::int64_t limit = layout.run.sizeLimit;
    if (limit <= 0) return;
    const std::int64_t ranks = rankCount(layout);
    const std::int64_t least =
        bytesOfRun + ranks * bytesOfRank + layout.run.steps * (bytesOfStep + ranks * bytesOfRankStep);
    if (limit >= least) return;
    faults.push_back({"/run/size_limit", say("a limit of {} is too small", formatBytes(limit)),
                      say("the metrics of {} steps of {} ranks are always kept", layout.run.steps, ranks),
                      say("{} ({}) or more; or 0 for no limit; or fewer run.steps", least, formatBytes(least))});
}

}  // namespace shardlab::layout
