// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

#include <algorithm>
#include <sched.h>
#include <time.h>

namespace shardlab::train {

/// How many tests fail between two checks whether the other members are still alive.
inline constexpr long looksApart = 128;

/// What a waiting rank does between two tests. Where there are more ranks than cores, it yields a few times, then
/// sleeps 20 to 100 µs at a time, and leaves its core to ranks that work. Otherwise it spins for a while, then yields,
/// and after some milliseconds sleeps 20 µs at a time: after so long a wait the delay does not matter, and others get
/// the core.
class Backoff {
public:
    explicit Backoff(bool oversubscribed) : oversubscribed_(oversubscribed) {}

    void pause() {
        ++turns_;
        if (!oversubscribed_) {
            if (turns_ <= spins) return;
            if (turns_ <= spins + longYields) {
                sched_yield();
                return;
            }
            return sleep(20'000L);
        }
        if (turns_ <= yields) {
            sched_yield();
            return;
        }
        sleep(std::min(100'000L, 20'000L + 5'000L * (turns_ - yields)));
    }

private:
    static void sleep(long nanoseconds) {
        const timespec nap{0, nanoseconds};
        clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);
    }

    static constexpr long spins = 2000;
    static constexpr long longYields = 20000;
    static constexpr long yields = 20;
    bool oversubscribed_;
    long turns_ = 0;
};

}  // namespace shardlab::train
