// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/run_steps.h"

#include "engine/layout/schedule/registry.h"

namespace shardlab::ui {

namespace {

/// A program that is watched within a share of its time records the details of each 1024th step at least.
constexpr std::size_t mostBetweenDetails = 1024;

}  // namespace

RunSteps::RunSteps(const RunHeader& header, int ranks, std::span<const Event> predicted)
    : ranks_(ranks), summary_(ranks, flushes(header.layout), sentBytesOf(header)),
      peaks_(static_cast<std::size_t>(ranks)), watch_(header) {
    watch_->addPredicted(predicted);
}

bool RunSteps::take(StoredSteps steps) {
    if (!watch_ || steps.ranks != ranks_) return false;
    stored_ = true;
    thinning_ = steps.thinning;
    shares_ = std::move(steps.shares);
    for (StepSummary& step : steps.steps) summary_.put(std::move(step));
    refreshExtents();
    return true;
}

bool RunSteps::take(StepDetails details) {
    const auto ranks = static_cast<std::size_t>(ranks_);
    if (!stored_ || details.shares.size() != details.steps.size() * ranks) return false;
    for (std::size_t i = 0; i < details.steps.size(); ++i) {
        StepSummary& step = details.steps[i];
        const StepExtent* place = extentOf(step.step);
        if (!place) continue;  // the file tells of it in one table only
        const std::size_t at = static_cast<std::size_t>(place - extents_.data()) * ranks;
        if (shares_.size() < at + ranks) shares_.resize(at + ranks);
        std::ranges::copy(std::span(details.shares).subspan(i * ranks, ranks),
                          shares_.begin() + static_cast<std::ptrdiff_t>(at));
        summary_.put(std::move(step));
    }
    return true;
}

bool RunSteps::take(StepEnds ends) {
    if (!stored_) return false;
    stragglers_ = std::move(ends.stragglers);
    ends.peaks.resize(peaks_.size());
    peaks_ = std::move(ends.peaks);
    return true;
}

void RunSteps::add(std::span<const Event> events) {
    if (stored_) return;
    summary_.add(events);
    watch_->add(events);
    refreshExtents();
}

bool RunSteps::restart(const Event& restart) {
    if (!restarts_.add(restart)) return false;
    if (stored_) return true;
    judged_ = 0;
    summary_.add(std::span(&restart, 1));
    watch_->add(std::span(&restart, 1));
    firstOpen_ = std::min(firstOpen_, summary_.steps().size());
    refreshExtents();
    return true;
}

void RunSteps::addPeaks(std::span<const Event> events) {
    for (const Event& event : events)
        if (const auto rank = static_cast<std::size_t>(event.rank);
            event.kind == EventKind::MemoryPeak && rank < peaks_.size())
            peaks_[rank] = std::max(peaks_[rank], event.bytes);
}

GoneSteps RunSteps::thin(std::size_t most) {
    const std::vector<StepSummary>& steps = summary_.steps();
    const std::size_t older = steps.size() > most / 2 ? std::min(steps.size() - most / 2, firstOpen_) : 0;
    GoneSteps gone;
    if (stored_ || older < 2) return gone;
    std::vector<std::int64_t> begins(older);
    std::ranges::transform(std::span(extents_).first(older), begins.begin(), &StepExtent::begin);
    const std::int64_t stretch = stretchFor(begins, most / 4);
    for (std::size_t first = 0, behind = 0; first < older; first = behind) {
        while (behind < older && begins[behind] / stretch == begins[first] / stretch) ++behind;
        std::size_t stays = first;
        while (stays < behind && !steps[stays].detailed()) ++stays;
        if (stays == behind) stays = first;
        for (std::size_t i = first; i < behind; ++i) (i == stays ? gone.others : gone.steps).push_back(steps[i].step);
    }
    gone.before = extents_[older].begin;
    summary_.leaveOut(gone.steps);
    std::erase_if(extents_, [&](const StepExtent& extent) { return gone.contains(extent.step); });
    firstOpen_ -= gone.steps.size();
    judged_ = 0;
    return gone;
}

void RunSteps::refreshExtents() {
    const std::vector<StepSummary>& steps = summary_.steps();
    extents_.resize(steps.size());
    for (std::size_t i = firstOpen_; i < steps.size(); ++i) {
        StepExtent extent{.step = steps[i].step, .complete = steps[i].complete};
        extent.firstForward = steps[i].firstForward;
        if (steps[i].end > 0) extent.begin = steps[i].begin;
        if (steps[i].lastBackward > 0) extent.lastBackward = steps[i].lastBackward;
        extent.end = std::max({extent.end, steps[i].end, steps[i].lastBackward, steps[i].firstForward});
        if (const std::int64_t first = extent.firstForward; first >= 0 && (extent.begin < 0 || first < extent.begin))
            extent.begin = first;
        extents_[i] = extent;
        if (extent.complete && i == firstOpen_) ++firstOpen_;
    }
}

int RunSteps::newest() const {
    for (std::size_t step = firstOpen_; step > 0 && step + mostBetweenDetails > firstOpen_; --step)
        if (all()[step - 1].detailed()) return static_cast<int>(step) - 1;
    return static_cast<int>(firstOpen_ > 0 ? firstOpen_ : extents_.size()) - 1;
}

int RunSteps::indexAt(std::int64_t time) const {
    if (time < 0) return newest();
    const auto after = std::ranges::upper_bound(extents_, time, {}, &StepExtent::begin);
    return static_cast<int>(after - extents_.begin()) - 1;
}

const StepSummary* RunSteps::at(std::int64_t time) const {
    const int index = indexAt(time);
    return index < 0 ? nullptr : &all()[static_cast<std::size_t>(index)];
}

const StepExtent* RunSteps::extentAt(std::int64_t time) const {
    const int index = indexAt(time);
    return index < 0 ? nullptr : &extents_[static_cast<std::size_t>(index)];
}

const StepExtent* RunSteps::extentOf(std::int64_t step) const {
    const auto found = std::ranges::lower_bound(extents_, step, {}, &StepExtent::step);
    return found != extents_.end() && found->step == step ? &*found : nullptr;
}

const StepShares* RunSteps::shares(std::size_t step, int rank) const {
    const std::size_t at = step * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(rank);
    return at < shares_.size() ? &shares_[at] : nullptr;
}

const std::vector<Straggler>& RunSteps::stragglers(bool ended) const {
    // All steps are looked at again: not with every one that comes.
    constexpr std::size_t fewer = 16;
    if (watch_ && !stored_ && firstOpen_ != judged_ &&
        (ended || firstOpen_ >= judged_ + std::max<std::size_t>(1, judged_ / fewer))) {
        stragglers_ = watch_->stragglers();
        judged_ = firstOpen_;
    }
    return stragglers_;
}

}  // namespace shardlab::ui
