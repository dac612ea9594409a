// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/traffic_matrix.h"

#include "engine/base/saturate.h"
#include "engine/schedule/registry.h"

#include <algorithm>
#include <cmath>

namespace shardlab {

TrafficMatrix::TrafficMatrix(const RunHeader& header) : mesh_(header.layout) {
    if (!header.hasLayout()) return;
    if (const auto schedule = generateSchedule(header.layout.schedule.kind, scheduleShape(header.layout))) rankOfStage_ = schedule->rankOfStage;
}

/// To the next member, the first after the last.
void TrafficMatrix::ring(const std::vector<int>& group, int rank, double bytes, Sort sort) {
    const auto own = std::ranges::find(group, rank);
    if (group.size() < 2 || own == group.end()) return;
    const int next = own + 1 == group.end() ? group.front() : *(own + 1);
    Cell& cell = cells_[sort][{rank, next}];
    cell.bytes += std::llround(bytes);
    ++cell.count;
}

void TrafficMatrix::add(const Event& event) {
    if (event.rank < 0 || event.rank >= mesh_.ranks() || event.bytes <= 0) return;
    const int rank = event.rank;
    const auto bytes = static_cast<double>(event.bytes);
    const auto share = [&](std::size_t members, int times) { return times * static_cast<double>(members - 1) / static_cast<double>(members) * bytes; };
    const auto around = [&](Axis axis, int times, Sort sort) {
        const std::vector<int> group = mesh_.group(rank, axis);
        ring(group, rank, share(group.size(), times), sort);
    };
    switch (event.kind) {
        case EventKind::SendForward:
        case EventKind::SendBackward: {
            const int stage = actionFromId(event.action).stage + (event.kind == EventKind::SendForward ? 1 : -1);
            if (event.action == 0 || stage < 0 || static_cast<std::size_t>(stage) >= rankOfStage_.size()) return;
            Coordinates place = mesh_.coordinates(rank);
            place[static_cast<std::size_t>(Axis::Pipeline)] = rankOfStage_[static_cast<std::size_t>(stage)];
            Cell& cell = cells_[Sort::Message][{rank, mesh_.rank(place)}];
            cell.bytes = saturatedSum(cell.bytes, event.bytes);
            ++cell.count;
            break;
        }
        case EventKind::ReduceGradients: around(Axis::Data, 2, Sort::Collective); break;
        case EventKind::ReduceBuckets: around(Axis::Data, 2, Sort::Bucket); break;
        case EventKind::RingHop: ring(mesh_.group(rank, Axis::Data), rank, bytes, Sort::Hop); break;
        case EventKind::ScatterGradients:
        case EventKind::GatherParameters: around(Axis::Data, 1, Sort::Collective); break;
        case EventKind::TensorAllReduce: around(Axis::Tensor, 2, Sort::Collective); break;
        case EventKind::TensorReduceScatter:
        case EventKind::TensorAllGather: around(Axis::Tensor, 1, Sort::Collective); break;
        case EventKind::ReduceNorm: {
            const std::vector<int> group = replicaRanks(mesh_, rank);
            ring(group, rank, share(group.size(), 2), Sort::Collective);
            break;
        }
        case EventKind::ReduceTied: {
            if (rankOfStage_.empty()) return;
            std::vector<int> ends;
            for (const int stageRank : {rankOfStage_.front(), rankOfStage_.back()}) {
                Coordinates place = mesh_.coordinates(rank);
                place[static_cast<std::size_t>(Axis::Pipeline)] = stageRank;
                ends.push_back(mesh_.rank(place));
            }
            if (ends.front() != ends.back()) ring(ends, rank, share(2, 2), Sort::Collective);
            break;
        }
        default: return;
    }
    steps_.insert(event.step);
}

std::map<TrafficMatrix::Link, TrafficMatrix::Cell> TrafficMatrix::of(Part part) const {
    std::map<Link, Cell> sum;
    const bool hops = cells_.contains(Sort::Hop);
    for (const auto& [sort, cells] : cells_) {
        if (hops && sort == Sort::Bucket) continue;
        if (part != Part::All && (part == Part::Messages) != (sort == Sort::Message)) continue;
        for (const auto& [link, cell] : cells) {
            sum[link].bytes = saturatedSum(sum[link].bytes, cell.bytes);
            sum[link].count += cell.count;
        }
    }
    return sum;
}

TrafficMatrix::Cell TrafficMatrix::cell(int from, int to, Part part) const {
    Cell sum;
    const bool hops = cells_.contains(Sort::Hop);
    for (const auto& [sort, cells] : cells_) {
        if (hops && sort == Sort::Bucket) continue;
        if (part != Part::All && (part == Part::Messages) != (sort == Sort::Message)) continue;
        const auto found = cells.find({from, to});
        if (found == cells.end()) continue;
        sum.bytes = saturatedSum(sum.bytes, found->second.bytes);
        sum.count += found->second.count;
    }
    return sum;
}

std::int64_t TrafficMatrix::largest(Part part) const {
    std::int64_t most = 0;
    for (const auto& [link, cell] : of(part)) most = std::max(most, cell.bytes);
    return most;
}

std::int64_t TrafficMatrix::total(Part part) const {
    std::int64_t sum = 0;
    for (const auto& [link, cell] : of(part)) sum = saturatedSum(sum, cell.bytes);
    return sum;
}

}  // namespace shardlab
