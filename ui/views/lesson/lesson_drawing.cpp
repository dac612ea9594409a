// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/lesson_drawing.h"

#include "ui/core/text.h"
#include "ui/core/theme.h"

#include <QPainter>
#include <QSizePolicy>
#include <QSvgRenderer>

#include <algorithm>
#include <utility>

namespace shardlab::ui {
namespace {

constexpr double wide = 2.2;  ///< in a window on a large screen

}  // namespace

PictureInk inkOf(const Theme& theme) {
    const auto named = [](const QColor& colour) { return colour.name().toStdString(); };
    const auto action = [&](EventKind kind) { return named(theme.action(kind)); };
    PictureInk ink;
    ink.text = named(theme.text);
    ink.dim = named(theme.dim);
    ink.bad = named(theme.bad);
    ink.bar = ink.forward = action(EventKind::Forward);
    ink.other = named(mixed(theme.border, theme.dim, 0.35));
    ink.guess = ink.backward = action(EventKind::Backward);
    ink.inputGrad = action(EventKind::InputGrad);
    ink.weightGrad = action(EventKind::WeightGrad);
    ink.comm = action(EventKind::TensorAllReduce);
    ink.optimizer = action(EventKind::Optimizer);
    ink.idle = named(theme.idle);
    ink.font = theme.body.family().toStdString();
    return ink;
}

void LessonDrawing::setPicture(const std::optional<LessonPicture>& picture) {
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

void LessonDrawing::setMostHeight(int pixels) {
    if (std::exchange(most_, pixels) == pixels) return;
    updateGeometry();
    update();
}

/// Letters of the picture are as large as those around it, also before an audience, or larger; where there is less room
/// they are no smaller than in the window.
double LessonDrawing::largestScale() const {
    const double scale = std::max(wide, theme_.theme().body.pixelSize() / static_cast<double>(picture_->letters));
    return most_ > 0 ? std::min(scale, std::max(1.0, static_cast<double>(most_) / picture_->height)) : scale;
}

int LessonDrawing::heightForWidth(int width) const {
    if (!picture_) return 0;
    return static_cast<int>(picture_->height * std::min(largestScale(), static_cast<double>(width) / picture_->width) +
                            0.5);
}

QSize LessonDrawing::sizeHint() const { return picture_ ? QSize(picture_->width, picture_->height) : QSize(); }

void LessonDrawing::paintEvent(QPaintEvent*) {
    if (!picture_) return;
    const double scale = std::min({largestScale(), static_cast<double>(width()) / picture_->width,
                                   static_cast<double>(height()) / picture_->height});
    QSvgRenderer renderer(QByteArray::fromStdString(picture_->svg));
    QPainter painter(this);
    renderer.render(&painter, QRectF(0, 0, picture_->width * scale, picture_->height * scale));
}

}  // namespace shardlab::ui
