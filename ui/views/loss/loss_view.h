// SPDX-License-Identifier: GPL-3.0-or-later
// Training and validation loss over steps, the learning rate, and which steps were skipped; before the steps of a run
// that goes on from a checkpoint, those of the run before it.
#pragma once

#include "ui/core/throttle.h"
#include "ui/core/view.h"

#include <memory>

class QPushButton;

namespace shardlab::ui {

class EarlierLosses;

class LossView : public View {
    Q_OBJECT
public:
    LossView(const ViewContext& context, QWidget* parent);
    ~LossView() override;
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;
    void flush() { refresh_.flush(); }
    /// The value drawn at a pixel of the view's canvas; empty where there is none.
    QString valueAt(int x) const;
    bool logarithmic() const;
    bool overTime() const;
    QWidget* canvas() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void applyTheme();
    /// In Learn, takes what the lesson's other experiments measured, to compare with them.
    void takeOthers();
    void setLogarithmic(bool logarithmic);
    void setOverTime(bool over);

    struct Plot;
    std::unique_ptr<Plot> plot_;
    QPushButton* scale_;
    QPushButton* time_;
    EarlierLosses* earlier_;
    Throttle refresh_;
    bool wasEmpty_ = true;
};

}  // namespace shardlab::ui
