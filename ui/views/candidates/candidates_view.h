// SPDX-License-Identifier: GPL-3.0-or-later
// Plan for me: every legal layout of this model, cluster and batch as a table and as points. A click or an arrow
// key selects one and shows what it is and what it would change; a button, Enter or a double click takes it.
#pragma once

#include "engine/base/wings.h"
#include "ui/core/published_grounds.h"
#include "ui/core/view.h"

#include <memory>

class QLineEdit;
class QModelIndex;
class QProgressBar;
class QPushButton;
class QTableView;

namespace shardlab::predict {
struct Choice;
}  // namespace shardlab::predict

namespace shardlab::ui {

class CandidatePreview;
class CandidatesFilter;
class CandidatesModel;
class CandidatesPlot;

class CandidatesView : public View {
    Q_OBJECT
public:
    CandidatesView(const ViewContext& context, QWidget* parent);
    ~CandidatesView() override;

    QString subtitle() const override;
    QString subtitleHelp() const override { return bandHelp_; }
    QString asTable() const override;
    QString emptyText() const override;

    QTableView& table() const { return *table_; }
    CandidatesPlot& plot() const { return *plot_; }
    CandidatePreview& preview() const { return *preview_; }
    /// The candidate that a row of the table shows, which may be sorted by any column; -1: none.
    int candidateAt(const QModelIndex& index) const;
    /// The table's row of a candidate.
    QModelIndex rowOf(int candidate) const;
    QPushButton& cancelButton() const { return *cancel_; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    /// Says which candidates published runs do not tell apart, once the search is over and these runs are known.
    void showBand();
    /// Makes a candidate the selected one: its row and its point are marked, and it is previewed. -1: none.
    void select(int candidate);
    /// What the pointer is at, which only marks a point.
    void hover(int candidate);
    void mark();
    void take(int candidate);
    void setUpTable();
    /// Columns as wide as what is in them, the schedule's as wide as the rest, until a person sizes one. Where there is
    /// less room, degrees and schedule are cut alike.
    void fitColumns();

    PublishedGrounds grounds_;
    CandidatesModel* candidates_;
    CandidatesFilter* sorted_;
    QLineEdit* filter_;
    QTableView* table_;
    CandidatesPlot* plot_;
    CandidatePreview* preview_;
    QWidget* working_;
    QProgressBar* progress_;
    QPushButton* cancel_;
    std::unique_ptr<Choice> selected_;  ///< rows move while candidates arrive
    QString band_;                      ///< in words: how many lie within which
    QString bandHelp_;
    int hovered_ = -1;
    bool fitting_ = false;
    bool sizedByHand_ = false;
};

}  // namespace shardlab::ui
