// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/section_notes.h"

#include "ui/core/document.h"
#include "ui/core/text.h"

#include "engine/base/parameter_count.h"
#include "engine/base/units.h"
#include "engine/launch/hosts/this_machine.h"
#include "engine/layout/devices.h"
#include "engine/layout/mesh/axis.h"
#include "engine/layout/schedule/registry.h"
#include "ui/core/words.h"

#include <algorithm>
#include <numeric>

namespace shardlab::ui {
namespace {

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
    const QString of = devices == ranks ? (ranks == 1 ? tr("device") : tr("devices"))
                                        : counted(devices, tr("of 1 device"), tr("of %1 devices"));
    const bool all = ranks == devices;  // an idle device is a fault like one too few
    return {QStringLiteral("%1 %2 %3").arg(product, of, all ? QStringLiteral("✓") : QStringLiteral("✗")),
            all ? "good" : "bad"};
}

/// "this machine", "8 other hosts".
SectionNote hostsNote(const Layout& layout) {
    const auto& hosts = layout.cluster.hosts;
    const auto others = std::ranges::count_if(hosts, [](const HostSpec& host) { return !isOwnName(host.name); });
    if (others == 0) return {tr("this machine")};
    const QString away = counted(others, tr("1 other host"), tr("%1 other hosts"));
    return {others == static_cast<std::ptrdiff_t>(hosts.size()) ? away : tr("this machine and %1").arg(away)};
}

/// "4 × 8 NVIDIA H100 SXM 80 GB, 450 GB/s within a node, 400 Gbit/s between nodes"
SectionNote modelledNote(const Layout& layout) {
    if (!layout.cluster.pace) return {tr("the machine it runs on, at full speed")};
    const PaceSpec& pace = *layout.cluster.pace;
    const DevicePreset* device = findDevice(pace.device);
    if (!device) return {};
    const auto& hosts = layout.cluster.hosts;
    const int each = hosts.empty() ? 0 : hosts.front().devices;
    const bool even = std::ranges::all_of(hosts, [&](const HostSpec& host) { return host.devices == each; });
    QString count = QString::number(rankCount(layout));
    if (even && hosts.size() > 1) count = QStringLiteral("%1 × %2").arg(hosts.size()).arg(each);
    QString note = QStringLiteral("%1 %2").arg(count, text(device->title));
    const double inside = pace.nodeLink > 0 ? pace.nodeLink * 1e9 : device->inNode.bandwidth;
    if (rankCount(layout) > 1) note += tr(", %1 within a node").arg(text(formatBandwidth(inside)));
    const double between = pace.network > 0 ? pace.network : device->betweenNodes.bandwidth * 8 / 1e9;
    if (hosts.size() > 1) note += tr(", %1 Gbit/s between nodes").arg(between, 0, 'g', 4);
    return {note};
}

}  // namespace

SectionNote sectionNote(const QString& section, const Document& document) {
    const Layout& layout = document.layout();
    if (section == QLatin1String("cluster")) return hostsNote(layout);
    if (section == QLatin1String("modelled")) return modelledNote(layout);
    if (section == QLatin1String("parallel")) return ranksNote(layout);
    if (section == QLatin1String("batch")) {
        const int count = microbatches(layout);
        return count > 0 ? SectionNote{counted(count, tr("1 microbatch"), tr("%1 microbatches"))} : SectionNote{};
    }
    if (section == QLatin1String("model") && document.planIsCurrent() && document.plan())
        return {tr("%1 parameters")
                    .arg(QString::fromStdString(formatParameters(static_cast<double>(document.plan()->parameters))))};
    if (section == QLatin1String("schedule")) {
        const ScheduleMethod* method = findScheduleMethod(layout.schedule.kind);
        if (!method) return {};
        return {tr("bubble %1").arg(term(bubbleFormula(*method, scheduleShape(layout))))};
    }
    return {};
}

}  // namespace shardlab::ui
