// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/run_model.h"

#include "engine/layout/mesh/mesh.h"
#include "engine/layout/schedule/registry.h"
#include "ui/core/step_account.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>

namespace shardlab::ui {

namespace {

void extend(std::int64_t& low, std::int64_t candidate) {
    if (candidate >= 0 && (low < 0 || candidate < low)) low = candidate;
}

bool isBackward(EventKind kind) {
    return kind == EventKind::Backward || kind == EventKind::InputGrad || kind == EventKind::WeightGrad;
}

constexpr std::size_t counterSlots = lastCounter + 1;
constexpr std::size_t quickEvents = 6000;  ///< whose account is made within a frame or two

}  // namespace

RunModel::RunModel(QObject* parent)
    : QObject(parent), counters_(counterSlots), summary_(std::make_unique<Summarizer>(0)) {}

RunModel::~RunModel() = default;

void RunModel::begin(const RunHeader& header, std::vector<Event> predicted) {
    const Mesh mesh(header.layout);
    header_ = header;
    file_.clear();
    store_.begin(mesh.ranks());
    lanes_.assign(static_cast<std::size_t>(mesh.ranks()), {});
    labels_.clear();
    replicas_.clear();
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        labels_.push_back(header.hasLayout() ? mesh.label(rank) : std::string());
        replicas_.push_back(mesh.coordinate(rank, Axis::Data));
    }
    counters_.assign(counterSlots, {});
    instants_.begin(mesh.ranks());
    restarts_ = {};
    log_.clear();
    names_ = {};
    rankRecords_.clear();
    clocks_.clear();
    end_.reset();
    summary_ = std::make_unique<Summarizer>(mesh.ranks(), flushes(header.layout), sentBytesOf(header));
    notes_.clear();
    watch_ = std::make_unique<StragglerWatch>(header);
    watch_->addPredicted(predicted);
    stragglers_.clear();
    judgedSteps_ = 0;
    stored_ = {};
    figuresStored_ = false;
    extents_.clear();
    firstOpenStep_ = 0;
    firstTime_ = lastTime_ = eventCount_ = 0;
    timesKnown_ = false;
    predictedEnd_ = predictedLastBackward_ = 0;
    predictedFirstForward_ = -1;
    std::stable_sort(predicted.begin(), predicted.end(), byBegin);
    for (const Event& event : predicted) {
        if (event.rank < 0 || event.rank >= ranks() || !isSpan(event.kind)) continue;
        lanes_[static_cast<std::size_t>(event.rank)].predicted[static_cast<std::size_t>(event.lane)].push_back(event);
        predictedEnd_ = std::max(predictedEnd_, event.end);
        if (event.kind == EventKind::Forward) extend(predictedFirstForward_, event.begin);
        if (isBackward(event.kind)) predictedLastBackward_ = std::max(predictedLastBackward_, event.end);
    }
    predictedFirstForward_ = std::max<std::int64_t>(predictedFirstForward_, 0);
    forgetAccount();
    Q_EMIT reset();
}

void RunModel::clear() {
    header_.reset();
    file_.clear();
    store_.begin(0);
    lanes_.clear();
    labels_.clear();
    replicas_.clear();
    counters_.assign(counterSlots, {});
    instants_.begin(0);
    restarts_ = {};
    log_.clear();
    names_ = {};
    rankRecords_.clear();
    clocks_.clear();
    end_.reset();
    summary_ = std::make_unique<Summarizer>(0);
    notes_.clear();
    watch_.reset();
    stragglers_.clear();
    judgedSteps_ = 0;
    stored_ = {};
    figuresStored_ = false;
    extents_.clear();
    firstOpenStep_ = 0;
    predictedEnd_ = predictedFirstForward_ = predictedLastBackward_ = 0;
    firstTime_ = lastTime_ = eventCount_ = 0;
    timesKnown_ = false;
    forgetAccount();
    Q_EMIT reset();
}

void RunModel::setFile(std::filesystem::path file) {
    file_ = std::move(file);
    Q_EMIT fileChanged();
}

