// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/layout/mesh/alike.h"
#include "ui/views/memory_per_rank/memory_bars.h"
#include "ui/core/words.h"

#include <QFontMetrics>

#include <algorithm>
#include <utility>

namespace shardlab::ui {
namespace {

/// All figures, whatever the rank.
bool sameFigures(const MemoryRow& one, const MemoryRow& other) {
    return one.bytes == other.bytes && one.peak == other.peak && one.predictedPeak == other.predictedPeak &&
           one.shown == other.shown && one.host == other.host;
}

}  // namespace

QString titleOf(const MemoryRow& row) {
    if (row.folded.empty()) return tr("rank %1").arg(row.rank);
    std::vector<int> ranks{row.rank};
    ranks.insert(ranks.end(), row.folded.begin(), row.folded.end());
    return tr("ranks %1").arg(QString::fromStdString(rankList(ranks)));
}

QStringList titlesWithin(const std::vector<MemoryRow>& rows, const QFontMetrics& metrics, int width) {
    QStringList titles;
    for (const MemoryRow& row : rows) titles += titleOf(row);
    const bool fit =
        std::ranges::all_of(titles, [&](const QString& title) { return metrics.horizontalAdvance(title) <= width; });
    for (QString& title : titles)
        title = metrics.elidedText(fit ? title : title.section(QLatin1Char(' '), 1), Qt::ElideRight, width);
    return titles;
}

std::vector<MemoryRow> foldedRows(const Layout& layout, const Mesh& mesh, std::vector<MemoryRow> rows) {
    std::vector<MemoryRow> folded;
    for (const std::vector<int>& group : alikeRanks(layout, mesh)) {
        const std::size_t first = folded.size();
        for (const int rank : group) {
            MemoryRow& row = rows[static_cast<std::size_t>(rank)];
            const auto same = std::find_if(folded.begin() + static_cast<std::ptrdiff_t>(first), folded.end(),
                                           [&](const MemoryRow& other) { return sameFigures(row, other); });
            if (same != folded.end()) same->folded.push_back(rank);
            else folded.push_back(std::move(row));
        }
        for (std::size_t i = first; i < folded.size(); ++i) {
            MemoryRow& row = folded[i];
            if (row.folded.empty()) continue;
            std::vector<int> ranks{row.rank};
            ranks.insert(ranks.end(), row.folded.begin(), row.folded.end());
            row.label = QString::fromStdString(commonLabel(mesh, ranks));
        }
    }
    std::ranges::stable_sort(folded, {}, &MemoryRow::rank);
    return folded;
}

}  // namespace shardlab::ui
