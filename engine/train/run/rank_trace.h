// SPDX-License-Identifier: Apache-2.0
// What a rank records while it trains: events, memory counters, and the status page with what it is doing now.
#pragma once

#include "engine/trace/event/event.h"
#include "engine/train/model/arena.h"
#include "engine/train/model/expert_tally.h"
#include "engine/trace/record/flight_record.h"
#include "engine/trace/record/recorder.h"
#include "engine/trace/record/status_page.h"
#include "kernels/device_group.h"
#include "kernels/elementwise.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace shardlab::train {

/// A point on the run's clock. Where a device works on its own, the point is known only once the device has reached it.
class Moment {
public:
    Moment(std::int64_t time) : time_(time) {}
    explicit Moment(std::shared_ptr<DeviceMoment> device) : device_(std::move(device)) {}

    bool ofDevice() const { return device_ != nullptr; }
    /// Empty while it is not yet known. `ahead` is the run's clock minus CLOCK_MONOTONIC.
    std::optional<std::int64_t> time(std::int64_t ahead) const {
        if (!device_) return time_;
        const auto reached = device_->reached();
        return reached ? std::optional(*reached + ahead) : std::nullopt;
    }

private:
    std::int64_t time_ = 0;
    std::shared_ptr<DeviceMoment> device_;
};

class RankTrace {
public:
    /// Nanoseconds. Two successive events of a device are so far apart, so a shorter span between them is no wait.
    static constexpr std::int64_t shortestDeviceWait = 2000;

    /// `status` and `flight` may be null. All must outlive the trace.
    RankTrace(Recorder& recorder, StatusPage* status, const Arena& arena, FlightRecord* flight = nullptr);

    std::int64_t now() const { return recorder_.now(); }
    /// The moment at which the device has done what it was asked for.
    Moment mark() const;
    /// Begin and end of a span once both moments are known; the end is never before the begin.
    std::optional<std::pair<std::int64_t, std::int64_t>> times(const Moment& begin, const Moment& end) const;
    void setStep(std::int32_t step) { step_ = step; }
    std::int32_t step() const { return step_; }

    /// While quiet, spans of actions and memory are not recorded (validation shows as one span).
    void setQuiet(bool quiet) { quiet_ = quiet; }
    bool quiet() const { return quiet_; }

    void doing(RankPhase phase, const Action& action = {}, int peer = -1);
    /// To be called where a message (to or from `peer`, a world rank) or a collective begins. Its span on the comm lane
    /// marks its end.
    void started(EventKind kind, const Action& action, std::int64_t bytes, int peer = -1);
    /// Records a span once both moments are known: at once, or in collect().
    void span(Lane lane, EventKind kind, const Moment& begin, const Moment& end, const Action& action = {},
              std::int64_t bytes = 0, double value = 0) {
        spanOf(step_, lane, kind, begin, end, action, bytes, value);
    }
    /// Records a span that began in another step.
    void spanOf(std::int32_t step, Lane lane, EventKind kind, const Moment& begin, const Moment& end,
                const Action& action, std::int64_t bytes, double value = 0);
    /// Records a collective inside `action`, for `layer` of the model.
    void tensorSpan(EventKind kind, int layer, const Moment& begin, const Moment& end, const Action& action,
                    std::int64_t bytes);
    /// Records a span of the host lane with the name `name` (namedId). False: its moments are not known yet, and it has
    /// to be told again.
    bool named(EventKind kind, std::uint32_t name, const Moment& begin, const Moment& end, std::int64_t bytes,
               double value);
    /// Records the spans whose moments have become known.
    void collect();
    /// The action of the last call of doing().
    Action action() const { return actionFromId(now_.action); }
    void counter(EventKind kind, double value) { recorder_.counter(kind, step_, value); }
    /// Records the staleness, in updates, of the gradient of replica `worker`.
    void staleness(std::int64_t updates, int worker) {
        recorder_.counter(EventKind::Staleness, step_, static_cast<double>(updates), worker);
    }
    /// Records how many of the elements that an update without a lock wrote overwrote another worker's update.
    void overwritten(std::int64_t elements, std::int64_t written) {
        recorder_.counter(EventKind::OverwrittenUpdates, step_, static_cast<double>(elements), written);
    }
    void overrun(const Action& action, double seconds);
    void overflow(const Action& action, int layer);
    void exponents(const ExponentHistogram& histogram);
    void experts(const ExpertLoad& load);
    /// Records a counter of products in 8 bits, of the factor that `place` names; with the action that rounded it, if
    /// it was one.
    void rounded(EventKind kind, const Action& action, std::int64_t place, double value);
    /// Records the bytes of activations that the step's forwards kept in fewer bits, and their bytes in full.
    void packed(std::int64_t kept, std::int64_t plain);
    /// Records the memory in use: one counter for each category that changed since the last call.
    void memory() { memoryAt(now()); }
    /// Records the memory in use as that of `time`, which a modelled clock says.
    void memoryAt(std::int64_t time);
    /// Notes the memory in use for recordNoted(): a paced action does its work at once, and only afterwards is it known
    /// when the modelled device would have done it.
    void noteMemory();
    /// Records all memory noted since the last call, each note at its moment in `times`; drops the notes where they are
    /// not as many as `times`.
    void recordNoted(std::span<const std::int64_t> times);
    /// Records the most that the step held on the host, for each category where it changed.
    void hostMemory(const MemoryBytes& held);
    /// Records the step's peak of all memory, and where they changed since the step before each category's peak and the
    /// arena's largest free block.
    void memoryPeak();

private:
    struct Pending {
        Event event;
        Moment begin, end;
        bool quiet = false;
    };
    void add(const Event& event, const Moment& begin, const Moment& end);
    /// False where not both moments are known.
    bool recordIfKnown(const Pending& pending);
    void recordMemory(std::int64_t time, const MemoryBytes& used);
    void recordChanged(std::int64_t time, const MemoryBytes& bytes, MemoryBytes& recorded,
                       EventKind (*kind)(MemoryCategory));

    Recorder& recorder_;
    StatusPage* status_;
    const Arena& arena_;
    FlightRecord* flight_;
    RankStatus now_;
    std::int32_t step_ = -1;
    bool quiet_ = false;
    std::vector<Pending> pending_;
    MemoryBytes recorded_{};
    std::int64_t recordedAt_ = 0;
    std::vector<MemoryBytes> noted_;
    MemoryBytes recordedPeaks_{};
    MemoryBytes recordedHost_{};
    std::int64_t recordedLargestFree_ = -1;
};

}  // namespace shardlab::train
