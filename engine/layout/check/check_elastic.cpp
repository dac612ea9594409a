// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"
#include "engine/layout/check/elastic_sizes.h"
#include "engine/layout/exchange.h"
#include "engine/layout/suggest.h"

namespace shardlab::layout {
namespace {

constexpr std::string_view minData = "/run/min_data";
constexpr std::size_t mostNamed = 6;

/// Why its number of replicas cannot change in the middle of a run; empty: it can.
Sentence fixedBecause(Exchange exchange) {
    switch (exchange) {
    case Exchange::AsyncServer:
        return say("it takes no checkpoints, and with fewer workers the order of updates would be another");
    case Exchange::Elastic: return say("a replica that goes takes weights with it that no other one has");
    case Exchange::Hogwild: return say("each worker updates by itself: fewer of them would train differently");
    case Exchange::AllReduce:
    case Exchange::Server: return {};
    }
    return {};
}

/// The largest `most` admissible numbers below parallel.data, of `least` and more.
std::vector<std::string> smallerSizes(const Layout& layout, std::span<const ScheduleMethod> schedules, int least,
                                      std::size_t most) {
    std::vector<std::string> sizes;
    for (int data = layout.parallel.data - 1; data >= least && sizes.size() < most; --data)
        if (isAdmissible(layout, data, schedules)) sizes.push_back(std::to_string(data));
    return sizes;
}

}  // namespace

void checkElasticity(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    const int least = layout.run.minData, data = layout.parallel.data;
    if (least <= 0) return;
    if (Sentence why = fixedBecause(layout.parallel.exchange); !why.empty()) {
        faults.push_back({std::string(minData), say("{} cannot be elastic", wordOf(layout.parallel.exchange)),
                          std::move(why), say("0; or parallel.exchange allreduce or server")});
        return;
    }
    if (const ScheduleMethod* schedule = flushlessMethod(layout, schedules)) {
        faults.push_back({std::string(minData), say("{} cannot be elastic", schedule->name),
                          say("its updates follow the microbatches of one replica, of which another number of replicas "
                              "has more or fewer"),
                          say("0; or a schedule with a flush, 1f1b")});
        return;
    }
    if (layout.checkpoint.every == 0)
        faults.push_back({"/checkpoint/every", say("an elastic run has no checkpoints"),
                          say("it goes on from its newest checkpoint, with another number of replicas"),
                          say("1 or more; or run.min_data 0")});
    if (!faults.empty()) return;  // no other size would be legal either
    const bool outside = least > data;
    if (!outside && !smallerSizes(layout, schedules, least, 1).empty()) return;
    const std::vector<std::string> smaller = smallerSizes(layout, schedules, 1, mostNamed);
    faults.push_back(
        {std::string(minData),
         outside ? say("the fewest replicas, {}, are more than all {}", least, data)
                 : say("no number of replicas from {} to {} can continue the run", least, data - 1),
         outside
             ? say("a run has parallel.data replicas at most")
             : say("each of them must get whole microbatches of the global batch, and everything else must stay legal"),
         smaller.empty() ? say("0: this layout has no other size") : say("{}; or 0", alternatives(smaller))});
}

}  // namespace shardlab::layout
