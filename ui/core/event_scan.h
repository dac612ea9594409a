// SPDX-License-Identifier: GPL-3.0-or-later
// Goes through all spans of a model, a little per frame: never longer than a frame has room for, however many there
// are. Blocks that are not in memory are read ahead on another thread, a few at a time.
#pragma once

#include "ui/core/run_model.h"
#include "ui/store/block_loader.h"

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace shardlab::ui {

class EventScan : public QObject {
    Q_OBJECT
public:
    explicit EventScan(const RunModel& model, QObject* parent = nullptr);

    /// Measured spans, or the predicted ones where nothing was measured, rank by rank and lane by lane, each lane
    /// ascending by begin. Of lanes, those that begin before `before`. A scan under way is dropped. What arrives
    /// meanwhile may be missed, but nothing is visited twice.
    void start(std::function<void(const Event&)> visit, std::int64_t before = INT64_MAX);
    void stop();
    bool running() const { return running_; }
    /// Goes on to the end now.
    void finish();

Q_SIGNALS:
    void finished();

private:
    /// Where the scan stands, or will: a lane, and the begin of what it has not seen there. Pages come and go while a
    /// run arrives.
    struct Place {
        int rank = 0;
        int lane = 0;
        std::int64_t from = INT64_MIN;  ///< INT64_MAX: the lane was seen
    };
    enum class Next { More, Waits, Done };
    /// Moves `place` to the next lane where its own was seen; false after the last lane.
    bool skip(Place& place) const;
    /// Where the page at `place` ends and the next begins; INT64_MAX: nowhere.
    std::int64_t pageEnd(const Place& place) const;
    /// Whether the page at `place_` can be visited without waiting; asks for those that follow on it.
    bool ready();
    Next advance(std::size_t most, bool wait);
    void slice();
    void settle();

    const RunModel& model_;
    std::function<void(const Event&)> visit_;
    std::int64_t before_ = 0;
    Place place_;
    std::vector<Event> page_;
    std::span<const Event> events_;  ///< of the page, or of a predicted lane
    std::size_t at_ = 0;             ///< of events_, the next
    bool taken_ = false;             ///< events_ are those of place_
    bool predicted_ = false;
    bool running_ = false;
    BlockLoader loader_;
    QTimer timer_;
};

}  // namespace shardlab::ui
