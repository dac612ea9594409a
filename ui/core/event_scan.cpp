// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/event_scan.h"

#include <QElapsedTimer>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int budgetMilliseconds = 8;
constexpr std::size_t atOnce = 4096;  ///< events between two looks at the clock
constexpr int pagesAhead = 12;        ///< whose blocks are read meanwhile

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
    for (; place.rank < model_.ranks(); ++place.rank, place.lane = 0, place.page = 0) {
        for (; place.lane < laneCount; ++place.lane, place.page = 0) {
            const auto lane = static_cast<Lane>(place.lane);
            if (predicted_) {
                if (place.page == 0 && !model_.prediction().lane(place.rank, lane).empty()) return true;
            } else if (const StoredLane& stored = model_.store().lane(place.rank, lane);
                       place.page < stored.pages() && stored.pageBegin(place.page) < before_) {
                return true;
            }
        }
    }
    return false;
}

bool EventScan::ready() {
    if (predicted_) return true;
    loader_.begin(model_.store().cache(), 0);
    bool there = true;
    Place place = place_;
    for (int ahead = 0; ahead < pagesAhead && skip(place); ++ahead, ++place.page) {
        const StoredLane& lane = model_.store().lane(place.rank, static_cast<Lane>(place.lane));
        for (const std::size_t entry : lane.entriesOf(place.page))
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
            if (!predicted_) page_ = model_.store().lane(place_.rank, lane).page(place_.page);
            events_ = predicted_ ? model_.prediction().lane(place_.rank, lane) : page_;
            at_ = 0;
            taken_ = true;
        }
        for (; at_ < events_.size() && events_[at_].begin < before_; ++at_) {
            if (most-- == 0) return Next::More;
            visit_(events_[at_]);
        }
        taken_ = false;
        ++place_.page;
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
