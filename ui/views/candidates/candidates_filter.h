// SPDX-License-Identifier: GPL-3.0-or-later
// The candidates in which every word of the filter is found: "pp4 1f1b fits".
#pragma once

#include <QSortFilterProxyModel>
#include <QStringList>

namespace shardlab::ui {

class CandidatesFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    /// Words may be parts of what any column shows; "fits" and "oom" tell what fits from what does not.
    void setWords(const QString& text);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList words_;
};

}  // namespace shardlab::ui
