// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <sched.h>
#include <time.h>

namespace shardlab {

/// What a waiting rank does between two tests. Where there are more ranks than cores it yields a few times, then sleeps,
/// 20 to 100 µs at a time, and leaves its core to working ones; otherwise it spins for a while, then yields.
class Idle {
public:
    explicit Idle(bool oversubscribed) : oversubscribed_(oversubscribed) {}

    void pause() {
        ++turns_;
        if (!oversubscribed_) {
            if (turns_ > spins) sched_yield();
            return;
        }
        if (turns_ <= yields) {
            sched_yield();
            return;
        }
        const timespec nap{0, std::min(100'000L, 20'000L + 5'000L * (turns_ - yields))};
        clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);
    }

private:
    static constexpr long spins = 2000;
    static constexpr long yields = 20;
    bool oversubscribed_;
    long turns_ = 0;
};

}  // namespace shardlab
