// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/query/query_model.h"

#include "ui/core/theme.h"

#include <algorithm>

namespace shardlab::ui {

QueryModel::QueryModel(const QuerySession& session, ThemeSource& theme, QObject* parent)
    : QAbstractTableModel(parent), session_(session), theme_(theme) {
    connect(&session, &QuerySession::changed, this, &QueryModel::refresh);
}

void QueryModel::refresh() {
    const int rows = static_cast<int>(session_.rows().size());
    const int columns = static_cast<int>(session_.columns().size());
    if (columns == columns_ && rows > rows_ && rows_ > 0) {
        beginInsertRows({}, rows_, rows - 1);
        rows_ = rows;
        endInsertRows();
    } else if (columns != columns_ || rows != rows_) {
        beginResetModel();
        rows_ = rows;
        columns_ = columns;
        endResetModel();
    }
}

Cell QueryModel::cell(int row, std::string_view column) const {
    const auto& names = session_.columns();
    const auto named = std::ranges::find(names, column);
    if (named == names.end() || row < 0 || row >= rows_) return {};
    return session_.rows()[static_cast<std::size_t>(row)][static_cast<std::size_t>(named - names.begin())];
}

int QueryModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : rows_; }
int QueryModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns_; }

QVariant QueryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rows_) return {};
    const Cell& cell = session_.rows()[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    const bool words = std::holds_alternative<std::string>(cell);
    switch (role) {
    case Qt::DisplayRole:  // a number stays one: the view shortens it, what is copied is whole
        if (const auto* real = std::get_if<double>(&cell)) return *real;
        [[fallthrough]];
    case Qt::ToolTipRole: return QString::fromStdString(toText(cell));
    case Qt::FontRole: {
        QFont font = words ? theme_.theme().body : theme_.theme().mono;
        font.setPixelSize(11);
        return font;
    }
    case Qt::TextAlignmentRole: return QVariant((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default: return {};
    }
}

QVariant QueryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole || section >= static_cast<int>(session_.columns().size())) return {};
    return orientation == Qt::Horizontal
               ? QVariant(QString::fromStdString(session_.columns()[static_cast<std::size_t>(section)]))
               : QVariant();
}

}  // namespace shardlab::ui
