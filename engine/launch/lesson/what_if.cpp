// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/what_if.h"

#include "engine/base/clock.h"
#include "engine/base/device_time.h"
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/mesh/alike.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/change_words.h"

#include <algorithm>
#include <limits>

namespace shardlab::launch {
namespace {

/// From the first forward of all ranks to the last backward, in seconds on the run's clock.
double computingSpan(std::span<const Event> events) {
    std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
    for (const Event& event : events) {
        if (event.lane != Lane::Compute || !isCompute(event.kind)) continue;
        begin = std::min(begin, event.begin);
        end = std::max(end, event.end);
    }
    return begin < end ? toSeconds(end - begin) : 0;
}

MemoryBytes fullestOf(const Plan& plan, int rank) {
    const MemoryHistory history = memoryHistory(plan.layout, plan.lowered, plan.mesh.coordinate(rank, Axis::Pipeline));
    MemoryBytes fullest = history.before;
    const auto take = [&](const MemoryBytes& bytes) {
        if (total(bytes) > total(fullest)) fullest = bytes;
    };
    for (const MemoryHistory::Moment& moment : history.actions) take(moment.fullest);
    take(history.updating);
    return fullest;
}

std::vector<WhatIfRow> rowsOf(const Plan& plan, WhatIfDrawing drawing) {
    std::vector<WhatIfRow> rows;
    const double span = computingSpan(plan.simulation.events);
    const DeviceTime device(plan.costs.stretch);
    for (std::vector<int>& ranks : alikeRanks(plan.layout, plan.mesh)) {
        WhatIfRow row{std::move(ranks), 0, 0, {}};
        if (drawing == WhatIfDrawing::Memory) {
            row.memory = fullestOf(plan, row.ranks.front());
        } else {
            const auto stage = static_cast<std::size_t>(plan.mesh.coordinate(row.ranks.front(), Axis::Pipeline));
            const double busy = plan.simulation.busySeconds[stage];
            row.busySeconds = device.seconds(busy);
            row.idleSeconds = device.seconds(std::max(0.0, span - busy));  // less the last digits of nanoseconds
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::optional<double> valueOf(const LessonFigure* figure, FigureOrigin origin, const PlannedRun& run) {
    if (!figure || !figure->has(origin)) return std::nullopt;
    return origin == FigureOrigin::Theory ? figure->theory(run) : figure->predicted(run);
}

}  // namespace

WhatIfPosition LessonWhatIf::start() const {
    WhatIfPosition position;
    for (const WhatIfSlider& slider : sliders) position.push_back(slider.start);
    return position;
}

Sentence sliderLabel(const WhatIfSlider& slider) { return labelOf(slider.field->pointer); }

Sentence sliderValue(const WhatIfSlider& slider, std::size_t place) {
    return valueWords(*slider.field, slider.values[place]);
}

Sentence sliderShort(const WhatIfSlider& slider, std::size_t place) {
    const std::string& value = slider.values[place];
    const bool number = value.find_first_not_of("0123456789.-") == std::string::npos;
    return number ? Sentence(value) : sliderValue(slider, place);
}

Layout layoutAt(const LessonWhatIf& whatIf, const WhatIfPosition& position) {
    Layout layout = whatIf.layout;
    for (std::size_t index = 0; index < position.size(); ++index) {
        const WhatIfSlider& slider = whatIf.sliders[index];
        // Reading a lesson has tried each value.
        layout = setField(layout, std::string(slider.field->pointer) + "=" + slider.values[position[index]])->layout;
    }
    if (!whatIf.namesHosts) layout.cluster.hosts = {HostSpec{.devices = rankCount(layout)}};
    return layout;
}

WhatIfPosition nearestLegal(const LessonWhatIf& whatIf, const WhatIfPosition& position) {
    std::vector<WhatIfPosition> all{{}};
    for (const WhatIfSlider& slider : whatIf.sliders) {
        std::vector<WhatIfPosition> longer;
        for (const WhatIfPosition& each : all)
            for (std::size_t place = 0; place < slider.values.size(); ++place) {
                longer.push_back(each);
                longer.back().push_back(place);
            }
        all = std::move(longer);
    }
    std::ranges::stable_sort(all, {}, [&](const WhatIfPosition& each) {
        std::size_t steps = 0;
        for (std::size_t index = 0; index < each.size(); ++index)
            steps += std::max(each[index], position[index]) - std::min(each[index], position[index]);
        return steps;
    });
    const auto found = std::ranges::find_if(
        all, [&](const WhatIfPosition& each) { return check(layoutAt(whatIf, each), scheduleMethods()).empty(); });
    return found == all.end() ? whatIf.start() : *found;
}

WhatIfAnswer WhatIfPlanner::answer(const WhatIfPosition& position) {
    WhatIfAnswer answer;
    answer.position = answer.nearest = position;
    auto planned = planRun(layoutAt(whatIf_, position), {});
    if (!planned) {
        answer.faults = std::move(planned.error());
        answer.nearest = nearestLegal(whatIf_, position);
        return answer;
    }
    const auto run = std::make_shared<const PlannedRun>(std::move(*planned));
    answer.planned = run;
    switch (whatIf_.drawing) {
    case WhatIfDrawing::Timeline:
    case WhatIfDrawing::Memory: answer.rows = rowsOf(run->plan, whatIf_.drawing); break;
    case WhatIfDrawing::Step:
        answer.fall = waterfall(run->plan);
        if (!startFall_)
            startFall_ =
                position == whatIf_.start() ? answer.fall : std::optional(waterfall(legalPlan(whatIf_.layout, {})));
        answer.startFall = startFall_;
        break;
    case WhatIfDrawing::Curve: {
        WhatIfPosition at = position;
        for (at[0] = 0; at[0] < whatIf_.sliders.front().values.size(); ++at[0]) {
            const Point& one = point(at);
            answer.curve.push_back(one.predicted);
            answer.theory.push_back(one.theory);
        }
        break;
    }
    }
    return answer;
}

const WhatIfPlanner::Point& WhatIfPlanner::point(const WhatIfPosition& position) {
    const auto [found, fresh] = points_.try_emplace(position);
    if (fresh)
        if (const auto run = planRun(layoutAt(whatIf_, position), {}))
            found->second = {valueOf(whatIf_.figure, FigureOrigin::Predicted, *run),
                             valueOf(whatIf_.figure, FigureOrigin::Theory, *run)};
    return found->second;
}

}  // namespace shardlab::launch
