// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a recorded run on a worker thread and feeds the Replay workspace's model, a little per frame: first its steps,
// then what stays in memory of each block of its events. The events themselves are read again where they are looked at.
#pragma once

#include "engine/base/result.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <vector>

namespace shardlab::ui {

class RunModel;

class ReplaySession : public QObject {
    Q_OBJECT
public:
    explicit ReplaySession(RunModel& model, QObject* parent = nullptr);
    ~ReplaySession() override;

    /// Leaves a reading under way; the model keeps its run until the new file turned out to be one.
    void open(std::filesystem::path file);
    /// Keeps what was read so far; the events that are looked at are still read.
    void cancel();

    bool reading() const { return feed_ != nullptr; }
    /// Share of the events seen, in [0, 1].
    double progress() const;
    const std::filesystem::path& file() const { return file_; }  ///< of the model's run; empty: none
    std::int64_t droppedEvents() const { return dropped_; }

Q_SIGNALS:
    void progressChanged();
    void opened();  ///< the header is there: the model has begun
    void finished();
    void failed(const QString& file, const shardlab::base::Error& error);

private:
    /// Shared with the worker.
    struct Feed;
    void drain();

    RunModel& model_;
    std::shared_ptr<Feed> feed_;
    std::filesystem::path file_;
    std::int64_t taken_ = 0;
    std::int64_t expected_ = 0;
    std::int64_t dropped_ = 0;
    QTimer timer_;
};

}  // namespace shardlab::ui
