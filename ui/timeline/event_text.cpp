// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/event_text.h"

#include "engine/base/units.h"
#include "engine/trace/event/event_payload.h"
#include "ui/core/action_words.h"
#include "ui/core/overflow.h"
#include "ui/core/rounding.h"
#include "ui/timeline/dependencies.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/time_ticks.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

namespace shardlab::ui {

namespace {

/// Names of templates' instances fill pages.
QString shortened(const QString& name) {
    constexpr int longest = 160;
    return name.size() <= longest ? name : name.left(longest - 1) + QStringLiteral("…");
}

}  // namespace

QString seconds(const RunModel& model, std::int64_t nanoseconds) {
    return QString::fromStdString(formatSeconds(model.deviceTime().seconds(static_cast<double>(nanoseconds) * 1e-9)));
}

QString moment(const RunModel& model, std::int64_t time, std::int64_t largest, std::int64_t exactness) {
    const DeviceTime device = model.deviceTime();
    return formatMoment(device.nanoseconds(time), device.nanoseconds(exactness), device.nanoseconds(largest));
}

QString paceHelp(const RunModel& model) {
    if (model.empty() || model.deviceTime().isClock()) return {};
    const RunHeader& header = model.header();
    return tr("Paced, %1. All times and rates here are those of the modelled devices.")
        .arg(told(model.deviceTime().text(model.deviceTime().seconds(header.predictedStepSeconds))));
}

QString actionText(const RunModel& model, const Event& event) {
    return QString::fromStdString(model.report().names().text(event.action));
}

QString whatText(const RunModel& model, const Event& event) {
    QString what = term(name(event.kind));
    if (!what.isEmpty()) what[0] = what[0].toUpper();
    if (event.kind == EventKind::Overflow) return overflowText(event);
    if (isRounding(event.kind)) return what + QStringLiteral(" · ") + roundingPlace(event);
    if (event.action == 0) return what;
    if (nameNumber(event.action) != 0) return what + QStringLiteral(" · ") + shortened(actionText(model, event));
    const Action action = actionFromId(event.action);
    if (event.kind == EventKind::Wait) return tr("%1 for %2").arg(what, actionWithWords(action));
    what += actionWords(action).mid(term(name(eventKind(action.kind))).size());
    if (isInsideAction(event.kind)) what += QStringLiteral(" · ") + layerName(layerOf(event));
    return what;
}

QString predictedText(const RunModel& model, const Event& event) {
    const Event* predicted = predictedOf(model, event);
    if (!predicted || showsPrediction(model)) return {};
    const std::int64_t expected = predicted->end - predicted->begin;
    QString result = seconds(model, expected);
    if (expected > 0) {
        const double off = 100.0 * (static_cast<double>(event.end - event.begin) / static_cast<double>(expected) - 1);
        result += QStringLiteral(" (%1%2 %)")
                      .arg(off < 0 ? QStringLiteral("−") : QStringLiteral("+"))
                      .arg(std::abs(off), 0, 'f', 1);
    }
    return result;
}

QString hoverText(const RunModel& model, const Event& event) {
    if (event.kind == EventKind::Overflow) {
        const QString scale = scaleAround(model, event.step);
        return whatText(model, event) + tr(" · rank %1").arg(event.rank) +
               (scale.isEmpty() ? QString() : tr("\nloss scale %1").arg(scale));
    }
    QString line = whatText(model, event) + tr(" · rank %1").arg(event.rank) + QLatin1Char('\n') +
                   seconds(model, event.end - event.begin);
    if (showsPrediction(model)) line += tr(" predicted");
    if (const QString predicted = predictedText(model, event); !predicted.isEmpty())
        line += tr(", predicted %1").arg(predicted);
    if (event.kind != EventKind::Operation || !model.header().hasLayout() || event.end <= event.begin) return line;
    const double lasts = static_cast<double>(event.end - event.begin) * 1e-9;
    line += QLatin1Char('\n') + text(formatBandwidth(static_cast<double>(event.bytes) / lasts));
    return event.value > 0 ? line + tr(" · %1FLOP/s").arg(text(formatCount(event.value / lasts))) : line;
}

QString figuresText(const RunModel& model, std::size_t step, int rank) {
    const StepExtent& extent = model.steps().extents()[step];
    const Thinning& thinning = model.steps().thinning();
    QString line =
        tr("step %1 · rank %2 · %3").arg(extent.step).arg(rank).arg(seconds(model, extent.end - extent.begin));
    line += QLatin1Char('\n');
    if (!model.steps().all()[step].detailed())
        return line + tr("the program recorded no details of this step, so that watching takes little of its time");
    line += thinning.thinned(extent.step)
                ? tr("the step's events were removed to keep within the size limit of %1; the step's figures:")
                      .arg(QString::fromStdString(formatBytes(thinning.sizeLimit)))
                : tr("the step's events are not read yet; the step's figures:");
    const StepShares& shares = *model.steps().shares(step, rank);
    for (std::size_t i = 0; i < shares.size(); ++i)
        if (shares[i] > 0) line += QStringLiteral(" %1 %2").arg(term(name(shownKinds[i])), percent(shares[i] / 255.0));
    return line;
}

}  // namespace shardlab::ui
