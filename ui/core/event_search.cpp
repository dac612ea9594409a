// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/event_search.h"

#include "ui/core/run_model.h"
#include "ui/core/words.h"

#include <algorithm>
#include <tuple>

namespace shardlab::ui {
namespace {

constexpr int searchAgainMilliseconds = 500;

std::tuple<std::int64_t, int, int> placeOf(const Event& event) {
    return {event.begin, event.rank, static_cast<int>(event.lane)};
}
bool before(const Event& a, const Event& b) { return placeOf(a) < placeOf(b); }

}  // namespace

EventSearch::EventSearch(const RunModel& model, Selection& selection, QObject* parent)
    : QObject(parent), model_(model), selection_(selection), scan_(model) {
    again_.setSingleShot(true);
    again_.setInterval(searchAgainMilliseconds);
    connect(&again_, &QTimer::timeout, this, &EventSearch::search);
    connect(&scan_, &EventScan::finished, this, &EventSearch::settle);
    connect(&selection_, &Selection::eventChanged, this, [this] {
        if (!hits_.empty()) Q_EMIT changed();
    });
    connect(&model_, &RunModel::appended, this, [this] {
        if (filter_ && !again_.isActive()) again_.start();
    });
    connect(&model_, &RunModel::reset, this, [this] {
        hits_.clear();
        count_ = 0;
        if (!query_.isEmpty()) setQuery(std::exchange(query_, QString()));
    });
}

void EventSearch::setQuery(const QString& query) {
    if (query == query_) return;
    query_ = query;
    error_.clear();
    filter_.reset();
    scan_.stop();
    again_.stop();
    hits_.clear();
    count_ = 0;
    if (!query_.trimmed().isEmpty() && !model_.empty()) {
        auto filter = parseEventFilter(query_.toStdString(), model_);
        if (filter) filter_ = std::move(*filter);
        else error_ = told(filter.error());
    }
    if (filter_) search();
    Q_EMIT changed();
}

void EventSearch::search() {
    if (!filter_) return;
    found_.clear();
    counted_ = 0;
    scan_.start([this](const Event& event) {
        if (!filter_->matches(event)) return;
        ++counted_;
        if (found_.size() < mostHits) found_.push_back(event);
    });
}

void EventSearch::settle() {
    hits_ = std::move(found_);
    found_.clear();
    count_ = counted_;
    std::ranges::stable_sort(hits_, before);
    Q_EMIT changed();
}

int EventSearch::current() const {
    if (!selection_.event()) return -1;
    const auto [first, last] = std::equal_range(hits_.begin(), hits_.end(), *selection_.event(), before);
    const auto found = std::find(first, last, *selection_.event());
    return found == last ? -1 : static_cast<int>(found - hits_.begin());
}

void EventSearch::go(int direction) {
    if (running()) finish();
    if (hits_.empty()) return;
    const auto size = static_cast<int>(hits_.size());
    int index = current();
    if (index >= 0) {
        index = (index + direction + size) % size;
    } else {
        Event from;
        from.begin = selection_.event() ? selection_.event()->begin : selection_.visible().begin;
        if (direction < 0 && !selection_.event()) from.begin = selection_.visible().end;
        const auto place = static_cast<int>(std::lower_bound(hits_.begin(), hits_.end(), from, before) - hits_.begin());
        index = direction > 0 ? place % size : (place - 1 + size) % size;
    }
    const Event hit = hits_[static_cast<std::size_t>(index)];
    selection_.setFollowLive(false);
    selection_.select(hit);
    const TimeRange visible = selection_.visible();
    if (hit.begin >= visible.begin && hit.end <= visible.end) return;
    const std::int64_t half = std::max((visible.end - visible.begin) / 2, hit.end - hit.begin);
    const std::int64_t middle = hit.begin + (hit.end - hit.begin) / 2;
    selection_.setVisible({middle - half, middle + half});
}

}  // namespace shardlab::ui
