// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a picture of a lesson (engine/launch/lesson/lesson_picture.h), in the colours of the theme.
#pragma once

#include "engine/launch/lesson/lesson_picture.h"

#include <QWidget>

#include <optional>

namespace shardlab::ui {

struct Theme;
class ThemeSource;

/// The colours and letters that pictures of lessons have in the theme.
PictureInk inkOf(const Theme& theme);

class LessonDrawing : public QWidget {
    Q_OBJECT
public:
    LessonDrawing(const ThemeSource& theme, QWidget* parent) : QWidget(parent), theme_(theme) {}
    /// None: nothing is shown.
    void setPicture(const std::optional<LessonPicture>& picture);
    /// The picture is no higher, as long as its letters are no smaller than it was made with; 0: as high as it likes.
    void setMostHeight(int pixels);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double largestScale() const;

    const ThemeSource& theme_;
    std::optional<LessonPicture> picture_;
    int most_ = 0;
};

}  // namespace shardlab::ui
