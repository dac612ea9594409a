// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/run_model.h"

#include "engine/layout/mesh.h"
#include "engine/schedule/registry.h"
#include "ui/core/step_account.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>

namespace shardlab {

namespace {

bool byBegin(const Event& a, const Event& b) { return a.begin < b.begin; }

/// Keeps `events` ascending; nearly always the event belongs at the end.
void insertAscending(std::vector<Event>& events, const Event& event) {
    if (events.empty() || events.back().begin <= event.begin) {
        events.push_back(event);
        return;
    }
    events.insert(std::upper_bound(events.begin(), events.end(), event, byBegin), event);
}

/// Merges what was appended from `sorted` on into the ascending part before it.
void mergeTail(std::vector<Event>& events, std::size_t sorted) {
    const auto middle = events.begin() + static_cast<std::ptrdiff_t>(sorted);
    if (middle == events.end()) return;
    std::stable_sort(middle, events.end(), byBegin);
    if (sorted == 0 || (middle - 1)->begin <= middle->begin) return;
    std::inplace_merge(std::upper_bound(events.begin(), middle, *middle, byBegin), middle, events.end(), byBegin);
}

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
    lanes_.assign(static_cast<std::size_t>(mesh.ranks()), {});
    labels_.clear();
    for (int rank = 0; rank < mesh.ranks(); ++rank) labels_.push_back(header.hasLayout() ? mesh.label(rank) : std::string());
    counters_.assign(counterSlots, {});
    instants_.clear();
    restarts_ = {};
    log_.clear();
    names_ = {};
    rankRecords_.clear();
    end_.reset();
    summary_ = std::make_unique<Summarizer>(mesh.ranks(), flushes(header.layout));
    notes_.clear();
    watch_ = std::make_unique<StragglerWatch>(header);
    watch_->addPredicted(predicted);
    stragglers_.clear();
    judgedSteps_ = 0;
    stored_ = {};
    figuresStored_ = false;
    extents_.clear();
    firstOpenStep_ = 0;
    memorySamples_ = firstTime_ = lastTime_ = eventCount_ = 0;
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
    lanes_.clear();
    labels_.clear();
    counters_.assign(counterSlots, {});
    instants_.clear();
    restarts_ = {};
    log_.clear();
    names_ = {};
    rankRecords_.clear();
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
    memorySamples_ = firstTime_ = lastTime_ = eventCount_ = 0;
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
    stragglers_ = stored_.stragglers;
    for (std::size_t rank = 0; rank < lanes_.size(); ++rank) lanes_[rank].peak = stored_.peaks[rank];
    refreshExtents();
    for (const StepExtent& extent : extents_) {
        if (extent.begin >= 0 && (firstTime_ == 0 || extent.begin < firstTime_)) firstTime_ = extent.begin;
        lastTime_ = std::max(lastTime_, extent.end);
    }
    Q_EMIT appended();
}

const StepShares* RunModel::shares(std::size_t step, int rank) const {
    const std::size_t at = step * static_cast<std::size_t>(ranks()) + static_cast<std::size_t>(rank);
    return at < stored_.shares.size() ? &stored_.shares[at] : nullptr;
}

void RunModel::append(std::span<const Event> events) {
    if (empty() || events.empty()) return;
    auto from = events.begin();
    for (auto event = from; event != events.end(); ++event) {
        if (!isRestart(*event)) continue;
        take({from, event});
        takeRestart(*event);
        from = event + 1;
    }
    take({from, events.end()});
    Q_EMIT appended();
}

/// Lanes keep what is superseded: it is drawn where it happened.
void RunModel::takeRestart(const Event& restart) {
    if (!restarts_.add(restart)) return;
    const auto gone = [this](const Event& event) { return restarts_.superseded(event); };
    for (std::vector<Event>& counters : counters_) std::erase_if(counters, gone);
    std::erase_if(instants_, [&](const Event& event) { return event.kind == EventKind::Overflow && gone(event); });
    insertAscending(instants_, restart);
    if ((eventCount_++ == 0 && !figuresStored_) || restart.begin < firstTime_) firstTime_ = restart.begin;
    lastTime_ = std::max(lastTime_, restart.end);
    if (figuresStored_) return;
    summary_->add(std::span(&restart, 1));
    watch_->add(std::span(&restart, 1));
    judgedSteps_ = 0;
    firstOpenStep_ = std::min(firstOpenStep_, summary_->steps().size());
    refreshExtents();
    Q_EMIT reset();
}

void RunModel::take(std::span<const Event> events) {
    if (events.empty()) return;
    std::array<std::size_t, counterSlots> sortedCounters{};
    for (std::size_t kind = 0; kind < counterSlots; ++kind) sortedCounters[kind] = counters_[kind].size();
    const std::size_t sortedInstants = instants_.size();

    for (const Event& event : events) {
        if (event.rank < 0 || event.rank >= ranks()) continue;
        if (isSpan(event.kind)) {
            insertAscending(
                lanes_[static_cast<std::size_t>(event.rank)].measured[static_cast<std::size_t>(event.lane)], event);
        } else if (isCounter(event.kind)) {
            appendCounter(event);
        } else if (event.kind != EventKind::Overflow || !restarts_.superseded(event)) {
            instants_.push_back(event);
        }
        if ((eventCount_ == 0 && !figuresStored_) || event.begin < firstTime_) firstTime_ = event.begin;
        lastTime_ = std::max(lastTime_, event.end);
        ++eventCount_;
    }
    for (std::size_t kind = 0; kind < counterSlots; ++kind) mergeTail(counters_[kind], sortedCounters[kind]);
    mergeTail(instants_, sortedInstants);
    if (figuresStored_) return;
    summary_->add(events);
    watch_->add(events);
    refreshExtents();
}

void RunModel::appendCounter(const Event& event) {
    RankLanes& rank = lanes_[static_cast<std::size_t>(event.rank)];
    if (event.kind == EventKind::MemoryPeak) rank.peak = std::max(rank.peak, event.bytes);
    const std::optional<MemoryCategory> category = memoryCategory(event.kind, EventKind::MemoryUsed);
    if (!category) {
        if (!restarts_.superseded(event)) counters_[static_cast<std::size_t>(event.kind)].push_back(event);
        return;
    }
    auto& samples = rank.memory[static_cast<std::size_t>(*category)];
    const MemorySample sample{event.begin, event.bytes};
    const auto place = samples.empty() || samples.back().time <= sample.time
        ? samples.end()
        : std::upper_bound(samples.begin(), samples.end(), sample.time,
                           [](std::int64_t time, const MemorySample& s) { return time < s.time; });
    samples.insert(place, sample);
    ++memorySamples_;
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

void RunModel::setNotes(std::vector<Note> notes) {
    notes_ = std::move(notes);
    Q_EMIT notesChanged();
}

const std::vector<Straggler>& RunModel::stragglers() const {
    // All steps are looked at again: not with every one that comes.
    constexpr std::size_t fewer = 16;
    if (watch_ && !figuresStored_ && firstOpenStep_ != judgedSteps_ && (end_ || firstOpenStep_ >= judgedSteps_ + std::max<std::size_t>(1, judgedSteps_ / fewer))) {
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

void RunModel::setNames(EventNames names) { names_ = std::move(names); }

void RunModel::setEnd(const RunEnd& end) {
    end_ = end;
    Q_EMIT ended();
}

const std::vector<Event>& RunModel::lane(int rank, Lane lane) const {
    return lanes_.at(static_cast<std::size_t>(rank)).measured[static_cast<std::size_t>(lane)];
}

const std::vector<Event>& RunModel::predicted(int rank, Lane lane) const {
    return lanes_.at(static_cast<std::size_t>(rank)).predicted[static_cast<std::size_t>(lane)];
}

std::span<const Event> RunModel::eventsOfStep(int rank, Lane lane, int step) const {
    const std::vector<Event>& all = this->lane(rank, lane);
    const Restarts::Window window = restarts_.lastOf(step);
    const auto begin = std::partition_point(all.begin(), all.end(), [&](const Event& e) { return e.begin < window.begin; });
    const auto end = std::partition_point(begin, all.end(), [&](const Event& e) { return e.begin < window.end; });
    const auto first = std::partition_point(begin, end, [&](const Event& e) { return e.step < step; });
    const auto last = std::partition_point(first, end, [&](const Event& e) { return e.step == step; });
    return {first, last};
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

MemoryBytes RunModel::memoryAt(int rank, std::int64_t time) const {
    MemoryBytes bytes{};
    const RankLanes& lanes = lanes_.at(static_cast<std::size_t>(rank));
    for (std::size_t category = 0; category < bytes.size(); ++category) {
        const auto& samples = lanes.memory[category];
        auto after = samples.end();
        if (time >= 0) {
            after = std::upper_bound(samples.begin(), samples.end(), time,
                                     [](std::int64_t t, const MemorySample& sample) { return t < sample.time; });
        }
        if (after != samples.begin()) bytes[category] = (after - 1)->bytes;
    }
    return bytes;
}

MemoryBytes RunModel::largestMemory(int rank, std::int64_t begin, std::int64_t end) const {
    const RankLanes& lanes = lanes_.at(static_cast<std::size_t>(rank));
    std::vector<std::int64_t> moments{begin};
    for (const auto& samples : lanes.memory) {
        auto sample = std::upper_bound(samples.begin(), samples.end(), begin,
                                       [](std::int64_t t, const MemorySample& s) { return t < s.time; });
        for (; sample != samples.end() && sample->time <= end; ++sample) moments.push_back(sample->time);
    }
    MemoryBytes largest = memoryAt(rank, std::max<std::int64_t>(begin, 0));
    for (const std::int64_t moment : moments) {
        const MemoryBytes bytes = memoryAt(rank, std::max<std::int64_t>(moment, 0));
        if (total(bytes) > total(largest)) largest = bytes;
    }
    return largest;
}

MemoryCurve RunModel::measuredMemory(int rank, std::int64_t begin, std::int64_t end, std::size_t most) const {
    MemoryCurve curve;
    const RankLanes& lanes = lanes_.at(static_cast<std::size_t>(rank));
    std::vector<std::int64_t> moments{begin};
    for (const auto& samples : lanes.memory) {
        const auto later = [](std::int64_t time, const MemorySample& sample) { return time < sample.time; };
        const auto first = std::upper_bound(samples.begin(), samples.end(), begin, later);
        const auto last = std::upper_bound(first, samples.end(), end, later);
        if (moments.size() + static_cast<std::size_t>(last - first) > most) {
            moments.clear();
            for (std::size_t i = 0; i < most; ++i)
                moments.push_back(begin + static_cast<std::int64_t>(static_cast<double>(end - begin) * static_cast<double>(i) / static_cast<double>(most)));
            break;
        }
        for (auto sample = first; sample != last; ++sample) moments.push_back(sample->time);
    }
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    for (const std::int64_t moment : moments) {
        const MemoryPoint point{moment, memoryAt(rank, std::max<std::int64_t>(moment, 0))};
        if (total(point.bytes) > 0) curve.points.push_back(point);
    }
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
        account_ = accountOf(header_->layout, std::move(events));
        return account_.get();
    }
    QThreadPool::globalInstance()->start(
        [model = QPointer<RunModel>(this), generation = generation_, layout = header_->layout, events = std::move(events)]() mutable {
            std::shared_ptr<const StepAccount> account = accountOf(layout, std::move(events));
            QMetaObject::invokeMethod(qApp, [model, generation, account] {
                if (!model || model->generation_ != generation) return;  // a newer header came
                model->account_ = account;
                Q_EMIT model->accounted();
            });
        });
    return nullptr;
}

std::int64_t RunModel::peakBytes(int rank) const { return lanes_.at(static_cast<std::size_t>(rank)).peak; }

}  // namespace shardlab