void RunModel::setSteps(StoredSteps steps) {
    if (empty() || steps.ranks != ranks()) return;
    stored_ = std::move(steps);
    figuresStored_ = true;
    for (StepSummary& step : stored_.steps) summary_->put(std::move(step));
    stored_.steps.clear();
    refreshExtents();
    for (const StepExtent& extent : extents_)
        if (extent.begin >= 0) extendTimes(extent.begin, extent.end);
    Q_EMIT appended();
}

void RunModel::addDetails(StepDetails details) {
    if (empty() || !figuresStored_ || details.shares.size() != details.steps.size() * static_cast<std::size_t>(ranks()))
        return;
    const auto of = static_cast<std::ptrdiff_t>(ranks());
    for (std::size_t i = 0; i < details.steps.size(); ++i) {
        StepSummary& step = details.steps[i];
        const auto place = std::ranges::lower_bound(extents_, step.step, {}, &StepExtent::step);
        if (place == extents_.end() || place->step != step.step) continue;  // the file tells of it in one table only
        const std::size_t at = static_cast<std::size_t>(place - extents_.begin()) * static_cast<std::size_t>(of);
        if (stored_.shares.size() < at + static_cast<std::size_t>(of))
            stored_.shares.resize(at + static_cast<std::size_t>(of));
        std::copy_n(details.shares.begin() + static_cast<std::ptrdiff_t>(i) * of, of,
                    stored_.shares.begin() + static_cast<std::ptrdiff_t>(at));
        summary_->put(std::move(step));
    }
    Q_EMIT appended();
}

void RunModel::setEnds(StepEnds ends) {
    if (empty() || !figuresStored_) return;
    stragglers_ = std::move(ends.stragglers);
    for (std::size_t rank = 0; rank < std::min(lanes_.size(), ends.peaks.size()); ++rank)
        lanes_[rank].peak = ends.peaks[rank];
    Q_EMIT appended();
}

void RunModel::setStored(std::shared_ptr<BlockSource> source, std::span<const BlockPlace> places) {
    if (empty()) return;
    store_.stored(std::move(source), places);
    for (const BlockPlace& place : places) {
        if (place.rank < 0 || place.rank >= ranks()) continue;
        eventCount_ += place.count;
        extendTimes(place.begin, place.end);
    }
    Q_EMIT appended();
}

void RunModel::extendTimes(std::int64_t begin, std::int64_t end) {
    firstTime_ = timesKnown_ ? std::min(firstTime_, begin) : begin;
    lastTime_ = std::max(lastTime_, end);
    timesKnown_ = true;
}

const StepShares* RunModel::shares(std::size_t step, int rank) const {
    const std::size_t at = step * static_cast<std::size_t>(ranks()) + static_cast<std::size_t>(rank);
    return at < stored_.shares.size() ? &stored_.shares[at] : nullptr;
}

void RunModel::append(std::span<const Event> events) {
    if (empty() || events.empty()) return;
    takeInOrder(events, &RunModel::takeArrived);
    Q_EMIT appended();
}

