// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline as a widget: holds the plot, follows model, selection and theme, and takes mouse and keys.
#pragma once

#include "ui/core/step_walk.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"
#include "ui/timeline/rank_folding.h"
#include "ui/timeline/timeline_state.h"

#include <QWidget>

#include <memory>

class QCustomPlot;
class QScrollBar;

namespace shardlab::ui {

class TimelineInput;
struct GanttScene;

class TimelinePlot : public QWidget {
    Q_OBJECT
public:
    TimelinePlot(const ViewContext& context, QWidget* parent);
    ~TimelinePlot() override;

    const TimelineState& state() const { return state_; }
    const RunIndex& index() const { return index_; }
    const GanttScene& scene() const;
    /// The widget that is drawn on and takes mouse and keys.
    QWidget* canvas() const;
    /// "" = all; see filterRanks.
    void setRankFilter(const QString& filter);
    /// Which ranks share a row.
    const RankFolding& folding() const { return folding_; }
    void setFolded(bool folded);
    /// Folds or unfolds the group of the row at a position.
    void toggleFolding(int position);
    void setMeasuring(bool measuring);
    void setRinged(bool ringed);
    /// What is in sight, kept within reason. A person's doing (`byHand`) ends following when it leaves the present.
    void lookAt(TimeRange range, bool byHand);
    void scrollRows(int pixels);
    /// Selects what lies at a point of the canvas, as a click there does; the cursor stays.
    void choose(const QPoint& at);
    void revealRank(int rank);
    /// Takes in new events and draws at once.
    void flush();
    /// Draws what is in sight at once; geometry is built anew only if it must be.
    void draw() { frame_.flush(); }

Q_SIGNALS:
    void measuringChanged(bool measuring);
    void foldingChanged();
    void moved();  ///< a person moved what is in sight
    void drawn();  ///< what is in sight, or the data, changed

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void modelReset();
    void takeUpModel();
    void modelAppended();
    /// Follows a live run while it is followed, and an opened run until the person has scrolled or zoomed.
    void followPresent();
    /// `range` where following has it now; of a run that has ended, with its last steps in sight.
    TimeRange followedTo(TimeRange range) const;
    void arrange();
    void repaintAll();
    void repaintOverlay();
    /// What a newly begun model shows; does nothing once that was settled.
    void chooseVisible();

    ViewContext context_;
    RunIndex index_;
    TimelineState state_;
    QString filter_;
    RankFolding folding_;
    TimeRange untouched_;  ///< what a run shows while nobody has moved or zoomed it: its length is that of steps
    TypicalStep::Known fitted_ = TypicalStep::Known::Predicted;  ///< from what that length was taken
    enum class Chosen { Nothing, Prediction, Run } chosen_ = Chosen::Nothing;
    QCustomPlot* plot_;
    QScrollBar* scroll_;
    struct Layers;
    std::unique_ptr<Layers> layers_;
    std::unique_ptr<TimelineInput> input_;
    Throttle data_;
    Throttle frame_;
    Throttle overlay_;
};

}  // namespace shardlab::ui
