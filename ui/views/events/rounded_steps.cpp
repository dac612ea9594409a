// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/events/rounded_steps.h"

#include "engine/base/units.h"
#include "ui/core/rounding.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <map>

namespace shardlab::ui {

namespace {

struct StepSaturation {
    double saturated = 0;
    double flushed = 0;
    Event most;
};

QString saturationText(const StepSaturation& step) {
    const auto numbers = [&](double count) {
        return count == 1 ? tr("1 number") : tr("%1 numbers").arg(text(formatCount(count)));
    };
    QString told = tr("%1 saturated in 8 bits").arg(numbers(step.saturated));
    if (step.flushed > 0) told += tr(", %1 became 0").arg(text(formatCount(step.flushed)));
    return told + tr("; most in %1 (%2)").arg(roundingPlace(step.most), roundingOrigin(step.most));
}

}  // namespace

std::vector<Happening> saturatedSteps(const RunModel& model) {
    std::map<int, StepSaturation> steps;
    for (const Event& counter : model.points().of(EventKind::Fp8Saturated)) {
        StepSaturation& step = steps[counter.step];
        step.saturated += counter.value;
        if (counter.value > step.most.value) step.most = counter;
    }
    for (const Event& counter : model.points().of(EventKind::Fp8Flushed))
        if (const auto step = steps.find(counter.step); step != steps.end()) step->second.flushed += counter.value;
    std::vector<Happening> all;
    for (const auto& [number, step] : steps)
        if (step.saturated > 0)
            all.push_back({step.most.begin, step.most.rank, number, LogLevel::Info, saturationText(step), step.most});
    return all;
}

}  // namespace shardlab::ui
