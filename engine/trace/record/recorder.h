// SPDX-License-Identifier: Apache-2.0
// The recorder: what a rank's threads call while they train. A lock-free ring per thread; recording never waits.
#pragma once

#include "engine/trace/event/clock_line.h"
#include "engine/trace/event/event.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace shardlab::trace {

class Recorder {
public:
    /// `clockOrigin`: monotonicNanoseconds() at which the run's clock is 0. `capacity`: events a thread's ring holds.
    Recorder(int rank, std::int64_t clockOrigin, std::size_t capacity = 1 << 15);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// Nanoseconds of the run's clock.
    std::int64_t now() const;
    /// Stores one event; its rank is filled in. A full ring counts a drop instead.
    void record(const Event& event);
    void span(Lane lane, EventKind kind, std::int32_t step, std::int64_t begin, std::int64_t end, ActionId action = 0,
              std::int64_t bytes = 0, double value = 0);
    void counter(EventKind kind, std::int32_t step, double value, std::int64_t bytes = 0);

    /// The hosts' clocks were compared again: from the next drain() on; by the draining thread.
    void follow(const ClockLine& line);

    /// Moves everything recorded so far to `sink`, ring by ring; for one draining thread at a time.
    /// Returns the number of events dropped since the last call.
    /// To be called several times a second: it also keeps the recorder's clock in step with the machine's.
    std::int64_t drain(const std::function<void(std::span<const Event>)>& sink);

private:
    struct Rings;
    std::unique_ptr<Rings> rings_;
    int rank_;
};

}  // namespace shardlab::trace
