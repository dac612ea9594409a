// SPDX-License-Identifier: GPL-3.0-or-later
// Predicted against published: a point a run on logarithmic axes, the line on which both are equal, and the band
// within which nine of ten of the runs shown lie.
#pragma once

#include "ui/views/evidence/evidence_model.h"

#include <QWidget>

#include <memory>

namespace shardlab::ui {

class EvidencePlot : public QWidget {
    Q_OBJECT
public:
    EvidencePlot(const EvidenceModel& model, ThemeSource& theme, QWidget* parent);
    ~EvidencePlot() override;

    /// The model's rows have changed.
    void refresh();
    /// A ring around the point of a row; -1: none.
    void mark(int row);
    /// Where a row's point lies in this widget, which it has, and the row at a place, -1: none near.
    QPoint pointOf(int row) const;
    int rowAt(const QPoint& place) const;

Q_SIGNALS:
    /// The pointer has come near a point; -1: near none any more.
    void looked(int row);
    void taken(int row);  ///< a click

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Plot;
    void applyTheme();
    void setRanges();
    void drawBand();
    void pointAt(int row);

    const EvidenceModel& model_;
    ThemeSource& theme_;
    std::unique_ptr<Plot> plot_;
    int marked_ = -1;
    int near_ = -1;  ///< the point that the pointer is at
};

}  // namespace shardlab::ui
