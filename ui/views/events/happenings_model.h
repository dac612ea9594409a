// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/events/happenings.h"

#include <QAbstractTableModel>

namespace shardlab::ui {

class RunModel;
class ThemeSource;

/// Columns: step, time, text.
class HappeningsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Step, Time, Text, columns };
    static constexpr int levelRole = Qt::UserRole;

    HappeningsModel(const RunModel& run, ThemeSource& theme, QObject* parent)
        : QAbstractTableModel(parent), run_(run), theme_(theme) {}
    /// Newest first; rows that are the same stay.
    void setHappenings(std::vector<Happening> happenings);
    const Happening& at(int row) const { return happenings_[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    /// When it was, in device time.
    QString timeOf(const Happening& happening) const;

    const RunModel& run_;
    ThemeSource& theme_;
    std::vector<Happening> happenings_;
};

}  // namespace shardlab::ui
