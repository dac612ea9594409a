// SPDX-License-Identifier: GPL-3.0-or-later
// The view shows what the length of a step consists of: compute and communication on the critical path, and what each
// rank does meanwhile. The step at the cursor is shown as it was measured, beside the prediction; where nothing is
// measured, the predicted step is shown. For the selected action the view says whether it decides the step's length and
// how late it could be.
#pragma once

#include "ui/core/fact_list.h"
#include "ui/core/step_path.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"

#include <optional>
#include <vector>

class QPushButton;

namespace shardlab::ui {

class CriticalPathView : public View {
    Q_OBJECT
public:
    CriticalPathView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    /// The ranks' shares, then the chain action by action.
    QString asTable() const override;
    QString emptyText() const override;
    QPushButton& button() const { return *button_; }
    void flush() { refresh_.flush(); }

private:
    void refresh();
    /// Finds the path of the step at the cursor, unless it is known; none before the step is over.
    void measure(const StepAccount& account);
    void addSelected(std::vector<Fact>& facts, const StepAccount& account) const;
    void addPredicted(std::vector<Fact>& facts, const StepAccount& account) const;
    void addMeasured(std::vector<Fact>& facts, const StepAccount& account) const;
    QString tableOfStep(const StepAccount& account) const;

    FactList* facts_;
    QPushButton* button_;
    std::optional<StepPath> measured_;
    std::pair<int, int> measuredOf_{-1, -1};  ///< step and pipeline for which measured_ stands
    Throttle refresh_;
};

}  // namespace shardlab::ui
