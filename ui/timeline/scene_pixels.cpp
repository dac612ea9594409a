// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/scene_pixels.h"

#include <algorithm>
#include <cmath>

namespace shardlab {

void ScenePixels::begin(const QRect& area, double devicePixelRatio) {
    const QSize size = (QSizeF(area.size()) * devicePixelRatio).toSize();
    if (image_.size() != size) image_ = QImage(size, QImage::Format_ARGB32_Premultiplied);
    image_.setDevicePixelRatio(devicePixelRatio);
    image_.fill(0);
    first_ = reinterpret_cast<QRgb*>(image_.bits());
    pitch_ = image_.bytesPerLine() / static_cast<std::ptrdiff_t>(sizeof(QRgb));
    area_ = area;
    ratio_ = devicePixelRatio;
}

int ScenePixels::column(int x) const {
    return std::clamp(ratio_ == 1 ? x - area_.left() : static_cast<int>(std::lround((x - area_.left()) * ratio_)), 0, image_.width());
}

int ScenePixels::line(int y) const {
    return std::clamp(ratio_ == 1 ? y - area_.top() : static_cast<int>(std::lround((y - area_.top()) * ratio_)), 0, image_.height());
}

ScenePixels::Box ScenePixels::boxOf(const QRect& rect) const {
    return {column(rect.left()), line(rect.top()), column(rect.left() + rect.width()), line(rect.top() + rect.height())};
}

void ScenePixels::paint(const Box& box, QRgb colour) {
    for (int y = box.top; y < box.bottom; ++y) std::fill(pixels(y) + box.left, pixels(y) + std::max(box.left, box.right), colour);
}

void ScenePixels::fill(std::span<const QRect> rects, QRgb colour) {
    for (const QRect& rect : rects) paint(boxOf(rect), colour);
}

void ScenePixels::outline(std::span<const QRect> rects, QRgb colour) {
    for (const QRect& rect : rects) {
        const int right = rect.left() + rect.width() - 1;
        const int bottom = rect.top() + rect.height() - 1;
        for (const QRect& edge : {QRect(rect.left(), rect.top(), rect.width(), 1), QRect(rect.left(), bottom, rect.width(), 1),
                                  QRect(rect.left(), rect.top(), 1, rect.height()), QRect(right, rect.top(), 1, rect.height())})
            paint(boxOf(edge), colour);
    }
}

void ScenePixels::hatch(std::span<const QRect> rects, QRgb ground, QRgb line) {
    for (const QRect& rect : rects) {
        const Box box = boxOf(rect);
        for (int y = box.top; y < box.bottom; ++y)
            for (int x = box.left; x < box.right; ++x) pixels(y)[x] = onLine(x + area_.left(), y + area_.top()) ? line : ground;
    }
}

void ScenePixels::strip(const GanttScene::Strip& strip, const Colours& colours) {
    const QRect& area = strip.area;
    for (int row = 0; row < area.height(); ++row) {
        const std::uint8_t* cells = strip.cells.data() + static_cast<std::ptrdiff_t>(row) * strip.pitch;
        const int top = line(area.top() + row), bottom = line(area.top() + row + 1);
        for (int cell = 0; cell < area.width();) {
            const std::uint8_t colour = cells[cell];
            int end = cell + 1;
            while (end < area.width() && cells[end] == colour) ++end;
            if (colour != GanttScene::Strip::nothing) paint({column(area.left() + cell), top, column(area.left() + end), bottom}, colours[colour]);
            cell = end;
        }
    }
}

}  // namespace shardlab
