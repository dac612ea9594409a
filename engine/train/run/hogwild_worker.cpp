// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/hogwild_worker.h"

#include "engine/base/clock.h"
#include "engine/train/comm/scalars.h"
#include "engine/train/run/fp8_trace.h"
#include "engine/train/run/run_control.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

namespace shardlab::train {
namespace {

constexpr std::int64_t noLimit = std::numeric_limits<std::int64_t>::max();

}  // namespace

int HogwildWorker::run() {
    HogwildCommands& commands = setup_.weights.commands();
    if (leads()) commands.mayBegin = noLimit;
    setup_.workers.barrier();
    setup_.clock.startStep(setup_.workers);
    for (;;) {
        setup_.trace.doing(RankPhase::BetweenSteps);
        if (leads() && !granted_) obey();
        if (mustMeet()) {
            if (!meet()) return step_;
        } else if (step_ < commands.mayBegin && (!leads() || granted_)) {
            step();
        } else {
            setup_.trace.doing(RankPhase::Paused);
            while (!mustMeet() && (leads() ? !granted_ : step_ >= commands.mayBegin)) {
                std::this_thread::sleep_for(pausedPoll);
                setup_.workers.requireMembers();
                if (leads()) obey();
            }
        }
    }
}

/// Passes the commands to worker 0 on to all workers.
void HogwildWorker::obey() {
    HogwildCommands& commands = setup_.weights.commands();
    switch (setup_.control.next()) {
    case Decision::Run:
        granted_ = true;
        commands.mayBegin = std::exchange(paused_, false) ? step_ + 1 : noLimit;
        break;
    case Decision::Pause:
        paused_ = true;
        commands.mayBegin = step_;
        break;
    case Decision::Checkpoint: commands.meetings = commands.meetings + 1; break;
    case Decision::Stop: commands.stops = 1; break;
    }
}

bool HogwildWorker::mustMeet() const {
    const HogwildCommands& commands = setup_.weights.commands();
    return step_ == setup_.steps || commands.stops != 0 || commands.meetings > met_ ||
           (setup_.due && step_ > taken_ && setup_.due(step_));
}

bool HogwildWorker::meet() {
    for (;;) {
        setup_.trace.doing(RankPhase::BetweenSteps);
        const std::vector<std::int64_t> all = gather(setup_.workers, std::int64_t{step_});
        const auto [least, most] = std::ranges::minmax(all);
        if (least == most) break;
        while (step_ < most) step();
    }
    const HogwildCommands& commands = setup_.weights.commands();  // worker 0 is here too, so nobody changes it
    setup_.weights.read();
    setup_.workers.barrier();  // all have read before anybody writes again
    const bool due = setup_.due && step_ > taken_ && setup_.due(step_), asked = commands.meetings > met_;
    const bool ends = step_ == setup_.steps || commands.stops != 0;
    met_ = commands.meetings;
    if (leads() && step_ == setup_.steps && step_ > setup_.firstStep && setup_.validatesAfter(step_ - 1)) validate();
    if (due || asked) setup_.checkpoint(step_);
    if (due) taken_ = step_;
    setup_.workers.barrier();
    if (ends) return false;
    setup_.clock.startStep(setup_.workers);
    return true;
}

void HogwildWorker::step() {
    granted_ = false;
    setup_.begins(step_);
    setup_.arena.resetPeaks();
    const std::int64_t begin = setup_.trace.now();
    const auto tokens = [&](int microbatch) { return setup_.tokens(step_, microbatch); };
    const Executed done = setup_.executor.train(setup_.actions, step_, tokens);
    const std::int64_t end = setup_.trace.now();
    setup_.trace.span(Lane::Host, EventKind::Step, begin, end);
    setup_.trace.memoryPeak();
    for (const ExpertLoad& load : setup_.stage.takeExpertLoads()) setup_.trace.experts(load);
    endFp8Step(setup_.stage, 0, setup_.trace);
    setup_.weights.publishLoss(done.lossSum / setup_.microbatches);
    if (leads()) setup_.stepped(step_, setup_.weights.meanLoss(), done.gradientNorm, toSeconds(end - begin));
    ++step_;
    if (leads() && step_ < setup_.steps && setup_.validatesAfter(step_ - 1)) validate();
}

/// Validates on worker 0 while the others go on.
void HogwildWorker::validate() {
    setup_.validate();
    setup_.weights.read();
    setup_.clock.catchUp();
}

}  // namespace shardlab::train
