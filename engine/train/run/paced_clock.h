// SPDX-License-Identifier: Apache-2.0
// The clock of a paced run: a rank does its real mathematics, then waits until the modelled device would have finished.
// The clock stands where the simulator (engine/predict/plan/simulate.h) has the rank's compute lane; every wait is for
// an absolute moment, so that jitter does not add up.
#pragma once

#include "engine/predict/plan/costs.h"
#include "engine/train/run/real_clock.h"

#include <vector>

namespace shardlab::train {

class PacedClock final : public StepClock {
public:
    /// Real work may end so much later than the modelled action before the clock is moved on (an overrun). The next
    /// action, which ends on time again, makes up for less, such as a slow wake-up on a busy core. Work that is always
    /// too slow adds up and becomes an overrun.
    static constexpr std::int64_t toleranceNanoseconds = 2'000'000;
    static constexpr double toleranceShare = 0.5;  ///< of the action, where that is more

    /// `coresFree`: each rank has a core, and a wait may spin for its last microseconds. `faults` may be null: nobody
    /// slows this rank down. All references must outlive the clock.
    PacedClock(RankTrace& trace, Device& device, const StepCosts& costs, const FaultInjector* faults, bool coresFree);

    bool isModelled() const override { return true; }
    std::int64_t now() const override { return now_; }
    std::int64_t duration(const Action& action) const override;
    StepClock& unmodelled() override { return unmodelled_; }
    void startStep(Communicator& members) override;
    void catchUp() override { now_ = proposedStart(); }
    void align(std::initializer_list<Communicator*> groups) override;
    std::int64_t meet(Communicator& group, const Action& action) override;
    void waitUntil(std::int64_t moment) override;
    void finishAt(const Action& action, std::int64_t end) override;
    void finishPart(const Action& compute, double seconds) override;
    void slowDown(std::int64_t) override {}
    std::optional<TimeSpan> reserve(std::int64_t& linkFree, std::int64_t ready, std::int64_t duration) override;
    /// Notes the memory in use around each forward that is computed again, and after layers. Collectives and hops are
    /// not observed: only recordParts() knows when the modelled device would have done them.
    LayerObservers layerObservers() override;
    void recordParts(const Action& action, std::int64_t begin) override;

private:
    /// When memory was noted, as far as that is known before the action is over.
    struct Note {
        std::int64_t now = 0;      ///< of the clock
        double share = 0;          ///< of the action's time that its layers have taken so far
        bool ofRecompute = false;  ///< at the begin or end of what is computed again
    };
    double slowdown() const { return faults_ ? faults_->slowdown() : 1; }
    std::int64_t proposedStart() const;
    void moveTo(const Action& action, std::int64_t end);
    void sleepUntil(std::int64_t moment) const;
    void note(bool ofRecompute);
    void observeRecompute(const std::function<void()>& run);
    void observeLayer(const LayerDone& done);
    /// The moments of an action's notes, where it began at `begin`; `recomputes`: begins and ends of what it computes
    /// again. Nothing where they are not those of the notes.
    std::vector<std::int64_t> momentsOfNotes(std::int64_t begin, const std::vector<std::int64_t>& recomputes) const;

    RankTrace& trace_;
    Device& device_;
    const StepCosts& costs_;
    const FaultInjector* faults_;
    bool coresFree_;
    RealClock unmodelled_;
    std::int64_t now_ = 0;
    std::vector<Note> notes_;
    double share_ = 0;                ///< of the action's time that its layers have taken so far
    bool recomputeRecorded_ = false;  ///< what the action computes again was paced layer by layer, and is recorded
};

}  // namespace shardlab::train
