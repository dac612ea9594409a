// SPDX-License-Identifier: Apache-2.0
// The clock by which a rank goes through its step. Two clocks implement it: RealClock (real_clock.h) lets work take the
// time that it takes, PacedClock (paced_clock.h) lets it take the time of a modelled device. Whoever carries out work
// asks the clock and does not know which of the two it is.
#pragma once

#include "engine/layout/schedule/action.h"
#include "engine/train/comm/communicator.h"
#include "engine/train/run/layer_observers.h"

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace shardlab::train {

/// Both moments are in nanoseconds of the run's clock.
struct TimeSpan {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// All moments are in nanoseconds of the run's clock, all durations in nanoseconds.
class StepClock {
public:
    virtual ~StepClock() = default;

    /// Whether moments are those of a modelled device. Each message is then followed by the modelled time of its
    /// arrival, and the end of an action is the processor's to know: it waits for its device first.
    virtual bool isModelled() const = 0;
    /// When this rank's compute lane is free.
    virtual std::int64_t now() const = 0;
    /// How long the modelled device takes for the action; 0 where nothing is modelled.
    virtual std::int64_t duration(const Action& action) const = 0;
    /// The clock of work that the model leaves out, such as a validation.
    virtual StepClock& unmodelled() = 0;

    /// Collective over `members`, which begin a step at one modelled moment: the latest that any of them proposes.
    virtual void startStep(Communicator& members) = 0;
    /// After unmodelled work: the next action begins now at the earliest.
    virtual void catchUp() = 0;
    /// Collective over each group: its members begin their next action at one modelled moment, since their layers wait
    /// for each other.
    virtual void align(std::initializer_list<Communicator*> groups) = 0;
    /// Collective over `group`, whose members carry out `action` together: returns once all have come to it. The result
    /// is the action's modelled end, for finishAt().
    virtual std::int64_t meet(Communicator& group, const Action& action) = 0;
    /// The next action begins at `moment` at the earliest: when what it needs has arrived, by the clock of its sender.
    virtual void waitUntil(std::int64_t moment) = 0;

    /// The real work of `action` is done: returns when it is over on the modelled device too. Real work that takes
    /// longer than the modelled is recorded as an overrun.
    void finish(const Action& action) { finishAt(action, now() + duration(action)); }
    /// As finish(), for an action whose modelled end is known.
    virtual void finishAt(const Action& action, std::int64_t end) = 0;
    /// As finish(), for a part of `compute` that takes `seconds` on a modelled device which nobody slows down.
    virtual void finishPart(const Action& compute, double seconds) = 0;
    /// Compute work that began at `began` is done. On a rank that is slowed down on purpose it takes its time times the
    /// injected factor; a modelled duration has the factor in it already.
    virtual void slowDown(std::int64_t began) = 0;

    /// The modelled span of work beside compute that is ready at `ready` and takes `duration`, over a link which is
    /// free from `linkFree` on; the link is then taken until the span's end. Empty where nothing is modelled.
    virtual std::optional<TimeSpan> reserve(std::int64_t& linkFree, std::int64_t ready, std::int64_t duration) = 0;

    /// Observers of what layers do within an action, for layers to call.
    virtual LayerObservers layerObservers() = 0;
    /// Records what layers did within `action`, which began at `begin` and has just been finished, as far as the
    /// observers could not know when it happened.
    virtual void recordParts(const Action& action, std::int64_t begin) = 0;
};

}  // namespace shardlab::train
