// SPDX-License-Identifier: GPL-3.0-or-later
// Plan for me: every legal layout of this model, cluster and batch as a table and as points; a click takes one.
#pragma once

#include "ui/core/view.h"

#include <memory>

class QModelIndex;
class QProgressBar;
class QPushButton;
class QTableView;

namespace shardlab {

class CandidatesModel;
class CandidatesPlot;
struct Choice;

class CandidatesView : public View {
    Q_OBJECT
public:
    CandidatesView(const ViewContext& context, QWidget* parent);
    ~CandidatesView() override;

    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;

    QTableView& table() const { return *table_; }
    CandidatesPlot& plot() const { return *plot_; }
    QPushButton& cancelButton() const { return *cancel_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    /// Looks at a candidate: its row and its point are marked.
    void look(int row, bool scroll);
    void take(int row);
    void setUpTable();

    CandidatesModel* candidates_;
    QTableView* table_;
    CandidatesPlot* plot_;
    QWidget* working_;
    QProgressBar* progress_;
    QPushButton* cancel_;
    std::unique_ptr<Choice> looked_;  ///< rows move while candidates arrive
};

}  // namespace shardlab
