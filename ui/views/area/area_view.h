// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of the area that was dragged over in a timeline: count, total, mean and 95th percentile, by kind and by rank.
#pragma once

#include "ui/core/event_scan.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"
#include "ui/views/area/area_statistics.h"

class QComboBox;
class QLabel;
class QTableWidget;

namespace shardlab::ui {

class AreaView : public View {
    Q_OBJECT
public:
    AreaView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString emptyText() const override;
    /// All kinds, all ranks, and every kind on every rank.
    QString asTable() const override;

    QTableWidget& table() const { return *table_; }
    QComboBox& sorting() const { return *by_; }
    /// Counts the whole area now.
    void flush();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum By { Kind, Rank, Both };
    void count();
    void fill();
    void giveNamesRoom();
    int namesWidth() const;
    /// The share of the area's time on the ranks that the key names.
    double share(const AreaStatistics::Key& key, const AreaFigures& figures) const;

    AreaStatistics statistics_;
    std::map<AreaStatistics::Key, AreaFigures> figures_;
    EventScan scan_;
    QComboBox* by_;
    QLabel* note_;
    QTableWidget* table_;
    Throttle again_;
};

}  // namespace shardlab::ui
