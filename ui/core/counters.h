// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers that ranks record at moments and that mean what their values say: those of a program's own name, and the
// loss, learning rate and the like. Each counter of each rank is a series.
#pragma once

#include "engine/trace/event/event.h"
#include "engine/trace/event/restarts.h"
#include "ui/core/gone_steps.h"

#include <cstddef>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace shardlab::ui {

/// Between which numbers some values lie; those that are not finite lie nowhere.
struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    bool empty() const { return low > high; }
    void add(double value);
    void add(const Extent& other);
    bool operator==(const Extent&) const = default;
};

struct CounterSample {
    std::int64_t time;  ///< nanoseconds of the run's clock
    double value;       ///< as it was recorded, finite or not; of a counter of bytes, bytes
    std::int32_t step;  ///< -1 outside steps
};

/// What one rank recorded of one counter, ascending by time. A number holds until the next one.
class CounterSeries {
public:
    /// O(1) amortised where samples come in their order.
    void add(const CounterSample& sample);
    const std::vector<CounterSample>& samples() const { return samples_; }
    /// How many samples there are until a moment, those of the moment included.
    std::size_t until(std::int64_t time) const;
    /// What holds at a moment; nullptr before the first sample.
    const CounterSample* at(std::int64_t time) const;
    /// Between which numbers samples [first, last) lie. A million of them are not walked along: chunks are kept.
    Extent extent(std::size_t first, std::size_t last) const;
    void leaveOut(const GoneSteps& gone, std::size_t many) {
        if (gone.leaveOut(samples_, &CounterSample::time, many)) measureFrom(0);
    }
    template <class Gone>
    void eraseIf(Gone gone) {
        std::erase_if(samples_, gone);
        measureFrom(0);
    }

private:
    static constexpr std::size_t chunk = 64;
    void measureFrom(std::size_t sample);

    std::vector<CounterSample> samples_;
    std::vector<Extent> chunks_;  ///< of each 64 samples, the last of which may be fewer
};

struct Counter {
    EventKind kind;
    ActionId name;                       ///< of a NamedCounter: its name's number (namedId); else 0
    bool bytes = false;                  ///< its values are bytes
    std::map<int, CounterSeries> ranks;  ///< those that recorded it
};

class Counters {
public:
    /// Whether the kind is a number that its value says all of.
    static constexpr bool keeps(EventKind kind) {
        return kind == EventKind::NamedCounter || kind == EventKind::LossScale || kind > EventKind::Mark ||
               (kind >= EventKind::Loss && kind <= EventKind::TokensPerSecond);
    }
    void add(const Event& event);
    /// Leaves out what a restart supersedes.
    void drop(const Restarts& restarts);
    /// Leaves out what was recorded in steps that are gone (GoneSteps::leaveOut).
    void leaveOut(const GoneSteps& gone, std::size_t many);
    /// In the order in which they first occurred.
    const std::vector<Counter>& all() const { return all_; }
    /// nullptr: there is no such counter.
    const Counter* find(EventKind kind, ActionId name) const;

private:
    std::vector<Counter> all_;
    std::map<std::pair<EventKind, ActionId>, std::size_t> places_;
};

}  // namespace shardlab::ui
