// SPDX-License-Identifier: GPL-3.0-or-later
// The opened run beside its prediction or another run: two timelines that move together, and their differences as
// tables and bars.
#pragma once

#include "ui/core/compare_session.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"
#include "ui/views/compare/comparison_model.h"

#include <filesystem>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QSplitter;
class QTableView;

namespace shardlab::ui {

class EventSearch;
class LinkedTimelines;
class TimelinePlot;

class CompareView : public View {
    Q_OBJECT
public:
    CompareView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString emptyText() const override;
    /// Every part, one after the other.
    QString asTable() const override;

    QPushButton& predictionButton() const { return *prediction_; }
    QPushButton& runButton() const { return *run_; }
    QPushButton& closeButton() const { return *close_; }
    QComboBox& partChoice() const { return *part_; }
    QTableView& table() const { return *table_; }
    /// The opened run's timeline, and the other's; none while nothing is compared.
    TimelinePlot* ownPlot() const { return own_; }
    TimelinePlot* otherPlot() const { return other_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeBar(QHBoxLayout& bar);
    void begin();
    void refresh();
    void refreshTable();
    void arrangeTimelines();
    void showOneStep();
    void goTo(int row);
    void goTo(int rank, int step, EventKind kind, ActionId action);
    QString captionOf(bool a) const;

    CompareSession::With arranged_ = CompareSession::With::Nothing;  ///< what the timelines stand for
    std::filesystem::path begun_;                                    ///< the run that was compared unasked
    QPushButton* prediction_;
    QPushButton* run_;
    QPushButton* close_;
    QLabel* whole_;
    QSplitter* halves_;
    QSplitter* timelines_;
    QComboBox* part_;
    ComparisonModel* rows_;
    QTableView* table_;
    QLabel* note_;
    QWidget* ownFrame_ = nullptr;
    QWidget* otherFrame_ = nullptr;
    QLabel* ownCaption_ = nullptr;
    QLabel* otherCaption_ = nullptr;
    EventSearch* otherEvents_ = nullptr;
    TimelinePlot* own_ = nullptr;
    TimelinePlot* other_ = nullptr;
    LinkedTimelines* link_ = nullptr;
};

}  // namespace shardlab::ui
