// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of every rank by category: at the cursor, or without one at the fullest moment of the last complete step; in
// Design, what the plan predicts.
#pragma once

#include "engine/base/memory_category.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"

#include <vector>

namespace shardlab::ui {

class Legend;
class MemoryBars;

class MemoryPerRankView : public View {
    Q_OBJECT
public:
    MemoryPerRankView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;
    /// Draws at once what is pending.
    void flush() { refresh_.flush(); }
    const MemoryBars& bars() const { return *bars_; }

private:
    void refresh();
    /// What each rank had on its host in the step that is shown, as it told last.
    std::vector<MemoryBytes> hostMemory() const;
    void refreshLegend();
    /// Nothing was measured: what is drawn is the plan's.
    bool predicted() const;

    MemoryBars* bars_;
    Legend* legend_;
    Throttle refresh_;
};

}  // namespace shardlab::ui
