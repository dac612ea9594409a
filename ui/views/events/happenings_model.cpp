// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/events/happenings_model.h"

#include "ui/core/theme.h"
#include "ui/timeline/event_text.h"

#include <algorithm>

namespace shardlab::ui {

void HappeningsModel::setHappenings(std::vector<Happening> happenings) {
    if (happenings == happenings_) return;
    // New ones nearly always come first: what was there stays where it is, so a selected row stays selected.
    const std::size_t before = happenings_.size();
    if (happenings.size() > before &&
        std::equal(happenings_.begin(), happenings_.end(), happenings.end() - static_cast<std::ptrdiff_t>(before))) {
        beginInsertRows({}, 0, static_cast<int>(happenings.size() - before) - 1);
        happenings_ = std::move(happenings);
        endInsertRows();
        return;
    }
    beginResetModel();
    happenings_ = std::move(happenings);
    endResetModel();
}

int HappeningsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(happenings_.size());
}
int HappeningsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns; }

QString HappeningsModel::timeOf(const Happening& happening) const {
    return moment(run_, happening.time, happenings_.front().time);
}

QVariant HappeningsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Happening& happening = at(index.row());
    const Theme& theme = theme_.theme();
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == Step) return happening.step < 0 ? QString() : QString::number(happening.step);
        if (index.column() == Time) return timeOf(happening);
        return happening.text;
    case Qt::ToolTipRole: return tr("%1, after %2").arg(happening.text, timeOf(happening));
    case Qt::ForegroundRole:
        if (index.column() != Text) return theme.dim;
        if (happening.level == LogLevel::Error) return theme.bad;
        if (happening.level == LogLevel::Warning) return theme.warning;
        return theme.text;
    case Qt::FontRole:
        if (index.column() == Text) return {};
        return theme.mono;
    case Qt::TextAlignmentRole:
        return index.column() == Time ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                      : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case levelRole: return static_cast<int>(happening.level);
    default: return {};
    }
}

QVariant HappeningsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
    if (section == Step) return tr("step");
    return section == Time ? tr("time") : tr("what");
}

}  // namespace shardlab::ui
