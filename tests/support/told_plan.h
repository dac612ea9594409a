// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/predict/plan/plan.h"
#include "tests/support/wings.h"

#include <string>

namespace shardlab::test {

/// Everything that a plan tells but the layout itself: two that are equal to the byte plan the same step.
inline std::string told(const Plan& plan) {
    std::string text;
    const auto add = [&](double value) { text += std::to_string(value) + ' '; };
    for (const double value : {plan.stepSeconds, plan.tokensPerSecond, plan.bubble, plan.bubbleTheory,
                               plan.flopsPerStep, plan.mfu * 1e6, plan.exposedCommunication, double(plan.parameters),
                               double(plan.device.capacityBytes), double(plan.device.usableBytes())})
        add(value);
    for (const RankMemory& memory : plan.memory) {
        for (const std::int64_t bytes : memory.bytes) add(double(bytes));
        add(double(memory.peak));
    }
    for (const AxisTraffic& traffic : plan.traffic)
        text += traffic.what.english() + ' ' + std::to_string(traffic.bytes) + ' ' + traffic.how.english() + '\n';
    for (const Sentence& note : plan.notes) text += note.english() + '\n';
    for (const Event& event : plan.simulation.events)
        text += std::to_string(event.begin) + ' ' + std::to_string(event.end) + ' ' + std::to_string(event.bytes) +
                ' ' + std::to_string(event.action) + '\n';
    return text;
}

}  // namespace shardlab::test
