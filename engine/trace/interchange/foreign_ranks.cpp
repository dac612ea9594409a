// SPDX-License-Identifier: Apache-2.0
// Which rank each process of a trace is, and which processes are one.
#include "engine/trace/interchange/foreign_trace.h"

#include "engine/base/most_ranks.h"

#include <algorithm>
#include <numeric>

namespace shardlab::trace {

/// Ranks that the trace names come first, in their order; a trace of some ranks of a job has no rows for the others.
Result<std::vector<int>> ForeignTrace::ranks() const {
    if (processes_.empty()) return fail(refusalOf("", say("there is nothing in it that a timeline could show")));
    if (processes_.size() > std::size_t{mostRanks})
        return fail(refusalOf("", say("it has {} processes", processes_.size()), say("At most {}", mostRanks)));
    std::vector<std::uint32_t> same(processes_.size());
    if (const Status joined = joinCycles(same); !joined) return fail(joined.error());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < same.size(); ++i)
        if (same[i] == i) order.push_back(i);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t i) { return processes_[i].rank.value_or(std::numeric_limits<int>::max()); };
        return key(a) != key(b) ? key(a) < key(b) : processes_[a].order < processes_[b].order;
    });
    std::vector<int> ranks(processes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<int>(i);
    for (std::size_t i = 0; i < same.size(); ++i) ranks[i] = ranks[same[i]];
    return ranks;
}

/// `same`: of each process the first that is the same one. Error: two that are not, or not one after another, say that
/// they are the same rank.
Status ForeignTrace::joinCycles(std::vector<std::uint32_t>& same) const {
    std::iota(same.begin(), same.end(), 0U);
    std::map<int, std::vector<std::uint32_t>> named;
    for (std::uint32_t i = 0; i < processes_.size(); ++i)
        if (processes_[i].rank) named[*processes_[i].rank].push_back(i);
    for (auto& [rank, cycles] : named) {
        const std::uint32_t first = cycles.front();
        std::ranges::stable_sort(cycles, {}, [&](std::uint32_t i) { return processes_[i].first; });
        for (std::size_t i = 1; i < cycles.size(); ++i) {
            const ForeignProcess& before = processes_[cycles[i - 1]];
            const ForeignProcess& process = processes_[cycles[i]];
            if (process.pid == 0 || process.pid != before.pid || process.host != before.host ||
                process.first < before.last)
                return fail(
                    refusalOf(process.source, say("it says that it is rank {}, and so does {}", rank, before.source),
                              say("One trace of each rank, or several that one process recorded one after another")));
        }
        for (const std::uint32_t i : cycles) same[i] = first;
    }
    joinNameless(same);
    return {};
}

/// One process without ranks, as its number, its host and times that follow one another tell.
void ForeignTrace::joinNameless(std::vector<std::uint32_t>& same) const {
    std::map<std::pair<std::string, int>, std::vector<std::uint32_t>> processes;
    for (std::uint32_t i = 0; i < processes_.size(); ++i)
        if (const ForeignProcess& each = processes_[i]; each.cyclic && !each.rank && each.pid != 0)
            processes[{each.host, each.pid}].push_back(i);
    for (auto& [process, cycles] : processes) {
        const std::uint32_t first = cycles.front();
        std::ranges::stable_sort(cycles, {}, [&](std::uint32_t i) { return processes_[i].first; });
        const auto overlap = [&](std::uint32_t before, std::uint32_t after) {
            return processes_[after].first < processes_[before].last;
        };
        if (std::ranges::adjacent_find(cycles, overlap) != cycles.end()) continue;
        for (const std::uint32_t i : cycles) same[i] = first;
    }
}

}  // namespace shardlab::trace
