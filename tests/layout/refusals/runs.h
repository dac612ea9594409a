// SPDX-License-Identifier: Apache-2.0
// What is refused of names, hosts and runs.
#pragma once

#include "engine/layout/host_name.h"
#include "tests/layout/refusals/exchange.h"

#include <cstdio>
#include <map>
#include <utility>

namespace shardlab::test {

inline bool namesHosts(const Layout& l) {
    std::map<std::string, int> names;
    return !l.cluster.hosts.empty() && std::ranges::all_of(l.cluster.hosts, [&](const HostSpec& host) {
        return isHostName(host.name) && ++names[host.name] == 1;
    });
}
/// Elastic runs of the default layout's size take checkpoints and go on from them.
inline void elasticFrom(Layout& l, int data) {
    l.run.minData = data;
    l.checkpoint.every = 5;
}
/// Some other number of replicas gets whole microbatches of the same batch, and ZeRO, where there is one, has two.
inline bool hasAnotherSize(const Layout& l) {
    if (l.run.minData == 0) return true;
    for (int data = l.run.minData; data < l.parallel.data; ++data)
        if (l.batch.global % (data * l.batch.micro) == 0 && (data > 1 || l.parallel.zero == 0)) return true;
    return false;
}
inline bool stepsTogether(const Layout& l) { return l.run.minData == 0 || sharesWeights(l); }
/// The first fault that is brought about on purpose: "kill RANK after STEPS".
inline std::pair<int, int> rankAndSteps(const Layout& l) {
    int rank = -1, after = -1;
    if (!l.run.faults.empty()) std::sscanf(l.run.faults[0].c_str(), "%*s %d after %d", &rank, &after);
    return {rank, after};
}

inline constexpr Refusal runRefusals[]{
    {"unknown schedule", [](Layout& l) { l.schedule.kind = "1f1"; }, "/schedule/kind", "did you mean 1f1b?",
     absent("a schedule of that name", [](const Layout& l) { return findScheduleMethod(l.schedule.kind) != nullptr; })},
    {"pace device",
     [](Layout& l) {
         l.cluster.pace = {"h100", 1};
     },
     "/cluster/pace/device", "did you mean h100-sxm?",
     absent("a device of that name", [](const Layout& l) { return findDevice(l.cluster.pace->device) != nullptr; })},
    {"no hosts", [](Layout& l) { l.cluster.hosts.clear(); }, "/cluster/hosts", "at least one",
     absent("a machine to run on", namesHosts)},
    {"empty host name", [](Layout& l) { l.cluster.hosts[0].name = ""; }, "/cluster/hosts/0/name", "letters",
     absent("a host of that name", namesHosts)},
    {"host name that is an option", [](Layout& l) { l.cluster.hosts[0].name = "--mca"; }, "/cluster/hosts/0/name",
     "beginning with a letter", absent("a host of that name", namesHosts)},
    {"host twice",
     [](Layout& l) {
         l.cluster.hosts = {{"a", 2}, {"a", 2}};
     },
     "/cluster/hosts/1/name", "each host once", contradiction("a host has one number of devices", namesHosts)},

    {"an elastic run without a flush",
     [](Layout& l) {
         withoutFlush(l);
         l.run.minData = 1;
     },
     "/run/min_data", "0; or a schedule with a flush, 1f1b",
     wrong("PipeDream (1806.03377): every microbatch of a replica is an update, so that fewer replicas make more of "
           "them in a step, and train differently",
           [](const Layout& l) { return l.run.minData == 0 || updatesBetweenSteps(l); })},
    {"an elastic run without checkpoints", [](Layout& l) { l.run.minData = 1; }, "/checkpoint/every",
     "1 or more; or run.min_data 0",
     absent("a checkpoint to go on from",
            [](const Layout& l) { return l.run.minData == 0 || l.checkpoint.every > 0; })},
    {"more replicas at least than at most", [](Layout& l) { elasticFrom(l, 3); }, "/run/min_data", "1; or 0",
     contradiction("min_data < data", hasAnotherSize)},
    {"an elastic run of one size", [](Layout& l) { elasticFrom(l, 2); }, "/run/min_data", "1; or 0",
     contradiction("global ÷ (n × micro) is whole for some n from min_data to data − 1", hasAnotherSize)},
    {"an elastic run of one size, as ZeRO needs two",
     [](Layout& l) {
         elasticFrom(l, 1);
         l.parallel.zero = 1;
     },
     "/run/min_data", "0: this layout has no other size",
     contradiction("global ÷ (n × micro) is whole for some n from min_data to data − 1", hasAnotherSize)},
    {"elastic workers without a common step",
     [](Layout& l) {
         asyncServer(l);
         l.run.minData = 2;
     },
     "/run/min_data", "0; or parallel.exchange allreduce or server",
     wrong("an asynchronous parameter server: how old a gradient is depends on how many workers there are",
           stepsTogether)},
    {"elastic replicas with weights of their own",
     [](Layout& l) {
         elastic(l);
         l.run.minData = 1;
     },
     "/run/min_data", "0; or parallel.exchange allreduce or server",
     wrong("EASGD (1412.6651): a replica that goes takes weights with it that no other one has", stepsTogether)},
    {"elastic workers that share weights",
     [](Layout& l) {
         hogwild(l);
         l.run.minData = 2;
     },
     "/run/min_data", "0; or parallel.exchange allreduce or server",
     wrong("Hogwild (1106.5730): each worker's gradient is an update of its own, and fewer make fewer", stepsTogether)},

    {"a fault that nobody knows", [](Layout& l) { l.run.faults = {"burn 1 after 2"}; }, "/run/faults/0",
     "kill, hang or slow",
     absent("such a fault", [](const Layout& l) { return !l.run.faults[0].starts_with("burn"); })},
    {"a fault of nobody", [](Layout& l) { l.run.faults = {"kill 4 after 2"}; }, "/run/faults/0", "rank 0 to 3",
     contradiction("rank < ranks", [](const Layout& l) { return rankAndSteps(l).first < ranksOf(l); })},
    {"a fault that never happens", [](Layout& l) { l.run.faults = {"kill 1 after 200"}; }, "/run/faults/0",
     "after 0 to 199",
     contradiction("steps before the fault < steps",
                   [](const Layout& l) { return rankAndSteps(l).second < l.run.steps; })},
    {"a file smaller than what is always kept", [](Layout& l) { l.run.sizeLimit = 1000; }, "/run/size_limit",
     "or more; or 0 for no limit; or fewer run.steps",
     contradiction("size_limit ≥ 48 bytes, as measured, for each step and rank",
                   [](const Layout& l) {
                       return l.run.sizeLimit == 0 || l.run.sizeLimit >= std::int64_t{48} * l.run.steps * ranksOf(l);
                   })},
};

}  // namespace shardlab::test
