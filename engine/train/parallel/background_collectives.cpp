// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/background_collectives.h"

#include <chrono>
#include <utility>

namespace shardlab::train {

namespace {

// The rank computes on the same cores: looking more often would take more time from it than it would save.
constexpr std::chrono::microseconds nap{40};

}  // namespace

BackgroundCollectives::BackgroundCollectives(std::unique_ptr<Communicator> group, Clock clock)
    : group_(std::move(group)), clock_(std::move(clock)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

BackgroundCollectives::~BackgroundCollectives() = default;

BackgroundCollectives::Ticket BackgroundCollectives::post(Start start, std::function<void()> finish) {
    const std::lock_guard held(mutex_);
    waiting_.push_back({std::move(start), std::move(finish)});
    changed_.notify_all();
    return posted_++;
}

bool BackgroundCollectives::awaited(Ticket ticket) {
    const std::lock_guard held(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    return ticket < done_;
}

void BackgroundCollectives::wait(Ticket ticket, const Observer& observer) {
    observer(ticket, [&] { waitUntilDone(ticket); });
}

void BackgroundCollectives::waitUntilDone(Ticket ticket) {
    std::unique_lock held(mutex_);
    changed_.wait(held, [&] { return ticket < done_ || failure_; });
    if (failure_) std::rethrow_exception(failure_);
}

void BackgroundCollectives::drain() { waitUntilDone(posted_ - 1); }

std::optional<BackgroundCollectives::Times> BackgroundCollectives::times(Ticket ticket) {
    const std::lock_guard held(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    if (ticket >= done_) return std::nullopt;
    for (; asked_ < ticket; ++asked_) times_.pop_front();
    ++asked_;
    const Times found = times_.front();
    times_.pop_front();
    return found;
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
            const Times times{begin, clock_()};
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

}  // namespace shardlab::train
