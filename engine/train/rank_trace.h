// SPDX-License-Identifier: Apache-2.0
// What a rank tells of itself while it trains: events, memory counters, and the page that says what it is doing now.
#pragma once

#include "engine/model/arena.h"
#include "engine/trace/flight_record.h"
#include "engine/trace/recorder.h"
#include "engine/trace/status_page.h"
#include "kernels/elementwise.h"

#include <cstdint>

namespace shardlab {

class RankTrace {
public:
    /// `status` and `flight` may be null. All must outlive this.
    RankTrace(Recorder& recorder, StatusPage* status, const Arena& arena, FlightRecord* flight = nullptr);

    std::int64_t now() const { return recorder_.now(); }
    void setStep(std::int32_t step) { step_ = step; }
    std::int32_t step() const { return step_; }

    /// Quiet: spans of actions and memory are not recorded (validation shows as one span).
    void setQuiet(bool quiet) { quiet_ = quiet; }

    void doing(RankPhase phase, const Action& action = {}, int peer = -1);
    /// A message (to or from `peer`, a world rank) or collective begins; its span on the comm lane says that it is over.
    void started(EventKind kind, const Action& action, std::int64_t bytes, int peer = -1);
    void span(Lane lane, EventKind kind, std::int64_t begin, std::int64_t end, const Action& action = {},
              std::int64_t bytes = 0, double value = 0) {
        spanOf(step_, lane, kind, begin, end, action, bytes, value);
    }
    /// Of another step: what was begun in it and is told of later.
    void spanOf(std::int32_t step, Lane lane, EventKind kind, std::int64_t begin, std::int64_t end,
                const Action& action, std::int64_t bytes, double value = 0);
    /// A tensor group's collective inside `action`, for `layer` of the model.
    void tensorSpan(EventKind kind, int layer, std::int64_t begin, std::int64_t end, const Action& action,
                    std::int64_t bytes);
    /// What doing() was told last.
    Action action() const { return actionFromId(now_.action); }
    void counter(EventKind kind, double value) { recorder_.counter(kind, step_, value); }
    void overrun(const Action& action, double seconds);
    void overflow(const Action& action, int layer);
    void exponents(const ExponentHistogram& histogram);
    /// One counter for each category that changed since the last call.
    void memory();
    /// The step's peak of all memory, and each category's own where it changed since the step before.
    void memoryPeak();

private:
    void over(EventKind kind, std::int64_t begin, std::int64_t end, const Action& action, std::int64_t bytes);
    void recordChanged(const MemoryBytes& bytes, MemoryBytes& recorded, EventKind (*kind)(MemoryCategory));

    Recorder& recorder_;
    StatusPage* status_;
    const Arena& arena_;
    FlightRecord* flight_;
    RankStatus now_;
    std::int32_t step_ = -1;
    bool quiet_ = false;
    MemoryBytes recorded_{};
    MemoryBytes recordedPeaks_{};
};

}  // namespace shardlab
