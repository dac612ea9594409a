// SPDX-License-Identifier: Apache-2.0
// Brings about the faults that a rank's layout asks for (layout/injected_fault.h), at the step that it asks for.
#pragma once

#include "engine/layout/injected_fault.h"
#include "engine/trace/record/recorder.h"

#include <functional>
#include <vector>

namespace shardlab::train {

class FaultInjector {
public:
    /// `own` are the faults of this rank. `settle` is called before a fault that ends the process, so that its event is
    /// not lost.
    FaultInjector(std::vector<InjectedFault> own, Recorder& recorder, std::function<void()> settle);

    /// To be called before anything else of a step. May not return.
    void beginStep(int step);
    /// By how much computing is slowed down: its time is multiplied by this factor. 1 where no fault asks for it.
    double slowdown() const { return slowdown_; }

private:
    std::vector<InjectedFault> own_;
    Recorder& recorder_;
    std::function<void()> settle_;
    double slowdown_ = 1;
};

}  // namespace shardlab::train
