// SPDX-License-Identifier: Apache-2.0
// The times at which a stream reached a point, on the processor's clock.
#pragma once

#include "kernels/device_group.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace shardlab::kernels::cuda {

/// CUDA's events only tell how much later one of them was than another. So now and then an event is recorded whose time
/// on CLOCK_MONOTONIC is known within some microseconds (an anchor), and later events are measured from it. Any thread
/// may use the clock, which lives as long as its moments.
class EventClock : public std::enable_shared_from_this<EventClock> {
public:
    /// A clock for the calling thread's GPU.
    EventClock();
    ~EventClock();
    EventClock(const EventClock&) = delete;
    EventClock& operator=(const EventClock&) = delete;

    /// Makes a new anchor where the last one is half a second old; to be called while little is under way on the GPU.
    void compare();
    std::shared_ptr<DeviceMoment> mark(cudaStream_t stream);
    /// The event behind a moment of this clock.
    static cudaEvent_t event(const DeviceMoment& moment);

private:
    class Moment;
    struct Anchor;
    cudaEvent_t take();
    void giveBack(cudaEvent_t event);

    cudaStream_t own_ = nullptr;  ///< a stream of its own, so that no work holds up an anchor
    std::mutex mutex_;
    std::vector<cudaEvent_t> free_;
    std::shared_ptr<const Anchor> anchor_;
};

}  // namespace shardlab::kernels::cuda
