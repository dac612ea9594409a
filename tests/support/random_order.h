// SPDX-License-Identifier: Apache-2.0
// Orders that no generator would write and that are right all the same.
#pragma once

#include "engine/base/random.h"
#include "engine/layout/schedule/schedule.h"
#include "tests/support/wings.h"

#include <set>

namespace shardlab::test {

/// A legal order drawn at random: whole or split backwards, and stages on any rank, each rank with one at least.
inline Schedule randomOrder(RandomStream& random, int ranks, int stages, int microbatches) {
    Schedule schedule;
    schedule.kind = "custom";
    schedule.microbatches = microbatches;
    schedule.ranks.resize(static_cast<std::size_t>(ranks));
    for (int stage = 0; stage < stages; ++stage)
        schedule.rankOfStage.push_back(
            stage < ranks ? stage : static_cast<int>(random.below(static_cast<std::uint64_t>(ranks))));
    std::vector<Action> left;
    for (int stage = 0; stage < stages; ++stage)
        for (int microbatch = 0; microbatch < microbatches; ++microbatch) {
            left.push_back({ActionKind::Forward, stage, microbatch});
            const bool split = random.below(2) == 0;
            left.push_back({split ? ActionKind::InputGrad : ActionKind::Backward, stage, microbatch});
            if (split) left.push_back({ActionKind::WeightGrad, stage, microbatch});
        }
    std::set<Action> done;
    const auto given = [&](int stage, int microbatch) {
        return done.contains({ActionKind::Backward, stage, microbatch}) ||
               done.contains({ActionKind::InputGrad, stage, microbatch});
    };
    const auto can = [&](const Action& a) {
        if (a.kind == ActionKind::Forward)
            return a.stage == 0 || done.contains({ActionKind::Forward, a.stage - 1, a.microbatch});
        if (a.kind == ActionKind::WeightGrad) return done.contains({ActionKind::InputGrad, a.stage, a.microbatch});
        return done.contains({ActionKind::Forward, a.stage, a.microbatch}) &&
               (a.stage + 1 == stages || given(a.stage + 1, a.microbatch));
    };
    while (!left.empty()) {
        std::size_t chosen = random.below(left.size());
        while (!can(left[chosen])) chosen = (chosen + 1) % left.size();
        const Action action = left[chosen];
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
        done.insert(action);
        schedule.listOf(action.stage).push_back(action);
    }
    return schedule;
}

}  // namespace shardlab::test
