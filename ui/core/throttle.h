// SPDX-License-Identifier: GPL-3.0-or-later
// Live data arrives far more often than a screen can show: many requests, one call per interval.
#pragma once

#include <QObject>
#include <QTimer>

#include <functional>

namespace shardlab::ui {

class Throttle : public QObject {
public:
    Throttle(QObject* parent, std::function<void()> work, int milliseconds = 33)
        : QObject(parent), work_(std::move(work)) {
        timer_.setSingleShot(true);
        timer_.setInterval(milliseconds);
        connect(&timer_, &QTimer::timeout, this, [this] { work_(); });
    }
    /// The work is done once, an interval after the first request since it was last done.
    void request() {
        if (!timer_.isActive()) timer_.start();
    }
    /// Each of these signals of `sender` is a request.
    template <class Sender, class... Signals>
    void follow(const Sender& sender, Signals... signal) {
        (connect(&sender, signal, this, &Throttle::request), ...);
    }
    /// The work is done now; a pending request is dropped.
    void flush() {
        timer_.stop();
        work_();
    }

private:
    std::function<void()> work_;
    QTimer timer_;
};

}  // namespace shardlab::ui
