// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/layout_words.h"

#include "engine/layout/mesh/axis.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QStringList>

namespace shardlab::ui {
namespace {}  // namespace

QString degreesText(const Layout& layout) {
    const ParallelSpec& parallel = layout.parallel;
    QStringList parts;
    for (const Axis axis : axesAsWritten) {
        const bool always = axis == Axis::Data || axis == Axis::Pipeline || axis == Axis::Tensor;
        if (const int number = degree(parallel, axis); always || matters(axis, number))
            parts << QStringLiteral("%1 <b>%2</b>").arg(text(shortName(axis)).toUpper()).arg(number);
    }
    if (parallel.zero != 0) parts << QStringLiteral("ZeRO <b>%1</b>").arg(parallel.zero);
    return parts.join(QStringLiteral(" · "));
}

QString clusterText(const Layout& layout) {
    QStringList parts{counted(layout.cluster.hosts.size(), tr("1 host"), tr("%1 hosts")),
                      counted(std::max(0, rankCount(layout)), tr("1 rank"), tr("%1 ranks")),
                      text(wordOf(layout.cluster.device))};
    if (layout.cluster.pace)
        parts << tr("paced as %1").arg(QString::fromStdString(layout.cluster.pace->device).toHtmlEscaped());
    return parts.join(QStringLiteral(" · "));
}

}  // namespace shardlab::ui
