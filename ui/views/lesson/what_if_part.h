// SPDX-License-Identifier: GPL-3.0-or-later
// A "what if": sliders over fields of a layout, and a picture, a formula and a sentence that follow them.
#pragma once

#include "engine/launch/lesson/what_if.h"
#include "ui/views/lesson/lesson_part.h"

#include <optional>
#include <utility>
#include <vector>

class QAbstractButton;
class QGridLayout;
class QLabel;
class QPushButton;
class QSlider;

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
    QStringList keys() const override;
    void takeKeys() override;
    void setRoom(int height) override;
    bool event(QEvent* event) override;

private:
    struct Row {
        QSlider* slider;
        QLabel *name, *value;
    };
    const LessonWhatIf& whatIf() const;
    void addSlider(QGridLayout& grid, int index);
    void moved();
    void showPosition();
    void takeNearest();
    void showChosen();
    void fit();
    void refreshState();
    /// The picture, the table and the words, as they are not yet those of `answer`.
    void showAnswer(const WhatIfAnswer& answer, bool table);

    ViewContext context_;
    int lesson_;  ///< that was chosen when the part was made
    std::size_t whatIf_;
    QWidget* sliders_;
    std::vector<Row> rows_;
    std::size_t chosen_ = 0;  ///< the slider that choose() moves
    bool hasKeys_ = false;
    int room_ = 0;  ///< pixels of height that there are; 0: as many as it likes
    LessonDrawing* drawing_;
    TextPart *words_, *table_;
    QLabel* refusal_;
    QPushButton *nearest_, *design_, *show_;
    bool open_ =
        false;  ///< once shown it stays so; what a guess uncovers is opened by its reader, or it moved the rest
    QAbstractButton* asTable_;
    int drawn_ = 0;  ///< pixels of height of the last picture
    /// What the picture, or the table, and the words are of; none where they are to be made anew.
    std::optional<std::pair<WhatIfPosition, bool>> shown_;
};

}  // namespace shardlab::ui
