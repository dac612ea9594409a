// SPDX-License-Identifier: Apache-2.0
// Collectives beside compute on the processor: a thread carries them out while the rank computes.
#pragma once

#include "engine/train/parallel/collectives_beside_compute.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace shardlab::train {

class BackgroundCollectives final : public CollectivesBesideCompute {
public:
    /// `group` is for this object alone.
    BackgroundCollectives(std::unique_ptr<Communicator> group, Clock clock);
    ~BackgroundCollectives() override;
    BackgroundCollectives(const BackgroundCollectives&) = delete;
    BackgroundCollectives& operator=(const BackgroundCollectives&) = delete;

    /// Both functions are called on the thread. Whoever waits for a ticket also waits for its `finish`, and for all
    /// tickets before it.
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
    std::deque<Times> times_;  ///< of the finished jobs whose times nobody has asked for
    Ticket posted_ = 0;
    Ticket done_ = 0;   ///< number of finished jobs
    Ticket asked_ = 0;  ///< ticket of times_.front()
    std::exception_ptr failure_;
    std::jthread thread_;  ///< last: it uses all of the above
};

}  // namespace shardlab::train
