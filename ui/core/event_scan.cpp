// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/event_scan.h"

#include <QElapsedTimer>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int budgetMilliseconds = 8;
constexpr std::size_t atOnce = 4096;  ///< events between two looks at the clock
constexpr int pagesAhead = 12;        ///< whose blocks are read meanwhile
constexpr std::int64_t never = INT64_MIN, forever = INT64_MAX;

}  // namespace

EventScan::EventScan(const RunModel& model, QObject* parent) : QObject(parent), model_(model) {
    timer_.setInterval(0);
    connect(&timer_, &QTimer::timeout, this, &EventScan::slice);
    connect(&model_, &RunModel::reset, this, &EventScan::stop);
    connect(&loader_, &BlockLoader::arrived, this, [this] {
        if (running_ && !timer_.isActive()) timer_.start();
    });
}

void EventScan::start(std::function<void(const Event&)> visit, std::int64_t before) {
    visit_ = std::move(visit);
    before_ = before;
    place_ = {};
    taken_ = false;
    predicted_ = model_.recorded().events == 0;
    running_ = true;
    timer_.start();
}

void EventScan::stop() {
    timer_.stop();
    running_ = false;
    visit_ = nullptr;
    events_ = {};
    page_ = {};
}

bool EventScan::skip(Place& place) const {
    for (; place.rank < model_.ranks(); ++place.rank, place.lane = 0, place.from = never) {
        for (; place.lane < laneCount; ++place.lane, place.from = never) {
            const auto lane = static_cast<Lane>(place.lane);
            const bool empty = predicted_ ? model_.prediction().lane(place.rank, lane).empty()
                                          : model_.store().lane(place.rank, lane).empty();
            if (!empty && place.from < before_) return true;
        }
    }
    return false;
}

std::int64_t EventScan::pageEnd(const Place& place) const {
    if (predicted_) return forever;
    const StoredLane& lane = model_.store().lane(place.rank, static_cast<Lane>(place.lane));
    const std::size_t page = lane.pageAt(place.from);
    return page + 1 < lane.pages() ? lane.pageBegin(page + 1) : forever;
}

bool EventScan::ready() {
    if (predicted_) return true;
    loader_.begin(model_.store().cache(), 0);
    bool there = true;
    Place place = place_;
    for (int ahead = 0; ahead < pagesAhead && skip(place); ++ahead, place.from = pageEnd(place)) {
        const StoredLane& lane = model_.store().lane(place.rank, static_cast<Lane>(place.lane));
        for (const std::size_t entry : lane.entriesOf(lane.pageAt(place.from)))
            if (!loader_.get(lane, entry) && ahead == 0) there = false;
    }
    loader_.end();
    return there;
}

EventScan::Next EventScan::advance(std::size_t most, bool wait) {
    for (;;) {
        if (!taken_) {
            if (!skip(place_)) return Next::Done;
            if (!wait && !ready()) return Next::Waits;
            const auto lane = static_cast<Lane>(place_.lane);
            if (!predicted_) {
                const StoredLane& stored = model_.store().lane(place_.rank, lane);
                page_ = stored.page(stored.pageAt(place_.from));
            }
            events_ = predicted_ ? model_.prediction().lane(place_.rank, lane) : page_;
            // A page that blocks were joined to begins with what was visited.
            at_ = static_cast<std::size_t>(std::ranges::lower_bound(events_, place_.from, {}, &Event::begin) -
                                           events_.begin());
            place_.from = pageEnd(place_);
            taken_ = true;
        }
        for (; at_ < events_.size() && events_[at_].begin < before_; ++at_) {
            if (most-- == 0) return Next::More;
            visit_(events_[at_]);
        }
        taken_ = false;
    }
}

void EventScan::slice() {
    QElapsedTimer clock;
    clock.start();
    Next next = Next::More;
    while (next == Next::More && clock.elapsed() < budgetMilliseconds) next = advance(atOnce, false);
    if (next == Next::Waits) timer_.stop();  // until blocks arrive
    if (next == Next::Done) settle();
}

void EventScan::settle() {
    timer_.stop();
    running_ = false;
    events_ = {};
    page_ = {};
    Q_EMIT finished();
}

void EventScan::finish() {
    if (!running_) return;
    while (advance(atOnce, true) == Next::More) {}
    settle();
}

}  // namespace shardlab::ui
