// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a guess drawn into what was measured (engine/launch/lesson/guess_picture.h), in the colours of the theme.
#pragma once

#include "engine/launch/lesson/guess_picture.h"

#include <QWidget>

#include <optional>
#include <span>

namespace shardlab::ui {

class ThemeSource;

class GuessDrawing : public QWidget {
    Q_OBJECT
public:
    GuessDrawing(const ThemeSource& theme, QWidget* parent) : QWidget(parent), theme_(theme) {}
    std::optional<GuessPicture> pictureOf(const Lesson& lesson, const LessonQuestion& question,
                                          std::span<const KnownExperiment> known, const LessonReader& reader) const;
    /// None: nothing is shown.
    void setPicture(const std::optional<GuessPicture>& picture);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double largestScale() const;

    const ThemeSource& theme_;
    std::optional<GuessPicture> picture_;
};

}  // namespace shardlab::ui
