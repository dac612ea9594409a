// SPDX-License-Identifier: GPL-3.0-or-later
// What charts over steps have in common: whole steps along x, or where a person asks for it the time that the devices
// took until then; the shared cursor as a line, and overflows as ▼ at the upper edge.
#pragma once

#include "ui/core/qcustomplot.h"
#include "ui/core/view.h"
#include "ui/core/words_at.h"

#include <functional>
#include <utility>
#include <vector>

namespace shardlab::ui {

class StepChart : public QCustomPlot, public WordsAt {
public:
    explicit StepChart(const ViewContext& context, QWidget* parent);
    /// What the chart says of a pixel along x, as a tooltip and to be copied.
    void setWords(std::function<QString(int x)> words) { words_ = std::move(words); }
    QString wordsAt(const QPoint& at) const override { return words_ ? words_(at.x()) : QString(); }
    /// Pens and fonts of the theme; call again when it changes.
    void applyTheme();
    /// Along x go seconds of the devices since the first step began, instead of steps. What is drawn has to be put in
    /// anew.
    void setOverTime(bool over);
    void setLogarithmic(bool logarithmic);  ///< the values at the left
    bool overTime() const { return overTime_; }
    /// Where an event of a step stands along x.
    double xOf(const Event& event) const;
    /// Shows all from the first step to `last`, on the scale of xOf().
    void setEnd(double last);
    void setSteps(int last) { setEnd(last); }  ///< of a chart that is not over time
    /// The step at a pixel.
    double stepAt(double x) const;
    /// Cursor and overflows of now; before each replot.
    void refreshMarks();
    bool marked() const;  ///< there are overflows

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// As many numbers stand at the axes of values as have room above each other.
    void fitNumbers();
    /// The moment on the run's clock at which the first step begins.
    std::int64_t origin() const;

    ViewContext context_;
    std::function<QString(int x)> words_;
    bool overTime_ = false;
    QCPItemStraightLine* cursor_;
    QCPGraph* overflows_;
};

}  // namespace shardlab::ui
