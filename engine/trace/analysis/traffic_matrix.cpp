// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/analysis/traffic_matrix.h"

#include "engine/base/saturate.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/event/event_payload.h"

#include <algorithm>
#include <span>

namespace shardlab::trace {

TrafficMatrix::TrafficMatrix(const RunHeader& header) : mesh_(header.layout), sent_(sentBytesOf(header)) {
    if (!header.hasLayout()) return;
    const Layout& layout = header.layout;
    if (const auto schedule = generateSchedule(layout.schedule.kind, scheduleShape(layout)))
        rankOfStage_ = schedule->rankOfStage;
}

void TrafficMatrix::ring(const std::vector<int>& group, int rank, std::int64_t bytes, Sort sort) {
    const auto own = std::ranges::find(group, rank);
    if (group.size() < 2 || own == group.end()) return;
    const int next = own + 1 == group.end() ? group.front() : *(own + 1);
    cells_[sort][{rank, next}].add(bytes);
}

void TrafficMatrix::add(const Event& event) {
    if (event.rank < 0 || event.rank >= mesh_.ranks() || event.bytes <= 0) return;
    const int rank = event.rank;
    const std::int64_t bytes = sent_(event);
    const auto around = [&](const std::vector<int>& group, Sort sort) { ring(group, rank, bytes, sort); };
    const auto toEach = [&](const std::vector<int>& group) {
        for (const int other : group)
            if (other != rank)
                cells_[Sort::Collective][{rank, other}].add(event.bytes / static_cast<std::int64_t>(group.size()));
    };
    const auto replicas = [&] { return sameWeights(mesh_, rank); };
    switch (transferOf(event.kind).partners) {
    case Partners::Stage: {
        const int stage = actionFromId(event.action).stage + (event.kind == EventKind::SendForward ? 1 : -1);
        if (event.action == 0 || stage < 0 || static_cast<std::size_t>(stage) >= rankOfStage_.size()) return;
        Coordinates place = mesh_.coordinates(rank);
        place[Axis::Pipeline] = rankOfStage_[static_cast<std::size_t>(stage)];
        cells_[Sort::Message][{rank, mesh_.rank(place)}].add(event.bytes);
        break;
    }
    case Partners::Replicas: around(replicas(), Sort::Collective); break;
    case Partners::Bucket:
        around(sent_.ofExperts(event) ? sameExperts(mesh_, rank) : sameCopy(mesh_, rank), Sort::Bucket);
        break;
    case Partners::Copies: around(samePart(mesh_, rank), Sort::Bucket); break;
    case Partners::Expert: toEach(expertExchange(mesh_, rank)); break;
    case Partners::Heads: toEach(mesh_.group(rank, Axis::Context)); break;
    case Partners::Server: {
        // Bytes are those that leave the rank: a worker's to the server, or the server's, as many to each worker.
        const std::vector<int> group = mesh_.group(rank, Axis::Data);
        const bool server = rank == group.front();
        std::span<const int> takers(group.begin() + (server ? 1 : 0), server ? group.end() : group.begin() + 1);
        const auto worker = static_cast<std::size_t>(std::max(0, workerOf(event)));
        if (server && worker > 0) {  // one of an asynchronous server's, by name
            if (worker >= group.size()) return;
            takers = std::span(group).subspan(worker, 1);
        }
        for (const int taker : takers)
            cells_[Sort::Collective][{rank, taker}].add(event.bytes / static_cast<std::int64_t>(takers.size()));
        break;
    }
    case Partners::Centre: {
        const std::vector<int> group = mesh_.group(rank, Axis::Data);
        const auto worker = static_cast<std::size_t>(std::max(0, workerOf(event)));
        if (worker >= group.size()) return;
        cells_[Sort::Collective][{rank, rank == group.front() ? group[worker] : group.front()}].add(event.bytes);
        break;
    }
    case Partners::Hop:
        ring(sent_.ofExperts(event) ? sameExperts(mesh_, rank) : replicas(), rank, event.bytes, Sort::Hop);
        break;
    case Partners::Tensor: around(mesh_.group(rank, Axis::Tensor), Sort::Collective); break;
    case Partners::Context: around(mesh_.group(rank, Axis::Context), Sort::Collective); break;
    case Partners::Replica: around(replicaRanks(mesh_, rank), Sort::Collective); break;
    case Partners::Ends: {
        if (rankOfStage_.empty()) return;
        std::vector<int> ends;
        for (const int stageRank : {rankOfStage_.front(), rankOfStage_.back()}) {
            Coordinates place = mesh_.coordinates(rank);
            place[Axis::Pipeline] = stageRank;
            ends.push_back(mesh_.rank(place));
        }
        if (ends.front() != ends.back()) around(ends, Sort::Collective);
        break;
    }
    case Partners::None:
    case Partners::Unknown: return;
    }
    steps_.insert(event.step);
}

std::vector<const std::map<TrafficMatrix::Link, TrafficMatrix::Cell>*> TrafficMatrix::of(Part part) const {
    std::vector<const std::map<Link, Cell>*> all;
    const bool hops = cells_.contains(Sort::Hop);
    for (const auto& [sort, cells] : cells_) {
        if (hops && sort == Sort::Bucket) continue;
        if (part == Part::All || (part == Part::Messages) == (sort == Sort::Message)) all.push_back(&cells);
    }
    return all;
}

std::map<TrafficMatrix::Link, TrafficMatrix::Cell> TrafficMatrix::sums(Part part) const {
    std::map<Link, Cell> sum;
    for (const auto* cells : of(part))
        for (const auto& [link, cell] : *cells) sum[link].add(cell.bytes, cell.count);
    return sum;
}

TrafficMatrix::Cell TrafficMatrix::cell(int from, int to, Part part) const {
    Cell sum;
    for (const auto* cells : of(part))
        if (const auto found = cells->find({from, to}); found != cells->end())
            sum.add(found->second.bytes, found->second.count);
    return sum;
}

std::int64_t TrafficMatrix::largest(Part part) const {
    std::int64_t most = 0;
    for (const auto& [link, cell] : sums(part)) most = std::max(most, cell.bytes);
    return most;
}

std::int64_t TrafficMatrix::smallest(Part part) const {
    std::int64_t least = 0;
    for (const auto& [link, cell] : sums(part))
        if (cell.bytes > 0 && (least == 0 || cell.bytes < least)) least = cell.bytes;
    return least;
}

std::int64_t TrafficMatrix::total(Part part) const {
    std::int64_t sum = 0;
    for (const auto& [link, cell] : sums(part)) sum = saturatedSum(sum, cell.bytes);
    return sum;
}

}  // namespace shardlab::trace
