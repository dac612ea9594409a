// SPDX-License-Identifier: Apache-2.0
// What a simulated rank leaves for the timeline. Times in seconds.
#pragma once

#include "engine/base/clock.h"
#include "engine/trace/event/event.h"
#include "engine/trace/event/legal_time.h"
#include "engine/predict/plan/costs.h"

#include <algorithm>
#include <vector>

namespace shardlab::predict {

/// The events of one pipeline rank; replicas are copies of it.
class EventSink {
public:
    explicit EventSink(bool keep) : keep_(keep) {}
    void add(Lane lane, EventKind kind, double begin, double end, const Action& action, std::int64_t bytes = 0,
             double value = 0) {
        if (keep_)
            events_.push_back({nanoseconds(begin), nanoseconds(end), bytes, value, actionId(action), 0, 0, lane, kind});
    }
    void addTensor(double begin, double end, const TensorSpan& span, const Action& action) {
        const double length = end - begin;
        events_.push_back({nanoseconds(begin + span.begin * length), nanoseconds(begin + span.end * length), span.bytes,
                           double(span.layer), actionId(action), 0, 0, Lane::Comm, span.kind});
    }
    /// Inside a span of the same lane.
    void addRecompute(double begin, double end, const ActionPart& part, const Action& action) {
        const double length = end - begin;
        events_.push_back({nanoseconds(begin + part.begin * length), nanoseconds(begin + part.end * length), 0, 0,
                           actionId(action), 0, 0, Lane::Compute, EventKind::Recompute});
    }
    /// Up to the latest time that an event may have.
    static std::int64_t nanoseconds(double seconds) {
        return std::min(toNanoseconds(std::min(seconds, 9e9)), latestTime);
    }
    bool keeps() const { return keep_; }
    void addStep(double end) {
        if (keep_) events_.push_back({0, nanoseconds(end), 0, 0, 0, 0, 0, Lane::Host, EventKind::Step});
    }
    std::vector<Event>& events() { return events_; }

private:
    bool keep_;
    std::vector<Event> events_;
};

}  // namespace shardlab::predict
