// SPDX-License-Identifier: Apache-2.0
// Collectives beside compute, where a processor has to move them on: by a thread, whatever the rank computes.
#pragma once

#include "engine/train/parallel/collectives_beside_compute.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace shardlab {

class BackgroundCollectives final : public CollectivesBesideCompute {
public:
    /// Nobody else uses `group`.
    BackgroundCollectives(std::unique_ptr<Communicator> group, Clock clock);
    ~BackgroundCollectives() override;
    BackgroundCollectives(const BackgroundCollectives&) = delete;
    BackgroundCollectives& operator=(const BackgroundCollectives&) = delete;

    /// Both are called on the thread; waiting is for `finish` too, and for all tickets at once.
    Ticket post(Start start, std::function<void()> finish = {}) override;
    bool awaited(Ticket ticket) override;
    void wait(Ticket ticket, const Observer& observer) override;
    void drain() override;
    std::optional<Times> times(Ticket ticket) override;

private:
    struct Job {
        Start start;
        std::function<void()> finish;
    };
    void waitUntilDone(Ticket ticket);
    void run(const std::stop_token& stop);

    std::unique_ptr<Communicator> group_;
    Clock clock_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Job> waiting_;
    std::deque<Times> times_;  ///< of the jobs done whose times were not asked for
    Ticket posted_ = 0;
    Ticket done_ = 0;   ///< jobs done
    Ticket asked_ = 0;  ///< ticket of times_.front()
    std::exception_ptr failure_;
    std::jthread thread_;  ///< last: it uses all of the above
};

}  // namespace shardlab
