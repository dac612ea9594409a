// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/section_notes.h"

#include "ui/core/document.h"
#include "ui/core/text.h"

#include "engine/base/units.h"
#include "engine/layout/mesh/axis.h"
#include "engine/layout/schedule/registry.h"

#include <QCoreApplication>

#include <numeric>

namespace shardlab::ui {
namespace {

QString words(const char* text) { return QCoreApplication::translate("SectionNote", text); }

SectionNote ranksNote(const Layout& layout) {
    QStringList factors;
    for (const Axis axis : axesAsWritten)
        if (const int factor = degree(layout.parallel, axis); placesRanks(axis) && factor != 1)
            factors << QString::number(factor);
    const auto& hosts = layout.cluster.hosts;
    const int devices = std::accumulate(hosts.begin(), hosts.end(), 0,
                                        [](int sum, const HostSpec& host) { return sum + host.devices; });
    const int ranks = rankCount(layout);
    QString product = factors.join(QStringLiteral(" × "));
    if (factors.size() > 1) product += QStringLiteral(" = %1").arg(ranks);
    else product = QString::number(ranks);
    const QString of = devices == ranks ? (ranks == 1 ? words("device") : words("devices"))
                                        : counted(devices, words("of 1 device"), words("of %1 devices"));
    const bool enough = ranks >= 1 && ranks <= devices;
    return {QStringLiteral("%1 %2 %3").arg(product, of, enough ? QStringLiteral("✓") : QStringLiteral("✗")),
            enough ? "good" : "bad"};
}

}  // namespace

SectionNote sectionNote(const QString& section, const Document& document) {
    const Layout& layout = document.layout();
    if (section == QLatin1String("parallel")) return ranksNote(layout);
    if (section == QLatin1String("batch")) {
        const int count = microbatches(layout);
        return count > 0 ? SectionNote{counted(count, words("1 microbatch"), words("%1 microbatches"))} : SectionNote{};
    }
    if (section == QLatin1String("model") && document.planIsCurrent() && document.plan())
        return {words("%1 parameters")
                    .arg(QString::fromStdString(formatCount(static_cast<double>(document.plan()->parameters))))};
    if (section == QLatin1String("schedule")) {
        const ScheduleMethod* method = findScheduleMethod(layout.schedule.kind);
        if (!method) return {};
        return {words("bubble %1").arg(text(bubbleFormula(*method, scheduleShape(layout))))};
    }
    return {};
}

}  // namespace shardlab::ui
