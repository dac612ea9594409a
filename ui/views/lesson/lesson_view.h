// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson: its text with measured and predicted figures, its questions and steps, and its experiments, which run in
// the views beside it.
#pragma once

#include "ui/core/view.h"

#include <QPointer>

class QComboBox;
class QPushButton;
class QToolButton;

namespace shardlab::ui {

class LessonFlow;
class Presenter;
class WorkButton;

class LessonView : public View {
    Q_OBJECT
public:
    LessonView(const ViewContext& context, QWidget* parent);

    QString subtitle() const override;
    /// The figures that the lesson names.
    QString asTable() const override;
    QString emptyText() const override;
    /// Questions and buttons are what the lesson is made of.
    bool showsFields() const override { return true; }

    /// Writes the lesson with what was guessed and measured as a PDF or, where the name ends so, as HTML.
    void saveHandout(const QString& file);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void showLesson();
    void refresh();
    void present();
    void askAndSaveHandout();

    QComboBox* lessons_;
    QPushButton* previous_;
    QPushButton* next_;
    WorkButton* runAll_;
    QToolButton* more_;
    LessonFlow* flow_;
    QPointer<Presenter> presenter_;
};

}  // namespace shardlab::ui
