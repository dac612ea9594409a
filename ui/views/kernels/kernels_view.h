// SPDX-License-Identifier: GPL-3.0-or-later
// Where a rank's time of a step goes on this machine, kernel by kernel, against the machine's limits: of the profile
// that fits the layout.
#pragma once

#include "ui/core/view.h"

#include "engine/predict/plan/kernel_account.h"

namespace shardlab::ui {

class KernelBars;
class Legend;

class KernelsView : public View {
    Q_OBJECT
public:
    KernelsView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;

private:
    void refresh();
    void nameColours();

    KernelBars* bars_;
    Legend* legend_;
    KernelAccount account_;  ///< without kernels where nothing fits
};

}  // namespace shardlab::ui
