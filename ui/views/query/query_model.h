// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/query/query_session.h"

#include <QAbstractTableModel>

namespace shardlab::ui {

class ThemeSource;

/// The rows of a session's answer; numbers stand on the right.
class QueryModel : public QAbstractTableModel {
    Q_OBJECT
public:
    QueryModel(const QuerySession& session, ThemeSource& theme, QObject* parent);
    /// What a row says of a column with this name; NULL where there is no such column.
    Cell cell(int row, std::string_view column) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void refresh();

    const QuerySession& session_;
    ThemeSource& theme_;
    int rows_ = 0;
    int columns_ = 0;
};

}  // namespace shardlab::ui
