// SPDX-License-Identifier: Apache-2.0
// Random events for tests.
#pragma once

#include "engine/trace/event/event.h"
#include "engine/trace/event/legal_time.h"
#include "tests/support/wings.h"

#include <QtGlobal>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace shardlab::test {

class RandomEvents {
public:
    explicit RandomEvents(std::uint64_t seed) : random_(seed) {}

    std::int64_t below(std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_); }

    EventKind kind() {
        static const std::vector<EventKind> kinds = [] {
            std::vector<EventKind> all;
            for (int i = 1; i < 256; ++i) {
                const auto kind = static_cast<EventKind>(i);
                if (name(kind) != "unknown") all.push_back(kind);
            }
            return all;
        }();
        return kinds[static_cast<std::size_t>(below(static_cast<std::int64_t>(kinds.size())))];
    }

    /// As runs have them: times that ascend lane by lane, a few microbatches, plausible sizes.
    std::vector<Event> plausible(std::size_t count, int rank) {
        std::vector<Event> events(count);
        for (Event& event : events) {
            time_ += below(200'000);
            event.begin = time_;
            event.kind = kind();
            event.end = isSpan(event.kind) ? time_ + below(1'000'000) : time_;
            event.lane = static_cast<Lane>(below(laneCount));
            event.rank = static_cast<std::int16_t>(rank);
            event.step = static_cast<std::int32_t>(time_ / 50'000'000);
            event.action = isSpan(event.kind) ? actionNumber() : 0;
            event.bytes = below(4) == 0 ? below(1 << 24) : 0;
            event.value = isCounter(event.kind) ? std::uniform_real_distribution<>(0, 6)(random_) : 0;
        }
        return events;
    }

    /// Every field any value of its type, times any legal one, extremes and NaN often among them.
    std::vector<Event> extreme(std::size_t count) {
        std::vector<Event> events(count);
        for (Event& event : events) {
            event.begin = anyTime();
            event.end = anyTime();
            event.bytes = anyNumber();
            event.value = std::bit_cast<double>(anyNumber());
            if (below(4) == 0) event.value = std::numeric_limits<double>::quiet_NaN();
            if (below(4) == 0) event.value = -std::numeric_limits<double>::infinity();
            event.action = static_cast<ActionId>(anyNumber());
            event.step = static_cast<std::int32_t>(anyNumber());
            event.rank = static_cast<std::int16_t>(anyNumber());
            event.lane = static_cast<Lane>(below(laneCount));
            event.kind = static_cast<EventKind>(below(256));
        }
        return events;
    }

    std::int64_t anyNumber() {
        switch (below(5)) {
        case 0: return std::numeric_limits<std::int64_t>::min() + below(3);
        case 1: return std::numeric_limits<std::int64_t>::max() - below(3);
        case 2: return below(5) - 2;
        case 3: return static_cast<std::int64_t>(random_() >> below(64));
        default: return static_cast<std::int64_t>(random_());
        }
    }

    std::int64_t anyTime() { return std::clamp(anyNumber(), -latestTime, latestTime); }

    std::mt19937_64& generator() { return random_; }

private:
    /// A packed action of one of 32 microbatches; the codec does not look into it.
    ActionId actionNumber() {
        return static_cast<ActionId>(1 + below(5)) << 56 | static_cast<ActionId>(1 + below(32)) << 16;
    }

    std::mt19937_64 random_;
    std::int64_t time_ = 0;
};

/// Equal bit for bit: NaN equals itself.
inline bool identical(const Event& a, const Event& b) {
    return a.begin == b.begin && a.end == b.end && a.bytes == b.bytes && a.action == b.action && a.step == b.step &&
           a.rank == b.rank && a.lane == b.lane && a.kind == b.kind &&
           std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

inline bool identical(std::span<const Event> a, std::span<const Event> b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!identical(a[i], b[i])) return false;
    }
    return true;
}

}  // namespace shardlab::test
