// SPDX-License-Identifier: Apache-2.0
// Collectives beside compute: a thread that carries them out one after another, so that they move on whatever the rank
// computes.
#pragma once

#include "engine/comm/communicator.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace shardlab {

class BackgroundCollectives {
public:
    using Ticket = std::int64_t;  ///< counts from 0 in the order of posting
    struct Times {
        std::int64_t begin = 0;  ///< as `clock` tells
        std::int64_t end = 0;
    };

    /// Nobody else uses `group`.
    BackgroundCollectives(std::unique_ptr<Communicator> group, std::function<std::int64_t()> clock);
    /// What is under way is given up.
    ~BackgroundCollectives();
    BackgroundCollectives(const BackgroundCollectives&) = delete;
    BackgroundCollectives& operator=(const BackgroundCollectives&) = delete;

    /// `start` begins the collective on the thread, `finish` (may be empty) follows it there.
    Ticket post(std::function<RequestPtr(Communicator&)> start, std::function<void()> finish = {});
    /// Throws what stopped the thread.
    bool done(Ticket ticket);
    void wait(Ticket ticket);
    /// Of a ticket that is done; each may be asked for once, in order.
    Times times(Ticket ticket);

private:
    struct Job {
        std::function<RequestPtr(Communicator&)> start;
        std::function<void()> finish;
    };
    Times timesOf(const Request& request, std::int64_t begin) const;
    void run(const std::stop_token& stop);

    std::unique_ptr<Communicator> group_;
    std::function<std::int64_t()> clock_;
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