void RunModel::take(std::vector<ScannedBlock> blocks) {
    if (empty() || blocks.empty()) return;
    for (ScannedBlock& block : blocks) {
        store_.digest(block.place, std::move(block.digest));
        takeInOrder(block.told, &RunModel::takeTold);
        if (!figuresStored_) takeFigured(block.figured);
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
    if (!restarts_.add(restart)) return;
    const auto gone = [this](const Event& event) { return restarts_.superseded(event); };
    for (std::vector<Event>& counters : counters_) std::erase_if(counters, gone);
    instants_.eraseOverflows(gone);
    instants_.add(std::span(&restart, 1));
    ++eventCount_;
    extendTimes(restart.begin, restart.end);
    if (figuresStored_) return;
    summary_->add(std::span(&restart, 1));
    watch_->add(std::span(&restart, 1));
    judgedSteps_ = 0;
    firstOpenStep_ = std::min(firstOpenStep_, summary_->steps().size());
    refreshExtents();
    Q_EMIT reset();
}

void RunModel::takeArrived(std::span<const Event> events) {
    if (events.empty()) return;
    std::vector<Event> told;
    for (const Event& event : events) {
        if (event.rank < 0 || event.rank >= ranks()) continue;
        if (isOfBlock(event)) store_.append(event);
        else told.push_back(event);
        extendTimes(event.begin, event.end);
        ++eventCount_;
    }
    takeTold(told);
    if (!figuresStored_) takeFigured(events);
}

void RunModel::takeFigured(std::span<const Event> events) {
    summary_->add(events);
    watch_->add(events);
    refreshExtents();
}

/// Counters and instants.
void RunModel::takeTold(std::span<const Event> events) {
    std::array<std::size_t, counterSlots> sortedCounters{};
    for (std::size_t kind = 0; kind < counterSlots; ++kind) sortedCounters[kind] = counters_[kind].size();
    std::vector<Event> instants;
    for (const Event& event : events) {
        if (event.rank < 0 || event.rank >= ranks()) continue;
        if (event.kind == EventKind::MemoryPeak) {
            std::int64_t& peak = lanes_[static_cast<std::size_t>(event.rank)].peak;
            peak = std::max(peak, event.bytes);
        } else if (isCounter(event.kind)) {
            if (isKeptCounter(event.kind) && !restarts_.superseded(event))
                counters_[static_cast<std::size_t>(event.kind)].push_back(event);
        } else if (event.kind != EventKind::Overflow || !restarts_.superseded(event)) {
            instants.push_back(event);
        }
    }
    for (std::size_t kind = 0; kind < counterSlots; ++kind) mergeTail(counters_[kind], sortedCounters[kind]);
    instants_.add(instants);
}

void RunModel::refreshExtents() {
    const std::vector<StepSummary>& steps = summary_->steps();
    extents_.resize(steps.size());
    for (std::size_t i = firstOpenStep_; i < steps.size(); ++i) {
        StepExtent extent{.step = steps[i].step, .complete = steps[i].complete};
        extent.firstForward = steps[i].firstForward;
        if (steps[i].end > 0) extent.begin = steps[i].begin;
        if (steps[i].lastBackward > 0) extent.lastBackward = steps[i].lastBackward;
        extent.end = std::max({extent.end, steps[i].end, steps[i].lastBackward, steps[i].firstForward});
        extend(extent.begin, extent.firstForward);
        extents_[i] = extent;
        if (extent.complete && i == firstOpenStep_) ++firstOpenStep_;
    }
}

bool RunModel::takesPart(int rank, int step) const {
    const int data = empty() ? 1 : header_->layout.parallel.data;
    return replicas_[static_cast<std::size_t>(rank)] < activeRanks(step) * data / std::max(ranks(), 1);
}

void RunModel::setNotes(std::vector<Note> notes) {
    notes_ = std::move(notes);
    Q_EMIT notesChanged();
}

const std::vector<Straggler>& RunModel::stragglers() const {
    // All steps are looked at again: not with every one that comes.
    constexpr std::size_t fewer = 16;
    if (watch_ && !figuresStored_ && firstOpenStep_ != judgedSteps_ &&
        (end_ || firstOpenStep_ >= judgedSteps_ + std::max<std::size_t>(1, judgedSteps_ / fewer))) {
        stragglers_ = watch_->stragglers();
        judgedSteps_ = firstOpenStep_;
    }
    return stragglers_;
}

void RunModel::append(const LogLine& line) {
    log_.push_back(line);
    Q_EMIT logged();
}

void RunModel::setRank(const RankRecord& record) {
    const auto place = std::lower_bound(rankRecords_.begin(), rankRecords_.end(), record.rank,
                                        [](const RankRecord& known, int rank) { return known.rank < rank; });
    // Without a layout a rank's place is what its record says.
    if (header_ && !header_->hasLayout() && record.rank >= 0 && record.rank < ranks())
        labels_[static_cast<std::size_t>(record.rank)] = record.label;
    if (place != rankRecords_.end() && place->rank == record.rank) *place = record;
    else rankRecords_.insert(place, record);
    Q_EMIT ranksChanged();
}

void RunModel::setClocks(std::vector<HostClock> clocks) {
    clocks_ = latestOf(clocks);
    Q_EMIT ranksChanged();
}

void RunModel::setNames(EventNames names) { names_ = std::move(names); }

void RunModel::setEnd(const RunEnd& end) {
    end_ = end;
    Q_EMIT ended();
}

const std::vector<Event>& RunModel::predicted(int rank, Lane lane) const {
    return lanes_.at(static_cast<std::size_t>(rank)).predicted[static_cast<std::size_t>(lane)];
}

std::vector<Event> RunModel::eventsOfStep(int rank, Lane lane, int step) const {
    const Restarts::Window window = restarts_.lastOf(step);
    const auto extent = std::ranges::lower_bound(extents_, step, {}, &StepExtent::step);
    StoredLane::Stretch likely{1, 0};
    if (extent != extents_.end() && extent->step == step) likely = {extent->begin, extent->end};
    return this->lane(rank, lane).ofStep(step, {window.begin, window.end}, likely);
}

const std::vector<Event>& RunModel::counters(EventKind kind) const {
    return counters_.at(static_cast<std::size_t>(kind));
}

int RunModel::stepIndexAt(std::int64_t time) const {
    if (extents_.empty()) return -1;
    if (time < 0) {
        if (firstOpenStep_ > 0) return static_cast<int>(firstOpenStep_) - 1;
        return static_cast<int>(extents_.size()) - 1;
    }
    const auto after = std::upper_bound(extents_.begin(), extents_.end(), time,
                                        [](std::int64_t t, const StepExtent& extent) { return t < extent.begin; });
    return static_cast<int>(after - extents_.begin()) - 1;
}

bool RunModel::hasMemory() const {
    for (int rank = 0; rank < ranks(); ++rank)
        if (!store_.memory(rank).empty()) return true;
    return false;
}

MemoryBytes RunModel::memoryAt(int rank, std::int64_t time) const {
    return time < 0 ? store_.memory(rank).last() : store_.memory(rank).at(time);
}

MemoryBytes RunModel::largestMemory(int rank, std::int64_t begin, std::int64_t end) const {
    return store_.memory(rank).largest(begin, end);
}

MemoryCurve RunModel::measuredMemory(int rank, std::int64_t begin, std::int64_t end, std::size_t most) const {
    MemoryCurve curve;
    curve.points = store_.memory(rank).curve(begin, end, most);
    for (std::size_t i = 0; i < extents_.size(); ++i)
        if (extents_[i].begin <= end && extents_[i].end >= begin && !summary_->steps()[i].ranks.empty())
            curve.peak = std::max(curve.peak, summary_->steps()[i].ranks[static_cast<std::size_t>(rank)].peakBytes);
    return curve;
}

void RunModel::forgetAccount() {
    ++generation_;
    account_.reset();
}

const StepAccount* RunModel::account() {
    if (asked_ == generation_ || empty() || !header_->hasLayout()) return account_.get();
    asked_ = generation_;
    std::vector<Event> events;
    for (const RankLanes& lanes : lanes_)
        for (const auto& lane : lanes.predicted) events.insert(events.end(), lane.begin(), lane.end());
    if (events.size() <= quickEvents) {
        account_ = accountOf(header_->layout, std::move(events), deviceTime());
        return account_.get();
    }
    QThreadPool::globalInstance()->start([model = QPointer<RunModel>(this), generation = generation_,
                                          layout = header_->layout, events = std::move(events),
                                          device = deviceTime()]() mutable {
        std::shared_ptr<const StepAccount> account = accountOf(layout, std::move(events), device);
        QMetaObject::invokeMethod(qApp, [model, generation, account] {
            if (!model || model->generation_ != generation) return;  // a newer header came
            model->account_ = account;
            Q_EMIT model->accounted();
        });
    });
    return nullptr;
}

std::int64_t RunModel::peakBytes(int rank) const { return lanes_.at(static_cast<std::size_t>(rank)).peak; }

}  // namespace shardlab::ui
