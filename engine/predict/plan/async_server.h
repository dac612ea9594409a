// SPDX-License-Identifier: Apache-2.0
// What an asynchronous parameter server (layout/exchange.h) and its workers do in a step, as predicted.
#pragma once

#include "engine/layout/schedule/schedule.h"
#include "engine/predict/plan/costs.h"
#include "engine/predict/plan/simulation.h"

#include <map>
#include <span>

namespace shardlab::predict {

/// A step far from the run's begin: an update for each of StepCosts::asyncWorkers, and of each worker the gradient that
/// it begins in the step, until it has the weights that were updated with it. With C the time of a gradient and S that
/// of its push, update and pull, during which the server takes no other: a step of G workers lasts max(G·S, C + S).
/// `events`: of rank 0, the server, and of those after it, the workers.
Simulation simulateAsyncServer(const Schedule& lowered, const StepCosts& costs, bool events);

/// Adds up in which share of its time rank 0 takes gradients, updates, or sends weights.
class ServerBusy {
public:
    void add(const Event& event);
    /// The share of time in which the server was busy, over the steps from `first` on; 0 where there are none.
    double share(int first = 0) const;

private:
    struct Step {
        double busy = 0;
        double whole = 0;
    };
    std::map<int, Step> steps_;
};
double serverBusy(std::span<const Event> events);

}  // namespace shardlab::predict
