// SPDX-License-Identifier: Apache-2.0
#include "engine/parallel/background_collectives.h"

#include "engine/base/clock.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace shardlab {

namespace {

// The rank computes on the same cores: looking more often would take more from it than it would give.
constexpr std::chrono::microseconds nap{40};

}  // namespace

BackgroundCollectives::BackgroundCollectives(std::unique_ptr<Communicator> group, std::function<std::int64_t()> clock)
    : group_(std::move(group)), clock_(std::move(clock)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

BackgroundCollectives::~BackgroundCollectives() = default;

BackgroundCollectives::Ticket BackgroundCollectives::post(std::function<RequestPtr(Communicator&)> start, std::function<void()> finish) {
    const std::lock_guard held(mutex_);
    waiting_.push_back({std::move(start), std::move(finish)});
    changed_.notify_all();
    return posted_++;
}

bool BackgroundCollectives::done(Ticket ticket) {
    const std::lock_guard held(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    return ticket < done_;
}

void BackgroundCollectives::wait(Ticket ticket) {
    std::unique_lock held(mutex_);
    changed_.wait(held, [&] { return ticket < done_ || failure_; });
    if (failure_) std::rethrow_exception(failure_);
}

BackgroundCollectives::Times BackgroundCollectives::times(Ticket ticket) {
    const std::lock_guard held(mutex_);
    for (; asked_ < ticket; ++asked_) times_.pop_front();
    ++asked_;
    const Times found = times_.front();
    times_.pop_front();
    return found;
}

/// Where devices did it by themselves, they know better than who looked at them.
BackgroundCollectives::Times BackgroundCollectives::timesOf(const Request& request, std::int64_t begin) const {
    const DeviceSpan span = request.span();
    const auto from = span.begin ? span.begin->reached() : std::nullopt;
    const auto to = span.end ? span.end->reached() : std::nullopt;
    const std::int64_t now = clock_();
    if (!from || !to) return {begin, now};
    const std::int64_t ahead = now - monotonicNanoseconds();
    return {*from + ahead, *to + ahead};
}

void BackgroundCollectives::run(const std::stop_token& stop) {
    try {
        while (true) {
            Job job;
            {
                std::unique_lock held(mutex_);
                if (!changed_.wait(held, stop, [&] { return !waiting_.empty(); })) return;
                job = std::move(waiting_.front());
                waiting_.pop_front();
            }
            const std::int64_t begin = clock_();
            const RequestPtr request = job.start(*group_);
            while (!request->test()) {
                if (stop.stop_requested()) return;
                std::this_thread::sleep_for(nap);
            }
            if (job.finish) job.finish();
            const Times times = timesOf(*request, begin);
            const std::lock_guard held(mutex_);
            times_.push_back(times);
            ++done_;
            changed_.notify_all();
        }
    } catch (...) {
        const std::lock_guard held(mutex_);
        failure_ = std::current_exception();
        changed_.notify_all();
    }
}

}  // namespace shardlab
