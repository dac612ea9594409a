// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/event_scan.h"

#include <QElapsedTimer>

#include <algorithm>

namespace shardlab {
namespace {

constexpr int budgetMilliseconds = 8;
constexpr std::size_t atOnce = 4096;  ///< events between two looks at the clock

}  // namespace

EventScan::EventScan(const RunModel& model, QObject* parent) : QObject(parent), model_(model) {
    timer_.setInterval(0);
    connect(&timer_, &QTimer::timeout, this, &EventScan::slice);
    connect(&model_, &RunModel::reset, this, &EventScan::stop);
}

void EventScan::start(std::function<void(const Event&)> visit, std::int64_t before) {
    visit_ = std::move(visit);
    before_ = before;
    rank_ = lane_ = 0;
    place_ = 0;
    predicted_ = model_.eventCount() == 0;
    timer_.start();
}

void EventScan::stop() {
    timer_.stop();
    visit_ = nullptr;
}

bool EventScan::advance(std::size_t most) {
    while (rank_ < model_.ranks()) {
        const auto lane = static_cast<Lane>(lane_);
        const std::vector<Event>& events = predicted_ ? model_.predicted(rank_, lane) : model_.lane(rank_, lane);
        for (; place_ < events.size() && events[place_].begin < before_; ++place_) {
            if (most-- == 0) return true;
            visit_(events[place_]);
        }
        place_ = 0;
        if (++lane_ < laneCount) continue;
        lane_ = 0;
        ++rank_;
    }
    return false;
}

void EventScan::slice() {
    QElapsedTimer clock;
    clock.start();
    bool more = true;
    while (more && clock.elapsed() < budgetMilliseconds) more = advance(atOnce);
    if (more) return;
    timer_.stop();
    Q_EMIT finished();
}

void EventScan::finish() {
    if (!running()) return;
    while (advance(atOnce)) {}
    timer_.stop();
    Q_EMIT finished();
}

}  // namespace shardlab
