// SPDX-License-Identifier: Apache-2.0
#include "engine/base/divisors.h"
#include "engine/layout/check/check_rules.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <numeric>

namespace shardlab::layout {
namespace {

/// Experts are alike on fewer ranks than the rest: what treats all weights of a rank as one goes with none of it.
void checkReductions(const Layout& layout, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    if (p.zero == 3 && p.partition == PartitionKind::Layers)
        faults.push_back({"/parallel/partition", say("whole layers to replicas with experts over {} ranks", p.expert),
                          say("a replica would own experts that it does not hold"), say("flat; or parallel.expert 1")});
    if (p.exchange != Exchange::AllReduce)
        faults.push_back({"/parallel/exchange",
                          say("the exchange {} with experts over {} ranks", wordOf(p.exchange), p.expert),
                          say("it moves a replica's whole weights or gradients, and replicas hold different experts"),
                          say("allreduce; or parallel.expert 1")});
}

/// The biases move between steps, by what all replicas' tokens chose in the last one.
void checkChoiceBias(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    if (!biasesChoice(layout.model)) return;
    const Exchange exchange = layout.parallel.exchange;
    if (exchange != Exchange::AllReduce && exchange != Exchange::Server)
        faults.push_back({"/model/bias_rate", say("a bias of the choice with the exchange {}", wordOf(exchange)),
                          say("its steps go by the choices of all replicas, which update apart from each other"),
                          say("0; or parallel.exchange allreduce or server")});
    if (flushlessMethod(layout, schedules) != nullptr)
        faults.push_back(
            {"/model/bias_rate", say("a bias of the choice with {}", layout.schedule.kind),
             say("it moves between steps, and without a flush microbatches of several steps are under way"),
             say("0; or a schedule with a flush, 1f1b")});
}

/// Tensor degrees of experts whose parts of a tensor group are a factor of the ranks that experts are spread over; with
/// sums of rows and columns, which only whole tensor groups put together, the smallest and the largest at most.
Sentence legalTensors(const Layout& layout) {
    const int t = layout.parallel.tensor, spread = std::max(layout.parallel.expert, 1);
    const bool factored = traits(layout.optimizer.kind).factored;
    std::vector<std::string> legal;
    for (const int x : divisors(t))
        if (spread % (t / x) == 0 && (!factored || x == 1 || x == t)) legal.push_back(std::to_string(x));
    return alternatives(legal);
}

/// The tensor degree that experts have apart from all else. Returns whether it is legal.
bool checkFolds(const Layout& layout, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    const int x = p.expertTensor, t = p.tensor;
    if (x <= 0 || t < 1) return true;
    const std::size_t before = faults.size();
    if (!hasExperts(layout.model))
        faults.push_back({"/parallel/expert_tensor",
                          x == 1 ? say("no experts to keep whole") : say("no experts to cut over {} ranks", x),
                          say("the model {} has none", wordOf(layout.model.kind)),
                          say("0; or model.kind gpt-moe or llama-moe")});
    else if (t % x != 0)
        faults.push_back({"/parallel/expert_tensor", say("experts over {} ranks of tensor groups of {}", x, t),
                          say("a tensor group consists of whole parts, in each of which so many neighbours cut an "
                              "expert among themselves"),
                          say("{}; or 0, as all else", legalTensors(layout))});
    else if (p.expert >= 1 && p.expert % (t / x) != 0)
        faults.push_back({"/parallel/expert_tensor",
                          p.expert == 1
                              ? say("experts over 1 rank in {} parts of each tensor group", t / x)
                              : say("experts over {} ranks in {} parts of each tensor group", p.expert, t / x),
                          say("each part of a tensor group holds other experts, so that the parts are a factor of the "
                              "ranks that experts are spread over"),
                          say("0, as all else; or a parallel.expert that is a multiple of {}", t / x)});
    else if (x > 1 && x < t && traits(layout.optimizer.kind).factored)
        faults.push_back(
            {"/parallel/expert_tensor",
             say("experts over {} ranks of tensor groups of {} with {}", x, t, wordOf(layout.optimizer.kind)),
             say("what the optimizer keeps of rows and columns is put together over whole tensor groups"),
             say("{}; or an optimizer that keeps moments of each weight", legalTensors(layout))});
    return faults.size() == before;
}

/// Numbers of ranks over which experts may be spread, the ones nearest to what is asked for.
Sentence legalSpreads(const ParallelSpec& p, int experts) {
    const int folds = expertFolds(p), replicas = replicaCount(p);
    if (folds == 1) return divisorText(std::gcd(replicas, experts), p.expert);
    std::vector<std::string> legal;
    for (int spread = replicas; spread > 0 && legal.size() < 6; --spread)
        if (replicas % spread == 0 && experts % (spread * folds) == 0) legal.push_back(std::to_string(spread * folds));
    return legal.empty() ? say("a model.experts that is a multiple of {}", folds) : alternatives(legal);
}

}  // namespace

void checkExpert(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    checkChoiceBias(layout, schedules, faults);
    const ParallelSpec& p = layout.parallel;
    const int e = p.expert, experts = layout.model.experts.count;
    if (!checkFolds(layout, faults) || e <= 1 || p.data < 1 || p.context < 1 || experts < 1) return;
    if (!hasExperts(layout.model)) {
        faults.push_back({"/parallel/expert", say("no experts to spread over {} ranks", e),
                          say("the model {} has none", wordOf(layout.model.kind)),
                          say("1; or model.kind gpt-moe or llama-moe")});
        return;
    }
    const int spread = expertSpread(p), replicas = replicaCount(p);
    if (replicas % spread != 0) {
        const Sentence ranks = p.context > 1 ? say("{} replicas", replicas)
                               : p.data == 1 ? say("1 data rank")
                                             : say("{} data ranks", replicas);
        faults.push_back({"/parallel/expert", say("{} do not divide into groups of {}", ranks, spread),
                          say("ranks that share experts are neighbours along the data axis and in context groups, and "
                              "each of their groups holds all experts once"),
                          say("{}; or a parallel.data that is a multiple of {}", legalSpreads(p, experts),
                              spread / std::gcd(spread, p.context))});
    } else if (experts % e != 0)
        faults.push_back({"/parallel/expert", say("{} experts do not divide into {} shares", experts, e),
                          say("each rank of a group holds the same number of experts"), legalSpreads(p, experts)});
    if (spread > 1) checkReductions(layout, faults);
}

}  // namespace shardlab::layout
