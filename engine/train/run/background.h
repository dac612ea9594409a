// SPDX-License-Identifier: Apache-2.0
// A thread for work that must not hold up training; it does one task at a time.
#pragma once

#include "engine/base/wings.h"

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace shardlab::train {

class Background {
public:
    Background() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

    /// To be called only while idle.
    void start(std::function<void()> task) {
        {
            const std::lock_guard lock(mutex_);
            task_ = std::move(task);
            idle_ = false;
        }
        changed_.notify_all();
    }
    bool idle() const {
        const std::lock_guard lock(mutex_);
        return idle_;
    }
    /// Waits for the task; rethrows what it threw.
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return idle_; });
        if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

private:
    void run(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (changed_.wait(lock, stop, [this] { return static_cast<bool>(task_); })) {
            const std::function<void()> task = std::exchange(task_, nullptr);
            lock.unlock();
            std::exception_ptr thrown;
            try {
                task();
            } catch (...) {
                thrown = std::current_exception();
            }
            lock.lock();
            thrown_ = thrown;
            idle_ = true;
            changed_.notify_all();
        }
    }

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::function<void()> task_;
    std::exception_ptr thrown_;
    bool idle_ = true;
    std::jthread thread_;  // last: it uses the others
};

}  // namespace shardlab::train
