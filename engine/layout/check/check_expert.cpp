// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"
#include "engine/layout/exchange.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace shardlab::layout {
namespace {

/// Experts are alike on fewer ranks than the rest: what treats all weights of a rank as one goes with none of it.
void checkReductions(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    if (p.zero == 3 && p.partition == PartitionKind::Layers)
        faults.push_back({"/parallel/partition",
                          fmt::format("whole layers to replicas with experts over {} ranks", p.expert),
                          "a replica would own experts that it does not hold", "flat; or parallel.expert 1"});
    if (p.exchange != Exchange::AllReduce)
        faults.push_back({"/parallel/exchange",
                          fmt::format("the exchange {} with experts over {} ranks", wordOf(p.exchange), p.expert),
                          "it moves a replica's whole weights or gradients, and replicas hold different experts",
                          "allreduce; or parallel.expert 1"});
    if (p.allReduce == AllReduceKind::Ring)
        faults.push_back({"/parallel/all_reduce", fmt::format("a ring with experts over {} ranks", p.expert),
                          "it goes through all replicas, and gradients of experts are summed only over those that hold "
                          "the same experts",
                          "backend; or parallel.expert 1"});
    if (p.bucket == 0 && p.zero == 0)
        faults.push_back({"/parallel/bucket", fmt::format("no buckets with experts over {} ranks", p.expert),
                          "without buckets all gradients of a stage are summed at once over all replicas, which hold "
                          "different experts",
                          "above 0; or ZeRO 1, whose shards are summed one by one; or parallel.expert 1"});
    const auto method = std::ranges::find(schedules, layout.schedule.kind, &ScheduleMethod::name);
    if (method != schedules.end() && !method->flushes)
        faults.push_back(
            {"/parallel/expert", fmt::format("{} with experts over {} ranks", method->name, p.expert),
             "its stages sum all their gradients at once over all replicas, in the middle of a step, and replicas hold "
             "different experts",
             "1; or a schedule with a flush, 1f1b"});
}

/// The biases move between steps, by what all replicas' tokens chose in the last one.
void checkChoiceBias(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    if (!biasesChoice(layout.model)) return;
    if (layout.parallel.exchange != Exchange::AllReduce)
        faults.push_back({"/model/bias_rate",
                          fmt::format("a bias of the choice with the exchange {}", wordOf(layout.parallel.exchange)),
                          "its steps go by the choices of all replicas, which only update together with allreduce",
                          "0; or parallel.exchange allreduce"});
    const auto method = std::ranges::find(schedules, layout.schedule.kind, &ScheduleMethod::name);
    if (method != schedules.end() && !method->flushes)
        faults.push_back({"/model/bias_rate", fmt::format("a bias of the choice with {}", layout.schedule.kind),
                          "it moves between steps, and without a flush microbatches of several steps are under way",
                          "0; or a schedule with a flush, 1f1b"});
}

}  // namespace

void checkExpert(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    checkChoiceBias(layout, schedules, faults);
    const ParallelSpec& p = layout.parallel;
    const int e = p.expert, experts = layout.model.experts.count;
    if (e <= 1 || p.data < 1 || experts < 1) return;
    if (!hasExperts(layout.model)) {
        faults.push_back({"/parallel/expert", fmt::format("no experts to spread over {} ranks", e),
                          fmt::format("the model {} has none", wordOf(layout.model.kind)),
                          "1; or model.kind gpt-moe or llama-moe"});
        return;
    }
    if (p.data % e != 0)
        faults.push_back(
            {"/parallel/expert",
             fmt::format("{} data rank{} do not divide into groups of {}", p.data, p.data == 1 ? "" : "s", e),
             "ranks that share experts are neighbours along the data axis, and each of their groups holds all experts "
             "once",
             fmt::format("{}; or a parallel.data that is a multiple of {}", divisorText(std::gcd(p.data, experts), e),
                         e)});
    else if (experts % e != 0)
        faults.push_back({"/parallel/expert", fmt::format("{} experts do not divide into {} shares", experts, e),
                          "each rank of a group holds the same number of experts",
                          divisorText(std::gcd(p.data, experts), e)});
    checkReductions(layout, schedules, faults);
}

}  // namespace shardlab::layout
