// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson: its text with measured and predicted figures, and its experiments, which run in the views beside it.
#pragma once

#include "ui/core/throttle.h"
#include "ui/core/view.h"

class QComboBox;
class QPushButton;

namespace shardlab::ui {

class ExperimentRows;
class MarkdownPage;

class LessonView : public View {
    Q_OBJECT
public:
    LessonView(const ViewContext& context, QWidget* parent);

    QString subtitle() const override;
    /// The figures that the lesson names.
    QString asTable() const override;
    QString emptyText() const override;
    /// The text with its figures, as Markdown.
    QString markdown() const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    void showLesson();
    void refresh();
    void runFollowed(int experiment);

    QComboBox* lessons_;
    QPushButton* previous_;
    QPushButton* next_;
    QPushButton* runAll_;
    MarkdownPage* page_;
    ExperimentRows* rows_;
    QString shownText_;
    Throttle progress_;
};

}  // namespace shardlab::ui
