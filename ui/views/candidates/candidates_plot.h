// SPDX-License-Identifier: GPL-3.0-or-later
// Throughput against memory: a point a candidate, a line along the front, a line at the end of what may be taken of a
// device, a band in which published runs tell no candidates apart.
#pragma once

#include "ui/core/search_session.h"

#include <QWidget>

#include <memory>

namespace shardlab::ui {

class ThemeSource;

class CandidatesPlot : public QWidget {
    Q_OBJECT
public:
    CandidatesPlot(const SearchSession& search, ThemeSource& theme, QWidget* parent);
    ~CandidatesPlot() override;

    /// The session's candidates have changed.
    void refresh();
    /// Throughputs from that of the fastest candidate down to the share `within` slower are shaded; 0: none are.
    void setBand(double within);
    /// Rings around the candidate looked at and the one that is the document's layout; -1: none.
    void mark(int looked, int loaded);
    /// Where a candidate's point lies in this widget, and the candidate at a point, -1: none near.
    QPoint pointOf(int row) const;
    int rowAt(const QPoint& point) const;

Q_SIGNALS:
    /// The pointer has come near a point; -1: near none any more.
    void looked(int row);
    void picked(int row);  ///< a click
    void taken(int row);   ///< a double click

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Plot;
    void applyTheme();
    void setRanges();
    void drawBand();
    void pointAt(int row);

    const SearchSession& search_;
    ThemeSource& theme_;
    std::unique_ptr<Plot> plot_;
    double band_ = 0;
    int looked_ = -1;
    bool stale_ = false;  ///< its colours are those of what is stale
    int near_ = -1;       ///< the point that the pointer is at
};

}  // namespace shardlab::ui
