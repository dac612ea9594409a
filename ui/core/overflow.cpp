// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/overflow.h"

#include "engine/base/layer_number.h"
#include "engine/trace/event/event_payload.h"
#include "ui/core/step_counters.h"
#include "ui/core/words.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardlab::ui {

namespace {}  // namespace

QString layerName(int layer) {
    if (layer == embeddingLayer) return tr("embedding");
    if (layer == outputLayer) return tr("output");
    if (layer == allLayers) return tr("all layers");
    return tr("layer %1").arg(layer);
}

QString powerOfTwo(int exponent) {
    static const QString raised = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text = QStringLiteral("2");
    for (const QChar figure : QString::number(exponent))
        text += figure == QLatin1Char('-') ? QStringLiteral("⁻") : QString(raised[figure.digitValue()]);
    return text;
}

QString powerOfTwo(double value) {
    int exponent = 0;
    if (value > 0 && std::isfinite(value) && std::frexp(value, &exponent) == 0.5) return powerOfTwo(exponent - 1);
    return QString::number(value, 'g', 6);
}

std::vector<Event> overflows(const RunModel& model) {
    std::vector<Event> found = model.points().of(EventKind::Overflow);
    std::stable_sort(found.begin(), found.end(), [](const Event& a, const Event& b) {
        return std::pair(a.step, a.rank) < std::pair(b.step, b.rank);
    });
    return found;
}

QString overflowPlace(const Event& overflow) {
    const QString layer = layerName(layerOf(overflow));
    const int microbatch = overflow.action == 0 ? -1 : actionFromId(overflow.action).microbatch;
    return microbatch < 0 ? tr("%1, sum over replicas").arg(layer) : tr("%1, microbatch %2").arg(layer).arg(microbatch);
}

QString overflowText(const Event& overflow) {
    return tr("overflow: %1, step %2 skipped").arg(overflowPlace(overflow)).arg(overflow.step);
}

std::span<const Event> ofStep(const std::vector<Event>& overflows, int step) {
    const auto first =
        std::partition_point(overflows.begin(), overflows.end(), [&](const Event& e) { return e.step < step; });
    const auto last = std::partition_point(first, overflows.end(), [&](const Event& e) { return e.step == step; });
    return {first, last};
}

QString overflowsText(std::span<const Event> ofOneStep) {
    // Replicas overflow at the same place, as a rule.
    std::vector<std::pair<QString, QStringList>> ranks;
    for (const Event& overflow : ofOneStep) {
        const QString place = overflowPlace(overflow);
        const auto known = std::ranges::find(ranks, place, [](const auto& each) { return each.first; });
        if (known == ranks.end()) ranks.push_back({place, {QString::number(overflow.rank)}});
        else known->second += QString::number(overflow.rank);
    }
    QStringList places;
    for (const auto& [place, on] : ranks)
        places += (on.size() == 1 ? tr("%1 (rank %2)") : tr("%1 (ranks %2)")).arg(place, on.join(QStringLiteral(", ")));
    return places.empty() ? QString() : tr("overflow, step skipped: %1").arg(places.join(QStringLiteral("; ")));
}

bool scalesLoss(const RunModel& model) {
    return !model.empty() && model.header().layout.precision.lossScale != LossScaling::None;
}

QString scaleAround(const RunModel& model, int step) {
    const auto& scales = model.points().of(EventKind::LossScale);
    const Event* before = atStep(scales, step);
    if (!before || before->step != step) return {};
    const Event* after = atStep(scales, step + 1);
    if (after == before || after->value == before->value) return powerOfTwo(before->value);
    return powerOfTwo(before->value) + QStringLiteral(" → ") + powerOfTwo(after->value);
}

}  // namespace shardlab::ui
