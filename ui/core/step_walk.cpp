// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/step_walk.h"

#include <algorithm>

namespace shardlab::ui {

TypicalStep typicalStep(const RunModel& model) {
    TypicalStep typical{model.prediction().end(), TypicalStep::Known::Predicted};
    const auto take = [&](double seconds, TypicalStep::Known known) {
        typical = {std::max(typical.length, static_cast<std::int64_t>(seconds * 1e9)), known};
    };
    const auto& steps = model.steps().all();
    if (const double steady = model.steps().summary().medianStepSeconds(); steady > 0)
        take(steady, TypicalStep::Known::Steady);
    else if (const auto last =
                 std::find_if(steps.rbegin(), steps.rend(), [](const StepSummary& step) { return step.complete; });
             last != steps.rend())
        take(last->seconds, TypicalStep::Known::WarmingUp);
    return typical;
}

std::vector<int> slowSteps(const RunModel& model) {
    std::vector<int> slow;
    const double limit = slowFactor * model.steps().summary().medianStepSeconds();
    if (limit <= 0) return slow;
    std::size_t complete = 0;
    const auto& steps = model.steps().all();
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].complete && ++complete > warmUpSteps && steps[i].seconds > limit)
            slow.push_back(static_cast<int>(i));
    return slow;
}

int stepInSight(const RunModel& model, const Selection& selection) {
    const TimeRange visible = selection.visible();
    if (model.steps().extents().empty()) return -1;
    return std::max(
        0, model.steps().indexAt(std::max<std::int64_t>(0, visible.begin + (visible.end - visible.begin) / 2)));
}

void lookAtStep(const RunModel& model, Selection& selection, int index) {
    const auto& extents = model.steps().extents();
    if (index < 0 || static_cast<std::size_t>(index) >= extents.size()) return;
    const StepExtent& step = extents[static_cast<std::size_t>(index)];
    const std::int64_t margin = std::max<std::int64_t>(1, (step.end - step.begin) / 40);
    selection.setFollowLive(false);
    selection.setVisible({step.begin - margin, step.end + margin});
    if (selection.cursor() >= 0) selection.setCursor(std::max<std::int64_t>(0, step.begin));
}

bool lookAtSlowStep(const RunModel& model, Selection& selection, int direction) {
    const std::vector<int> slow = slowSteps(model);
    const int here = stepInSight(model, selection);
    const auto after = direction > 0 ? std::upper_bound(slow.begin(), slow.end(), here)
                                     : std::lower_bound(slow.begin(), slow.end(), here);
    if (direction > 0 ? after == slow.end() : after == slow.begin()) return false;
    lookAtStep(model, selection, direction > 0 ? *after : *(after - 1));
    return true;
}

}  // namespace shardlab::ui
