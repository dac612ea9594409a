// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/candidates/candidates_model.h"

#include "ui/core/theme.h"

#include "engine/base/units.h"

#include <algorithm>

namespace shardlab {
namespace {

QString qt(const std::string& text) { return QString::fromStdString(text); }

/// Of the column of peaks: one for all, so that they can be compared.
std::pair<const char*, double> unitFor(const std::vector<Candidate>& candidates) {
    const bool large = std::ranges::any_of(candidates, [](const Candidate& c) { return c.peakBytes >= std::int64_t{1} << 30; });
    return large ? std::pair("GiB", 1073741824.0) : std::pair("MiB", 1048576.0);
}

}  // namespace

CandidatesModel::CandidatesModel(const SearchSession& search, ThemeSource& theme, QObject* parent)
    : QAbstractTableModel(parent), search_(search), theme_(theme) {
    refresh();
}

void CandidatesModel::refresh() {
    if (candidates_ != search_.candidates()) {
        beginResetModel();
        candidates_ = search_.candidates();
        unit_ = unitFor(candidates_);
        loaded_ = search_.loaded();
        endResetModel();
        return;
    }
    loaded_ = search_.loaded();
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columns - 1));
}

int CandidatesModel::rowOf(const Choice& choice) const {
    const auto found = std::ranges::find(candidates_, choice, &Candidate::choice);
    return found == candidates_.end() ? -1 : static_cast<int>(found - candidates_.begin());
}

int CandidatesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(candidates_.size());
}
int CandidatesModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns; }

QString CandidatesModel::text(const Candidate& candidate, int column) const {
    switch (column) {
    case Degrees: return degreesText(candidate.choice);
    case Schedule: return scheduleText(candidate);
    case Micro: return QString::number(candidate.choice.micro);
    case Throughput: return qt(formatCount(candidate.tokensPerSecond));
    case Bubble: return qt(formatPercent(candidate.bubble));
    case Peak: {
        const double peak = static_cast<double>(candidate.peakBytes) / unit_.second;
        const QString figure = QString::number(peak, 'f', peak >= 100 ? 0 : peak >= 10 ? 1 : 2);
        return candidate.fits ? figure : tr("OOM %1").arg(figure);
    }
    default: return {};
    }
}

QString CandidatesModel::description(int row) const {
    const Candidate& candidate = at(row);
    QString text = tr("%1 · %2 · microbatch %3 (%4 a step)\nstep %5 · %6 %9 · bubble %7 · peak %8")
                       .arg(degreesText(candidate.choice), scheduleText(candidate))
                       .arg(candidate.choice.micro)
                       .arg(candidate.microbatches)
                       .arg(qt(formatSeconds(candidate.stepSeconds)), qt(formatCount(candidate.tokensPerSecond)),
                            qt(formatPercent(candidate.bubble)), qt(formatBytes(candidate.peakBytes)), search_.throughputUnit());
    if (!candidate.fits) text += tr("\nDoes not fit: %1").arg(qt(candidate.why));
    if (candidate.front) text += tr("\nOn the front: none that fits is faster with as little memory");
    if (!candidate.exact) text += tr("\nEstimated from two shorter steps");
    return row == loaded_ ? text + tr("\nThis layout") : text + tr("\nClick to take it");
}

QVariant CandidatesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Candidate& candidate = at(index.row());
    const Theme& theme = theme_.theme();
    switch (role) {
    case Qt::DisplayRole: return text(candidate, index.column());
    case Qt::ToolTipRole: return description(index.row());
    case Qt::ForegroundRole:
        if (!candidate.fits) return index.column() == Peak ? theme.bad : theme.dim;
        return index.row() == loaded_ ? theme.accent : theme.text;
    case Qt::FontRole: {
        QFont font = index.column() == Schedule ? theme.body : theme.mono;
        font.setPixelSize(11);
        font.setBold(index.row() == loaded_);
        return font;
    }
    case Qt::TextAlignmentRole:
        return QVariant((index.column() <= Schedule ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default: return {};
    }
}

QVariant CandidatesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return QVariant((section <= Schedule ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Degrees) return tr("Data · pipeline × chunks; further degrees with their names");
    if (role == Qt::ToolTipRole && section == Throughput) return tr("Of the modelled device, over all replicas");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Degrees: return tr("DP·PP×v");
    case Schedule: return tr("schedule");
    case Micro: return tr("micro");
    case Throughput: return search_.throughputUnit();
    case Bubble: return tr("bubble");
    case Peak: return tr("peak %1").arg(QLatin1String(unit_.first));
    default: return {};
    }
}

}  // namespace shardlab
