// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/candidates/candidates_model.h"

#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/core/words.h"

#include "engine/base/units.h"
#include "engine/layout/mesh/axis.h"

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr double bandTint = 0.22;

/// The unit of the column of peaks: one for all rows, so that they can be compared.
std::pair<const char*, double> unitFor(const std::vector<Candidate>& candidates) {
    const bool large =
        std::ranges::any_of(candidates, [](const Candidate& c) { return c.peakBytes >= std::int64_t{1} << 30; });
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
        longestDegrees_.clear();
        longestSchedule_.clear();
        for (const Candidate& candidate : candidates_) {
            if (const QString degrees = degreesText(candidate.choice); degrees.size() > longestDegrees_.size())
                longestDegrees_ = degrees;
            if (const QString schedule = scheduleText(candidate); schedule.size() > longestSchedule_.size())
                longestSchedule_ = schedule;
        }
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

void CandidatesModel::setBand(int rows, const QString& band) {
    if (bandRows_ == rows && band_ == band) return;
    bandRows_ = rows;
    band_ = band;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columns - 1));
}

int CandidatesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(candidates_.size());
}
int CandidatesModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns; }

QString CandidatesModel::cellText(const Candidate& candidate, int column) const {
    switch (column) {
    case Degrees: return degreesText(candidate.choice);
    case Schedule: return scheduleText(candidate);
    case Micro: return QString::number(candidate.choice.micro);
    case Throughput: return text(formatCount(candidate.tokensPerSecond));
    case Bubble: return percent(candidate.bubble);
    case Peak: {
        const double peak = static_cast<double>(candidate.peakBytes) / unit_.second;
        const QString figure = QString::number(peak, 'f', peak >= 100 ? 0 : peak >= 10 ? 1 : 2);
        return candidate.fits ? figure : tr("OOM %1").arg(figure);
    }
    default: return {};
    }
}

QString CandidatesModel::longest(int column) const {
    if (candidates_.empty()) return {};
    switch (column) {
    case Degrees: return longestDegrees_;
    case Schedule: return longestSchedule_;
    case Micro:
        return cellText(*std::ranges::max_element(candidates_, {}, [](const Candidate& c) { return c.choice.micro; }),
                        column);
    case Peak: return cellText(*std::ranges::max_element(candidates_, {}, &Candidate::peakBytes), column);
    case Throughput: return QStringLiteral("88.8 k");
    case Bubble: return QStringLiteral("88.8 %");
    default: return {};
    }
}

QVariant CandidatesModel::sortKey(const Candidate& candidate, int column) {
    switch (column) {
    case Degrees: {
        const ParallelSpec& p = candidate.choice.parallel;
        QString key;
        const auto add = [&key](int number) { key += QStringLiteral("%1 ").arg(number, 6); };
        for (const Axis axis : axesAsWritten) {
            add(degree(p, axis));
            if (axis == Axis::Pipeline) add(candidate.choice.chunks);
        }
        add(p.zero);
        add(static_cast<int>(p.contextKind));
        return key;
    }
    case Schedule: return scheduleText(candidate);
    case Micro: return candidate.choice.micro;
    case Throughput: return candidate.tokensPerSecond;
    case Bubble: return candidate.bubble;
    case Peak: return QVariant::fromValue<qlonglong>(candidate.peakBytes);
    default: return {};
    }
}

QString CandidatesModel::title(int row) const {
    const Candidate& candidate = at(row);
    return tr("%1 · %2 · microbatch %3 (%4 a step)")
        .arg(degreesText(candidate.choice), scheduleText(candidate))
        .arg(candidate.choice.micro)
        .arg(candidate.microbatches);
}

QString CandidatesModel::figures(int row) const {
    const Candidate& candidate = at(row);
    return tr("step %1 · %2 %3 · bubble %4 · peak %5")
        .arg(text(formatSeconds(candidate.stepSeconds)), text(formatCount(candidate.tokensPerSecond)),
             search_.throughputUnit(), percent(candidate.bubble), text(formatBytes(candidate.peakBytes)));
}

QString CandidatesModel::description(int row) const {
    const Candidate& candidate = at(row);
    QString lines = title(row) + QLatin1Char('\n') + figures(row);
    if (!candidate.fits) lines += tr("\nDoes not fit: %1").arg(told(candidate.why));
    if (candidate.front) lines += tr("\nOn the Pareto front: no candidate that fits is faster with as little memory");
    if (!candidate.exact) lines += tr("\nThe step time is estimated from two shorter steps");
    if (withinBand(row))
        lines += tr("\nWithin %1 of the fastest: published runs do not tell which of the first %2 is best")
                     .arg(band_)
                     .arg(bandRows_);
    return row == loaded_ ? lines + tr("\nThis candidate is the present layout")
                          : lines + tr("\nA double click or Enter takes this candidate");
}

QVariant CandidatesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Candidate& candidate = at(index.row());
    const Theme& theme = theme_.theme();
    switch (role) {
    case Qt::DisplayRole: return cellText(candidate, index.column());
    case sortRole: return sortKey(candidate, index.column());
    case Qt::ToolTipRole: return description(index.row());
    case Qt::ForegroundRole:
        if (search_.stale()) return theme.dim;
        if (!candidate.fits) return index.column() == Peak ? theme.bad : theme.dim;
        return index.row() == loaded_ ? theme.accent : theme.text;
    case Qt::BackgroundRole:
        if (index.column() != Throughput || search_.stale() || !withinBand(index.row())) return {};
        return mixed(theme.panel, theme.good, bandTint);
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
    if (role == Qt::TextAlignmentRole)
        return QVariant((section <= Schedule ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Degrees)
        return tr("The degrees of data and of pipeline × chunks; other degrees stand with their names");
    if (role == Qt::ToolTipRole && section == Throughput)
        return tr("The throughput of the modelled devices, summed over all replicas");
    if (role == Qt::ToolTipRole && section == Peak)
        return tr("The peak memory of the rank that needs most; its device has %1")
            .arg(told(toText(search_.progress().device)));
    if (role == Qt::InitialSortOrderRole && section == Throughput) return Qt::DescendingOrder;
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

}  // namespace shardlab::ui
