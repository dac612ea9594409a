// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/event_clock.cuh"

#include "kernels/cuda/check.cuh"

#include <ctime>

namespace shardlab::kernels::cuda {

namespace {

constexpr std::int64_t anchorEvery = 500'000'000;  ///< nanoseconds; CUDA tells the distance of events in 24 bits
constexpr int looks = 5;

std::int64_t monotonicTime() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

struct EventClock::Anchor {
    cudaEvent_t event = nullptr;
    std::int64_t time = 0;
    ~Anchor() { cudaEventDestroy(event); }
};

class EventClock::Moment final : public DeviceMoment {
public:
    Moment(std::shared_ptr<EventClock> clock, std::shared_ptr<const Anchor> anchor, cudaEvent_t event)
        : clock_(std::move(clock)), anchor_(std::move(anchor)), event_(event) {}
    ~Moment() override { clock_->giveBack(event_); }
    Moment(const Moment&) = delete;
    Moment& operator=(const Moment&) = delete;

    std::optional<std::int64_t> reached() override {
        if (time_) return time_;
        const cudaError_t status = cudaEventQuery(event_);
        if (status == cudaErrorNotReady) {
            cudaGetLastError();  // clears the error, which is handled here
            return std::nullopt;
        }
        check(status, "cudaEventQuery");
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, anchor_->event, event_), "cudaEventElapsedTime");
        time_ = anchor_->time + static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
        return time_;
    }
    cudaEvent_t event() const { return event_; }

private:
    std::shared_ptr<EventClock> clock_;
    std::shared_ptr<const Anchor> anchor_;
    cudaEvent_t event_;
    std::optional<std::int64_t> time_;
};

EventClock::EventClock() {
    check(cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking), "cudaStreamCreate");
    compare();
}

EventClock::~EventClock() {
    for (cudaEvent_t event : free_) cudaEventDestroy(event);
    cudaStreamDestroy(own_);
}

void EventClock::compare() {
    {
        const std::lock_guard held(mutex_);
        if (anchor_ && monotonicTime() - anchor_->time < anchorEvery) return;
    }
    const auto anchor = std::make_shared<Anchor>();
    check(cudaEventCreate(&anchor->event), "cudaEventCreate");
    std::int64_t narrowest = 0;
    // The event of the last attempt is the one that stays, so the clocks are read again until an attempt is about as
    // quick as the quickest.
    for (int look = 0; look < 4 * looks; ++look) {
        const std::int64_t before = monotonicTime();
        check(cudaEventRecord(anchor->event, own_), "cudaEventRecord");
        check(cudaEventSynchronize(anchor->event), "cudaEventSynchronize");
        const std::int64_t after = monotonicTime(), width = after - before;
        anchor->time = before + width / 2;
        if (look == 0 || width < narrowest) narrowest = width;
        if (look >= looks && width <= narrowest + narrowest / 4) break;
    }
    const std::lock_guard held(mutex_);
    anchor_ = anchor;
}

std::shared_ptr<DeviceMoment> EventClock::mark(cudaStream_t stream) {
    cudaEvent_t event = take();
    check(cudaEventRecord(event, stream), "cudaEventRecord");
    const std::lock_guard held(mutex_);
    return std::make_shared<Moment>(shared_from_this(), anchor_, event);
}

cudaEvent_t EventClock::event(const DeviceMoment& moment) { return static_cast<const Moment&>(moment).event(); }

cudaEvent_t EventClock::take() {
    {
        const std::lock_guard held(mutex_);
        if (!free_.empty()) {
            cudaEvent_t event = free_.back();
            free_.pop_back();
            return event;
        }
    }
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event), "cudaEventCreate");
    return event;
}

void EventClock::giveBack(cudaEvent_t event) {
    const std::lock_guard held(mutex_);
    free_.push_back(event);
}

}  // namespace shardlab::kernels::cuda
