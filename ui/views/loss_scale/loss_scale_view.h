// SPDX-License-Identifier: GPL-3.0-or-later
// What the loss was multiplied by, step for step, and where gradients overflowed.
#pragma once

#include "engine/trace/event/event.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"

#include <memory>

namespace shardlab::ui {

class LossScaleView : public View {
    Q_OBJECT
public:
    LossScaleView(const ViewContext& context, QWidget* parent);
    ~LossScaleView() override;
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;
    void flush() { refresh_.flush(); }
    /// What is told of the step drawn at a pixel of the canvas; empty where there is none.
    QString valueAt(int x) const;
    QWidget* canvas() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void applyTheme();
    const Event* drawnAt(double x) const;

    struct Plot;
    std::unique_ptr<Plot> plot_;
    Throttle refresh_;
    bool wasEmpty_ = true;
};

}  // namespace shardlab::ui
