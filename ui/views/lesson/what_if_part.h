// SPDX-License-Identifier: GPL-3.0-or-later
// A "what if": sliders over fields of a layout, and a picture, a formula and a sentence that follow them.
#pragma once

#include "ui/views/lesson/lesson_part.h"

#include <vector>

class QAbstractButton;
class QLabel;
class QPushButton;
class QSlider;
class QVBoxLayout;

namespace shardlab::ui {

class LessonDrawing;
class TextPart;

class WhatIfPart : public LessonPart {
    Q_OBJECT
public:
    WhatIfPart(const ViewContext& context, std::size_t whatIf, QWidget* parent);
    void refresh(const LessonBlock& block) override;
    /// Takes the nearest legal position, or goes on to the other slider.
    bool act() override;
    bool choose(int up) override;

private:
    struct Row {
        QSlider* slider;
        QLabel *name, *value;
    };
    const LessonWhatIf& whatIf() const;
    void addSlider(QVBoxLayout& column, std::size_t index);
    void moved();
    void showPosition();
    void takeNearest();
    void refreshState();

    ViewContext context_;
    std::size_t whatIf_;
    QWidget* sliders_;
    std::vector<Row> rows_;
    std::size_t chosen_ = 0;  ///< the slider that choose() moves
    LessonDrawing* drawing_;
    TextPart *words_, *table_;
    QLabel* refusal_;
    QPushButton *nearest_, *design_, *show_;
    bool open_ =
        false;  ///< once shown it stays so; what a guess uncovers is opened by its reader, or it moved the rest
    QAbstractButton* asTable_;
    int drawn_ = 0;  ///< pixels of height of the last picture
};

}  // namespace shardlab::ui
