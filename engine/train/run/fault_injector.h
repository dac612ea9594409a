// SPDX-License-Identifier: Apache-2.0
// Brings about the faults that a rank's layout asks for (layout/injected_fault.h), at the step that it asks for.
#pragma once

#include "engine/layout/injected_fault.h"
#include "engine/trace/record/recorder.h"

#include <functional>
#include <vector>

namespace shardlab {

class FaultInjector {
public:
    /// `own`: this rank's. `settle` is called before what ends the process, so that the event of it is not lost.
    FaultInjector(std::vector<InjectedFault> own, Recorder& recorder, std::function<void()> settle);

    /// Before anything else of a step. May not return.
    void beginStep(int step);
    /// What computing takes as a multiple of its own time; 1: nothing is asked for.
    double slowdown() const { return slowdown_; }

private:
    std::vector<InjectedFault> own_;
    Recorder& recorder_;
    std::function<void()> settle_;
    double slowdown_ = 1;
};

}  // namespace shardlab
