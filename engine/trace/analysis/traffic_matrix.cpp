// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/analysis/traffic_matrix.h"

#include "engine/base/saturate.h"
#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace shardlab {

TrafficMatrix::TrafficMatrix(const RunHeader& header) : mesh_(header.layout) {
    if (!header.hasLayout()) return;
    const Layout& layout = header.layout;
    if (const auto schedule = generateSchedule(layout.schedule.kind, scheduleShape(layout))) rankOfStage_ = schedule->rankOfStage;
    if (mesh_.size(Axis::Expert) == 1) return;
    for (const StageShape& shape : stageShapes(layout))
        buckets_.push_back(reductionUnits(layout.parallel, stageUnits(layout.model, layout.parallel, shape, tensorShare(layout)),
                                          numberFormats(layout.precision).gradientBytes()));
}

bool TrafficMatrix::ofExperts(const Event& event) const {
    const int stage = event.action == 0 ? -1 : actionFromId(event.action).stage;
    if (stage < 0 || static_cast<std::size_t>(stage) >= buckets_.size()) return false;
    const auto& buckets = buckets_[static_cast<std::size_t>(stage)];
    return event.value >= 0 && event.value < static_cast<double>(buckets.size()) &&
           buckets[static_cast<std::size_t>(event.value)].experts;
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
    const auto around = [&](const std::vector<int>& group, int times, Sort sort) {
        ring(group, rank, share(group.size(), times), sort);
    };
    const auto replicas = [&] { return sameWeights(mesh_, rank); };
    const auto tensor = [&] { return mesh_.group(rank, Axis::Tensor); };
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
        case EventKind::ReduceGradients: around(replicas(), 2, Sort::Collective); break;
        case EventKind::ReduceBuckets: around(ofExperts(event) ? sameExperts(mesh_, rank) : replicas(), 2, Sort::Bucket); break;
        case EventKind::DispatchTokens:
        case EventKind::CombineTokens: {
            const std::vector<int> group = mesh_.group(rank, Axis::Expert);
            for (const int other : group) {
                if (other == rank) continue;
                Cell& cell = cells_[Sort::Collective][{rank, other}];
                cell.bytes = saturatedSum(cell.bytes, event.bytes / static_cast<std::int64_t>(group.size()));
                ++cell.count;
            }
            break;
        }
        case EventKind::PushGradients:
        case EventKind::PullWeights: {
            // Bytes are those that leave the rank: a worker's to the server, or the server's, as many to each worker.
            const std::vector<int> group = mesh_.group(rank, Axis::Data);
            const bool server = rank == group.front();
            std::span<const int> takers(group.begin() + (server ? 1 : 0), server ? group.end() : group.begin() + 1);
            const auto worker = static_cast<std::size_t>(std::max(0.0, event.value));
            if (server && worker > 0) {  // one of an asynchronous server's, by name
                if (worker >= group.size()) return;
                takers = std::span(group).subspan(worker, 1);
            }
            for (const int taker : takers) {
                Cell& cell = cells_[Sort::Collective][{rank, taker}];
                cell.bytes = saturatedSum(cell.bytes, event.bytes / static_cast<std::int64_t>(takers.size()));
                ++cell.count;
            }
            break;
        }
        case EventKind::ExchangeElastic: {
            const std::vector<int> group = mesh_.group(rank, Axis::Data);
            const auto turn = static_cast<std::size_t>(std::max(0.0, event.value));
            if (turn >= group.size()) return;
            Cell& cell = cells_[Sort::Collective][{rank, rank == group.front() ? group[turn] : group.front()}];
            cell.bytes = saturatedSum(cell.bytes, event.bytes);
            ++cell.count;
            break;
        }
        case EventKind::RingHop: ring(replicas(), rank, bytes, Sort::Hop); break;
        case EventKind::ScatterGradients:
        case EventKind::GatherParameters: around(replicas(), 1, Sort::Collective); break;
        case EventKind::TensorAllReduce: around(tensor(), 2, Sort::Collective); break;
        case EventKind::TensorReduceScatter:
        case EventKind::TensorAllGather: around(tensor(), 1, Sort::Collective); break;
        case EventKind::KeyValueHop: ring(mesh_.group(rank, Axis::Context), rank, bytes, Sort::Collective); break;
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
