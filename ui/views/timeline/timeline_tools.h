// SPDX-License-Identifier: GPL-3.0-or-later
// The second line above a timeline: looking for events, going from step to step, how rows stand.
#pragma once

#include "ui/core/throttle.h"
#include "ui/core/view.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace shardlab::ui {

class TimelineTools : public QWidget {
    Q_OBJECT
public:
    TimelineTools(const ViewContext& context, QWidget* parent);

    QLineEdit& field() const { return *field_; }
    QLabel& found() const { return *found_; }
    QSpinBox& stepField() const { return *step_; }
    QComboBox& grouping() const { return *grouping_; }
    void flush() { refresh_.flush(); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QToolButton* button(const QString& text, const QString& name, const QString& help);
    void fillGrouping();
    void refresh();
    QString foundText() const;

    ViewContext context_;
    QLineEdit* field_;
    QLabel* found_;
    QToolButton *previous_, *next_;
    QLabel* stepLabel_;
    QSpinBox* step_;
    QToolButton *previousSlow_, *nextSlow_;
    QLabel* slow_;
    QComboBox* grouping_;
    QToolButton* pin_;
    Throttle refresh_;
};

}  // namespace shardlab::ui
