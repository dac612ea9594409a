// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/events/happenings_model.h"

#include <QSortFilterProxyModel>

namespace shardlab::ui {

/// Rows whose text has every word, in any case and order; on request warnings and errors only.
class HappeningsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setText(const QString& text) {
        words_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        invalidateFilter();
    }
    void setProblemsOnly(bool problems) {
        problems_ = problems;
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        const QModelIndex index = sourceModel()->index(row, HappeningsModel::Text, parent);
        if (problems_ && index.data(HappeningsModel::levelRole).toInt() == static_cast<int>(LogLevel::Info))
            return false;
        const QString text = index.data().toString();
        for (const QString& word : words_) {
            if (!text.contains(word, Qt::CaseInsensitive)) return false;
        }
        return true;
    }

private:
    QStringList words_;
    bool problems_ = false;
};

}  // namespace shardlab::ui
