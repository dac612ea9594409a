// SPDX-License-Identifier: GPL-3.0-or-later
// Where the time of the layout's predicted step goes, from compute at the devices' peak to the step.
#pragma once

#include "ui/core/view.h"

#include "engine/predict/plan/waterfall.h"

#include <optional>

namespace shardlab::ui {

class WaterfallBars;

class WaterfallView : public View {
    Q_OBJECT
public:
    WaterfallView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString emptyText() const override;
    QString asTable() const override;
    WaterfallBars& bars() const { return *bars_; }

private:
    /// The fall of the document's plan is made on another thread; one of an earlier plan stays until it has come.
    void refresh();
    void start();
    void take(const Waterfall& fall);

    WaterfallBars* bars_;
    std::optional<Waterfall> fall_;
    bool working_ = false;
    bool stale_ = false;  ///< the plan has changed while one was made
};

}  // namespace shardlab::ui
