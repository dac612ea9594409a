// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/candidates/candidates_filter.h"

#include "ui/views/candidates/candidates_model.h"

#include <algorithm>

namespace shardlab::ui {

void CandidatesFilter::setWords(const QString& text) {
    words_ = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

bool CandidatesFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (words_.isEmpty()) return true;
    const auto& candidates = static_cast<const CandidatesModel&>(*sourceModel());
    QString shown = candidates.at(row).fits ? QStringLiteral("fits") : QStringLiteral("oom");
    for (int column = 0; column < candidates.columnCount(parent); ++column)
        shown += QLatin1Char('\n') + candidates.index(row, column, parent).data().toString();
    return std::ranges::all_of(words_, [&](const QString& word) { return shown.contains(word, Qt::CaseInsensitive); });
}

}  // namespace shardlab::ui
