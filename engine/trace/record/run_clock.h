// SPDX-License-Identifier: Apache-2.0
// The run's clock as ranks read it: CLOCK_MONOTONIC since the run's 0, by way of the processor's counter where the
// kernel itself trusts that counter (half the cost of clock_gettime), else by clock_gettime. Either way now() goes
// along a line that is bent, never broken, where the clock is slewed or compared anew with other hosts'.
#pragma once

#include "engine/base/clock.h"
#include "engine/trace/event/clock_line.h"

#include <atomic>
#include <cstdint>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

namespace shardlab::trace {

class RunClock {
public:
    /// `origin`: monotonicNanoseconds() at the run's 0. The first clock of a process takes some milliseconds to measure
    /// the counter's rate.
    explicit RunClock(std::int64_t origin);

    /// Nanoseconds of the run's clock; never runs backwards on one thread.
    std::int64_t now() const { return fromTicks(ticks()); }
    /// From the next adjust() on towards what `line` says, without running backwards; by the thread that adjusts.
    void follow(const ClockLine& line) { target_ = line; }
    /// Follows CLOCK_MONOTONIC (which the system slews) without a jump; to be called several times a second, by one
    /// thread at a time. An error is worked off in half a second, and where the next call comes later than that, the
    /// clock goes on at the plain rate.
    void adjust();
    bool usesCounter() const { return usesCounter_; }

private:
    struct Sample {
        std::uint64_t ticks = 0;
        std::int64_t time = 0;  ///< CLOCK_MONOTONIC
    };

    std::uint64_t ticks() const {
#ifdef __x86_64__
        if (usesCounter_) return __rdtsc();
#endif
        return static_cast<std::uint64_t>(monotonicNanoseconds());
    }
    Sample sample() const;
    /// Nanoseconds of a tick.
    double measuredRate() const;
    /// From now on the clock goes `leap` ns further and by `bend` times the plain rate (nanoseconds per tick), which it
    /// takes up again `ticks` later. Whoever has read the old line read the counter before it turns.
    void turnLine(double plainRate, double bend, std::uint64_t ticks, std::int64_t leap);

    /// The line through (lineTicks_, lineTime_) with slope lineRate_ / 2^32, from bentTicks_ on plainRate_ / 2^32, and
    /// left of it about that of the line before; read under a sequence lock.
    std::int64_t fromTicks(std::uint64_t at) const {
        for (;;) {
            const std::uint32_t before = sequence_.load(std::memory_order_acquire);
            const std::uint64_t from = lineTicks_.load(std::memory_order_relaxed);
            const std::int64_t time = lineTime_.load(std::memory_order_relaxed);
            const std::uint64_t rate = lineRate_.load(std::memory_order_relaxed),
                                plain = plainRate_.load(std::memory_order_relaxed),
                                bent = bentTicks_.load(std::memory_order_relaxed),
                                rateBefore = rateBefore_.load(std::memory_order_relaxed);
            std::atomic_thread_fence(std::memory_order_acquire);
            if ((before & 1) == 0 && sequence_.load(std::memory_order_relaxed) == before) {
                // A counter read before the line turned lies left of its start. Rounded towards it, so that it is not
                // before what the old line said of an earlier moment.
                const auto past = static_cast<std::int64_t>(at - from), bend = static_cast<std::int64_t>(bent);
                if (past < 0) return time - along(-past, rateBefore);
                return past <= bend ? time + along(past, rate) : time + along(bend, rate) + along(past - bend, plain);
            }
        }
    }

    static std::int64_t along(std::int64_t ticks, std::uint64_t rate) {
        __extension__ using Wide = __int128;
        return static_cast<std::int64_t>((static_cast<Wide>(ticks) * static_cast<Wide>(rate)) >> 32);
    }

    ClockLine target_;
    bool usesCounter_ = false;
    std::atomic<std::uint32_t> sequence_{0};
    std::atomic<std::uint64_t> lineTicks_{0};
    std::atomic<std::int64_t> lineTime_{0};
    std::atomic<std::uint64_t> lineRate_{0};
    std::atomic<std::uint64_t> plainRate_{0};
    std::atomic<std::uint64_t> bentTicks_{0};
    std::atomic<std::uint64_t> rateBefore_{0};
    Sample base_;      ///< where the present measurement of the rate began
    double rate_ = 0;  ///< nanoseconds per tick, measured
};

}  // namespace shardlab::trace
