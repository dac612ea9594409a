// SPDX-License-Identifier: GPL-3.0-or-later
// Goes through all spans of a model, a little per frame: never longer than a frame has room for, however many there are.
#pragma once

#include "ui/core/run_model.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace shardlab {

class EventScan : public QObject {
    Q_OBJECT
public:
    explicit EventScan(const RunModel& model, QObject* parent = nullptr);

    /// Measured spans, or the predicted ones where nothing was measured, rank by rank and lane by lane, each lane
    /// ascending by begin. Of lanes, those that begin before `before`. A scan under way is dropped.
    void start(std::function<void(const Event&)> visit, std::int64_t before = INT64_MAX);
    void stop();
    bool running() const { return timer_.isActive(); }
    /// Goes on to the end now.
    void finish();

Q_SIGNALS:
    void finished();

private:
    /// False at the end.
    bool advance(std::size_t most);
    void slice();

    const RunModel& model_;
    std::function<void(const Event&)> visit_;
    std::int64_t before_ = 0;
    int rank_ = 0;
    int lane_ = 0;
    std::size_t place_ = 0;
    bool predicted_ = false;
    QTimer timer_;
};

}  // namespace shardlab
