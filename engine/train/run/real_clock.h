// SPDX-License-Identifier: Apache-2.0
// The clock of a run at full speed: work takes the time that it takes, and nobody waits for a model.
#pragma once

#include "engine/train/run/fault_injector.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/step_clock.h"

namespace shardlab::train {

class RealClock final : public StepClock {
public:
    /// `faults` may be null: nobody slows this rank down. All must outlive the clock.
    RealClock(RankTrace& trace, Device& device, const FaultInjector* faults = nullptr)
        : trace_(trace), device_(device), faults_(faults) {}

    bool isModelled() const override { return false; }
    std::int64_t now() const override { return trace_.now(); }
    std::int64_t duration(const Action&) const override { return 0; }
    StepClock& unmodelled() override { return *this; }
    void startStep(Communicator&) override {}
    void catchUp() override {}
    void align(std::initializer_list<Communicator*>) override {}
    std::int64_t meet(Communicator& group, const Action& action) override;
    void waitUntil(std::int64_t) override {}
    void finishAt(const Action&, std::int64_t) override {}
    void finishPart(const Action&, double) override {}
    void slowDown(std::int64_t began) override;
    std::optional<TimeSpan> reserve(std::int64_t&, std::int64_t, std::int64_t) override { return std::nullopt; }
    LayerObservers layerObservers() override { return measuringObservers(trace_); }
    void recordParts(const Action&, std::int64_t) override {}

private:
    RankTrace& trace_;
    Device& device_;
    const FaultInjector* faults_;
};

}  // namespace shardlab::train
