// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace shardlab::train {

/// MPI moves a long message only while both ends call it. This thread calls it for a rank that computes or sleeps while
/// messages are on their way, so that they travel beside the work. All calls of MPI happen under one lock
/// (MPI_THREAD_SERIALIZED); none of those made under it while the thread runs blocks on another rank for long.
class MpiProgress {
public:
    MpiProgress();
    ~MpiProgress();
    MpiProgress(const MpiProgress&) = delete;
    MpiProgress& operator=(const MpiProgress&) = delete;

    std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
    // To be called with the lock held: one more operation is under way, or one fewer.
    void started();
    void finished() { --underWay_; }

private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    int underWay_ = 0;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace shardlab::train
