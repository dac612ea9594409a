// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/rounding.h"

#include "engine/base/units.h"
#include "engine/trace/metrics/rounded_numbers.h"
#include "ui/core/overflow.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace shardlab::ui {

namespace {

/// Whether a counter tells of worse than another of the same factor and step.
bool worse(const Event& counter, const std::optional<Event>& than) {
    if (!than) return true;
    const bool saturated = counter.kind == EventKind::Fp8Saturated;
    if (saturated != (than->kind == EventKind::Fp8Saturated)) return saturated;
    return counter.value > than->value;
}

void addCounter(RoundedStep& of, const Event& counter, double numbersOfRank) {
    switch (counter.kind) {
    case EventKind::Fp8Scale:
        if (counter.value > 0 && (of.scale == 0 || counter.value < of.scale)) of.scale = counter.value;
        of.numbers += numbersOfRank;
        return;
    case EventKind::Fp8Saturated: of.saturated += counter.value; break;
    default: of.flushed += counter.value; break;
    }
    if (worse(counter, of.worst)) of.worst = counter;
}

void addStep(RoundedStep& sum, const RoundedStep& step) {
    if (step.scale > 0 && (sum.scale == 0 || step.scale < sum.scale)) sum.scale = step.scale;
    sum.saturated += step.saturated;
    sum.flushed += step.flushed;
    sum.numbers += step.numbers;
    if (step.worst && worse(*step.worst, sum.worst)) sum.worst = step.worst;
}

}  // namespace

const RoundedStep* RoundedFactor::at(double step) const {
    const auto after =
        std::upper_bound(steps.begin(), steps.end(), step, [](double s, const RoundedStep& e) { return s < e.step; });
    return after == steps.begin() ? nullptr : &*(after - 1);
}

std::vector<RoundedFactor> roundedFactors(const RunModel& model) {
    if (model.empty()) return {};
    struct Steps {
        double numbersOfRank = 0;  ///< a step's
        std::map<int, RoundedStep> steps;
    };
    const Layout& layout = model.header().layout;
    std::map<std::int64_t, Steps> places;
    for (const EventKind kind : {EventKind::Fp8Scale, EventKind::Fp8Saturated, EventKind::Fp8Flushed})
        for (const Event& counter : model.points().of(kind)) {
            const trace::Fp8Place place = trace::fp8PlaceOf(counter.bytes);
            const auto [of, isNew] = places.try_emplace(trace::fp8Number(place));
            if (isNew && model.header().hasLayout())
                of->second.numbersOfRank = trace::roundedNumbers(layout, place) * microbatches(layout);
            addCounter(of->second.steps[counter.step], counter, of->second.numbersOfRank);
        }
    std::vector<RoundedFactor> factors;
    for (const auto& [number, of] : places) {
        RoundedFactor& factor = factors.emplace_back();
        factor.place = trace::fp8PlaceOf(number);
        for (const auto& [step, told] : of.steps) {
            factor.steps.push_back(told);
            factor.steps.back().step = step;
            addStep(factor.all, told);
        }
    }
    std::ranges::stable_sort(factors, [](const RoundedFactor& a, const RoundedFactor& b) {
        return std::tuple(a.all.saturatedShare(), a.all.flushedShare()) >
               std::tuple(b.all.saturatedShare(), b.all.flushedShare());
    });
    return factors;
}

bool isRounding(EventKind kind) {
    return kind == EventKind::Fp8Scale || kind == EventKind::Fp8Saturated || kind == EventKind::Fp8Flushed;
}

QString roundingPlace(const Event& counter) { return text(trace::textOf(trace::fp8PlaceOf(counter.bytes))); }

QString roundingOrigin(const Event& counter) {
    const int microbatch = counter.action == 0 ? -1 : actionFromId(counter.action).microbatch;
    if (microbatch < 0) return tr("rank %1").arg(counter.rank);
    return tr("rank %1, microbatch %2").arg(counter.rank).arg(microbatch);
}

std::optional<Event> roundingAction(const RunModel& model, const Event& counter) {
    if (counter.action == 0) return std::nullopt;
    const Action wanted = actionFromId(counter.action);
    for (const Event& event : eventsOfStep(model, counter.rank, Lane::Compute, counter.step)) {
        // A backward that is cut in two rounds the gradients in its first part.
        const bool rounds = wanted.kind == ActionKind::Forward
                                ? event.kind == EventKind::Forward
                                : event.kind == EventKind::Backward || event.kind == EventKind::InputGrad;
        if (!rounds || event.action == 0) continue;
        const Action action = actionFromId(event.action);
        if (action.stage == wanted.stage && action.microbatch == wanted.microbatch) return event;
    }
    return std::nullopt;
}

QString scaleWords(double scale) {
    if (!(scale > 0)) return QStringLiteral("—");
    int exponent = 0;
    if (std::frexp(scale, &exponent) == 0.5) return powerOfTwo(exponent - 1);
    return scale < 1000 ? QString::number(scale, 'g', 3) : text(formatCount(scale));
}

QString smallShare(double share) {
    if (share <= 0) return tr("0 %");
    if (share >= 0.001) return percent(share);
    if (share < 1e-6) return tr("< 0.0001 %");
    return QString::number(100 * share, 'g', 2) + QStringLiteral(" %");
}

QString roundedText(double part, double numbers) {
    const QString told = part == 1 ? tr("1 number") : tr("%1 numbers").arg(text(formatCount(part)));
    return numbers > 0 ? told + QStringLiteral(" (%1)").arg(smallShare(part / numbers)) : told;
}

}  // namespace shardlab::ui
