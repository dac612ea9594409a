// SPDX-License-Identifier: GPL-3.0-or-later
// The published runs that a person chose to look at, a row each.
#pragma once

#include "engine/predict/evidence/run_facets.h"
#include "ui/views/evidence/evidence_session.h"

#include <QAbstractTableModel>
#include <QPointF>

#include <map>

namespace shardlab::ui {

class ThemeSource;

enum class EvidenceFigure { Step, Memory };

class EvidenceModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// What a column is sorted by: figures instead of their text.
    static constexpr int sortRole = Qt::UserRole;
    enum Column { Run, Published, Predicted, Deviation, Devices, Stack, columns };

    EvidenceModel(const EvidenceSession& session, ThemeSource& theme, QObject* parent);

    /// Rows have been predicted since.
    void refresh();
    /// Shows runs of this value alone; empty: of all. A value that no run has shows none.
    void choose(RunFacet facet, const std::string& value);
    const std::string& chosen(RunFacet facet) const { return chosen_[static_cast<std::size_t>(facet)]; }
    bool choosesAll() const;
    /// The values that predicted runs have, and how many runs each.
    std::map<std::string, int> values(RunFacet facet) const;
    void setFigure(EvidenceFigure figure);
    EvidenceFigure figure() const { return figure_; }
    /// Runs too that do not count: what their source leaves out was guessed, or they are no layout.
    void setIncomplete(bool shown);
    bool incomplete() const { return incomplete_; }

    const ValidatedRow& at(int row) const;
    /// Published and predicted figure, seconds or GiB; nothing where the run lacks one of them.
    std::optional<QPointF> point(int row) const;
    std::optional<double> deviation(int row) const;
    /// Errors of the runs shown that count.
    const ErrorSummary& summary() const { return summary_; }
    /// "16.3 s", "61.2 GiB"
    QString figureText(double value) const;
    /// All of one run in words, for tooltips.
    QString description(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void select();
    bool isShown(const ValidatedRow& row) const;
    QString cellText(int row, int column) const;
    QVariant sortKey(int row, int column) const;

    const EvidenceSession& session_;
    ThemeSource& theme_;
    std::array<std::string, runFacets.size()> chosen_;
    EvidenceFigure figure_ = EvidenceFigure::Step;
    bool incomplete_ = false;
    std::vector<std::size_t> shown_;  ///< of the session's rows
    ErrorSummary summary_;
};

}  // namespace shardlab::ui
