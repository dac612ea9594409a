// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/guess_drawing.h"

#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/views/lesson/lesson_part.h"

#include <QPainter>
#include <QSizePolicy>
#include <QSvgRenderer>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr double wide = 2.2;  ///< in a window on a large screen

}  // namespace

std::optional<GuessPicture> GuessDrawing::pictureOf(const Lesson& lesson, const LessonQuestion& question,
                                                    std::span<const KnownExperiment> known,
                                                    const LessonReader& reader) const {
    const Theme& colours = theme_.theme();
    const auto named = [](const QColor& colour) { return colour.name().toStdString(); };
    return guessPicture(lesson, question, known, reader,
                        {named(colours.text), named(colours.dim), named(colours.action(EventKind::Forward)),
                         named(mixed(colours.border, colours.dim, 0.35)), named(colours.action(EventKind::Backward)),
                         colours.body.family().toStdString()},
                        toldText);
}

void GuessDrawing::setPicture(const std::optional<GuessPicture>& picture) {
    picture_ = picture;
    setAccessibleName(picture ? text(picture->words) : QString());
    setToolTip(accessibleName());
    setVisible(picture.has_value());
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    updateGeometry();
    update();
}

/// Letters of the picture are as large as those around it, also before an audience, or larger.
double GuessDrawing::largestScale() const {
    return std::max(wide, theme_.theme().body.pixelSize() / static_cast<double>(picture_->letters));
}

int GuessDrawing::heightForWidth(int width) const {
    if (!picture_) return 0;
    return static_cast<int>(picture_->height * std::min(largestScale(), static_cast<double>(width) / picture_->width) +
                            0.5);
}

QSize GuessDrawing::sizeHint() const { return picture_ ? QSize(picture_->width, picture_->height) : QSize(); }

void GuessDrawing::paintEvent(QPaintEvent*) {
    if (!picture_) return;
    const double scale = std::min({largestScale(), static_cast<double>(width()) / picture_->width,
                                   static_cast<double>(height()) / picture_->height});
    QSvgRenderer renderer(QByteArray::fromStdString(picture_->svg));
    QPainter painter(this);
    renderer.render(&painter, QRectF(0, 0, picture_->width * scale, picture_->height * scale));
}

}  // namespace shardlab::ui
