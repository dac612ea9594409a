// SPDX-License-Identifier: GPL-3.0-or-later
// What predictions stand on: published runs as points and as a table, predicted against published; a click on a point
// opens the run as a layout.
#pragma once

#include "ui/core/view.h"
#include "ui/views/evidence/evidence_model.h"
#include "ui/views/evidence/evidence_session.h"

class QComboBox;
class QLabel;
class QMenu;
class QModelIndex;
class QProgressBar;
class QSortFilterProxyModel;
class QSplitter;
class QTableView;
class QToolButton;

namespace shardlab::ui {

class EvidencePlot;
class WorkButton;

class EvidenceView : public View {
    Q_OBJECT
public:
    EvidenceView(const ViewContext& context, QWidget* parent);
    /// Shows the runs in that table.
    EvidenceView(const ViewContext& context, QWidget* parent, std::filesystem::path runs);

    QString subtitle() const override;
    QString subtitleHelp() const override;
    QString asTable() const override;

    EvidenceSession& session() { return session_; }
    EvidenceModel& model() { return *model_; }
    EvidencePlot& plot() const { return *plot_; }
    QTableView& table() const { return *table_; }
    QMenu& filterMenu() const { return *filters_; }
    QComboBox& figureBox() const { return *figure_; }
    WorkButton& workButton() const { return *work_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setUpBar();
    /// Gives the table the rows that there is height for, until a person has moved what parts it from the chart.
    void fitParts();
    void setUpTable();
    void fillMenu();
    void refresh();
    void showChosen();
    void hover(int row);
    /// Makes the run's layout the document's: one undoable step.
    void take(int row);
    int rowAt(const QModelIndex& index) const;

    EvidenceSession session_;
    EvidenceModel* model_;
    QSortFilterProxyModel* sorted_;
    EvidencePlot* plot_;
    QTableView* table_;
    QWidget* bar_;
    WorkButton* work_;
    QProgressBar* progress_;
    QComboBox* figure_;
    QToolButton* filter_;
    QMenu* filters_;
    QSplitter* parts_;  ///< chart and table, once there is anything in them
    bool partedByHand_ = false;
    QLabel* hint_;  ///< in their place until then
};

}  // namespace shardlab::ui
