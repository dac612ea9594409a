// SPDX-License-Identifier: GPL-3.0-or-later
// A question: guessed with a slider or by a choice, then run, then revealed, with the guess drawn into what was
// measured.
#pragma once

#include "ui/views/lesson/lesson_part.h"

#include <optional>
#include <vector>

class QAbstractButton;
class QLabel;
class QPushButton;
class QSlider;
class QVBoxLayout;

namespace shardlab::ui {

class LessonDrawing;

class QuestionPart : public LessonPart {
    Q_OBJECT
public:
    QuestionPart(const ViewContext& context, std::size_t question, QWidget* parent);
    void refresh(const LessonBlock& block) override;
    bool act() override;
    bool choose(int up) override;
    QStringList keys() const override { return {tr("↑ ↓ choose"), tr("Enter guess or run")}; }

private:
    const LessonQuestion& question() const;
    void makeSlider(QVBoxLayout& column);
    void makeChoices(QVBoxLayout& column);
    /// What stands at the slider or is chosen; none: nothing is chosen.
    std::optional<double> chosen() const;
    void showChosen();
    void refreshState();
    void refreshOutcome(std::optional<double> guess);

    ViewContext context_;
    std::size_t question_;
    QWidget* asking_;  ///< slider or choices
    QWidget* buttons_;
    int asked_ = 0;  ///< pixels of height of what was asked in sight
    QSlider* slider_ = nullptr;
    QLabel* value_ = nullptr;
    std::vector<QAbstractButton*> choices_;
    QPushButton *guess_, *pass_, *run_;
    QLabel *outcome_, *reveal_;
    LessonDrawing* drawing_;
};

}  // namespace shardlab::ui
