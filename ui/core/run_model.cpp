// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/run_model.h"

namespace shardlab::ui {

void RunModel::Recorded::add(std::int64_t begin, std::int64_t end, std::int64_t count) {
    first = timed ? std::min(first, begin) : begin;
    last = std::max(last, end);
    events += count;
    timed = true;
}

void RunModel::begin(const RunHeader& header, std::vector<Event> predicted, std::filesystem::path file) {
    const Mesh mesh(header.layout);
    begin({.of = Run::Identity{header, mesh},
           .file = std::move(file),
           .steps = RunSteps(header, mesh.ranks(), predicted),
           .points = PointEvents(mesh.ranks()),
           .recorded = {}},
          std::move(predicted));
}

void RunModel::clear() { begin(Run(), {}); }

void RunModel::begin(Run run, std::vector<Event> predicted) {
    run_ = std::move(run);
    store_.begin(ranks());
    prediction_.begin(empty() ? nullptr : &header(), std::move(predicted));
    report_.told_ = {};
    notes_.now_ = {};
    Q_EMIT reset();
}

void RunModel::take(StoredSteps steps) {
    if (!run_.steps.take(std::move(steps))) return;
    for (const StepExtent& extent : run_.steps.extents())
        if (extent.begin >= 0) run_.recorded.add(extent.begin, extent.end, 0);
    Q_EMIT appended();
}

void RunModel::take(StepDetails details) {
    if (run_.steps.take(std::move(details))) Q_EMIT appended();
}

void RunModel::take(StepEnds ends) {
    if (run_.steps.take(std::move(ends))) Q_EMIT appended();
}

void RunModel::setStored(std::shared_ptr<BlockSource> source, std::span<const BlockPlace> places) {
    if (empty()) return;
    store_.stored(std::move(source), places);
    for (const BlockPlace& place : places)
        if (place.rank >= 0 && place.rank < ranks()) run_.recorded.add(place.begin, place.end, place.count);
    Q_EMIT appended();
}

void RunModel::append(std::span<const Event> events) {
    if (empty() || events.empty()) return;
    takeInOrder(events, &RunModel::takeArrived);
    keepWithinBudget();
    Q_EMIT appended();
}

void RunModel::take(std::vector<ScannedBlock> blocks) {
    if (empty() || blocks.empty()) return;
    for (ScannedBlock& block : blocks) {
        store_.digest(block.place, std::move(block.digest));
        takeInOrder(block.told, &RunModel::takePoints);
        run_.steps.add(block.figured);
    }
    Q_EMIT appended();
}

void RunModel::takeInOrder(std::span<const Event> events, void (RunModel::*takePart)(std::span<const Event>)) {
    auto from = events.begin();
    for (auto event = from; event != events.end(); ++event) {
        if (!isRestart(*event)) continue;
        (this->*takePart)({from, event});
        takeRestart(*event);
        from = event + 1;
    }
    (this->*takePart)({from, events.end()});
}

/// Lanes keep what is superseded: it is drawn where it happened.
void RunModel::takeRestart(const Event& restart) {
    if (!run_.steps.restart(restart)) return;
    run_.points.drop(run_.steps.restarts());
    run_.points.add(std::span(&restart, 1), run_.steps.restarts());
    run_.recorded.add(restart.begin, restart.end);
    if (!run_.steps.stored()) Q_EMIT reset();
}

void RunModel::takeArrived(std::span<const Event> events) {
    if (events.empty()) return;
    for (const Event& event : events) {
        if (event.rank < 0 || event.rank >= ranks()) continue;
        if (isOfBlock(event)) store_.append(event);
        run_.recorded.add(event.begin, event.end);
    }
    takePoints(events);
    run_.steps.add(events);
}

void RunModel::keepWithinBudget() {
    constexpr std::size_t fewestSteps = 1024, mostSteps = 65536;  // a view has hardly more pixels
    const std::size_t most = std::clamp(stepBudget_ / static_cast<std::size_t>(ranks()), fewestSteps, mostSteps);
    if (run_.steps.all().size() <= most) return;
    const GoneSteps gone = run_.steps.thin(most);
    if (gone.steps.empty()) return;
    run_.points.leaveOut(gone, most);
    run_.thinned = true;
}

void RunModel::takePoints(std::span<const Event> events) {
    run_.points.add(events, run_.steps.restarts());
    run_.steps.addPeaks(events);
}

std::string placeOf(const RunModel& model, int rank) {
    if (model.header().hasLayout()) return model.mesh().label(rank);
    const RankRecord* told = model.report().rank(rank);
    return told ? told->label : std::string();
}

bool takesPart(const RunModel& model, int rank, int step) {
    const Mesh& mesh = model.mesh();
    return mesh.coordinate(rank, Axis::Data) < model.steps().activeRanks(step) * mesh.size(Axis::Data) / mesh.ranks();
}

std::vector<Event> eventsOfStep(const RunModel& model, int rank, Lane lane, int step) {
    const Restarts::Window window = model.steps().restarts().lastOf(step);
    StoredLane::Stretch likely{1, 0};
    if (const StepExtent* extent = model.steps().extentOf(step)) likely = {extent->begin, extent->end};
    return model.store().lane(rank, lane).ofStep(step, {window.begin, window.end}, likely);
}

MemoryCurve measuredMemory(const RunModel& model, int rank, std::int64_t begin, std::int64_t end, std::size_t most) {
    MemoryCurve curve;
    curve.points = model.store().memory(rank).curve(begin, end, most);
    const auto& steps = model.steps().all();
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (const StepExtent& extent = model.steps().extents()[i];
            extent.begin <= end && extent.end >= begin && !steps[i].ranks.empty())
            curve.peak = std::max(curve.peak, steps[i].ranks[static_cast<std::size_t>(rank)].peakBytes);
    return curve;
}

}  // namespace shardlab::ui
