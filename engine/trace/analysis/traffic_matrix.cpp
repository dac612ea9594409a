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

void TrafficMatrix::ring(const std::vector<int>& group, int rank, std::int64_t bytes) {
    const auto own = std::ranges::find(group, rank);
    if (group.size() < 2 || own == group.end()) return;
    const int next = own + 1 == group.end() ? group.front() : *(own + 1);
    cells_[Sort::Collective][{rank, next}].add(bytes);
}

void TrafficMatrix::toEach(const std::vector<int>& group, const Event& event) {
    for (const int other : group)
        if (other != event.rank)
            cells_[Sort::Collective][{event.rank, other}].add(event.bytes / static_cast<std::int64_t>(group.size()));
}

int TrafficMatrix::inPlaceOf(int rank, int pipelineRank) const {
    Coordinates place = mesh_.coordinates(rank);
    place[Axis::Pipeline] = pipelineRank;
    return mesh_.rank(place);
}

bool TrafficMatrix::addMessage(const Event& event) {
    const int stage = actionFromId(event.action).stage + (event.kind == EventKind::SendForward ? 1 : -1);
    if (event.action == 0 || stage < 0 || static_cast<std::size_t>(stage) >= rankOfStage_.size()) return false;
    const int taker = inPlaceOf(event.rank, rankOfStage_[static_cast<std::size_t>(stage)]);
    cells_[Sort::Message][{event.rank, taker}].add(event.bytes);
    return true;
}

bool TrafficMatrix::addAtServer(const Event& event) {
    // Bytes are those that leave the rank: a worker's to the server, or the server's, as many to each worker.
    const std::vector<int> group = sameWeights(mesh_, event.rank);
    const bool server = event.rank == group.front();
    std::span<const int> takers(group.begin() + (server ? 1 : 0), server ? group.end() : group.begin() + 1);
    const auto worker = static_cast<std::size_t>(std::max(0, workerOf(event)));
    if (server && worker > 0) {  // one of an asynchronous server's, by name
        if (worker >= group.size()) return false;
        takers = std::span(group).subspan(worker, 1);
    }
    for (const int taker : takers)
        cells_[Sort::Collective][{event.rank, taker}].add(event.bytes / static_cast<std::int64_t>(takers.size()));
    return true;
}

bool TrafficMatrix::addAtCentre(const Event& event) {
    const std::vector<int> group = mesh_.group(event.rank, Axis::Data);
    const auto worker = static_cast<std::size_t>(std::max(0, workerOf(event)));
    if (worker >= group.size()) return false;
    const int taker = event.rank == group.front() ? group[worker] : group.front();
    cells_[Sort::Collective][{event.rank, taker}].add(event.bytes);
    return true;
}

void TrafficMatrix::add(const Event& event) {
    if (event.rank < 0 || event.rank >= mesh_.ranks() || event.bytes <= 0) return;
    const int rank = event.rank;
    const auto around = [&](const std::vector<int>& group) { ring(group, rank, sent_(event)); };
    switch (transferOf(event.kind).partners) {
    case Partners::Stage:
        if (!addMessage(event)) return;
        break;
    case Partners::Replicas: around(sameWeights(mesh_, rank)); break;
    case Partners::Bucket:
    case Partners::Hop: around(sent_.ofExperts(event) ? sameExperts(mesh_, rank) : sameCopy(mesh_, rank)); break;
    case Partners::Copies: around(samePart(mesh_, rank)); break;
    case Partners::Expert: toEach(expertExchange(mesh_, rank), event); break;
    case Partners::Heads: toEach(mesh_.group(rank, Axis::Context), event); break;
    case Partners::Server:
        if (!addAtServer(event)) return;
        break;
    case Partners::Centre:
        if (!addAtCentre(event)) return;
        break;
    case Partners::Tensor: around(mesh_.group(rank, Axis::Tensor)); break;
    case Partners::Context: around(mesh_.group(rank, Axis::Context)); break;
    case Partners::Replica: around(replicaRanks(mesh_, rank)); break;
    case Partners::Ends:
        if (rankOfStage_.empty()) return;
        if (const int first = inPlaceOf(rank, rankOfStage_.front()), last = inPlaceOf(rank, rankOfStage_.back());
            first != last)
            around({first, last});
        break;
    case Partners::None:
    case Partners::Unknown: return;
    }
    steps_.insert(event.step);
}

std::vector<const std::map<TrafficMatrix::Link, TrafficMatrix::Cell>*> TrafficMatrix::of(Part part) const {
    std::vector<const std::map<Link, Cell>*> all;
    for (const auto& [sort, cells] : cells_)
        if (part == Part::All || (part == Part::Messages) == (sort == Sort::Message)) all.push_back(&cells);
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
