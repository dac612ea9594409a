// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/scene_pixels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace shardlab::ui {

void ScenePixels::begin(const QRect& area, double devicePixelRatio, QRgb panel) {
    const QSize size = (QSizeF(area.size()) * devicePixelRatio).toSize();
    if (image_.size() != size) image_ = QImage(size, QImage::Format_RGB32);
    image_.setDevicePixelRatio(devicePixelRatio);
    image_.fill(panel);
    first_ = reinterpret_cast<QRgb*>(image_.bits());
    pitch_ = image_.bytesPerLine() / static_cast<std::ptrdiff_t>(sizeof(QRgb));
    area_ = area;
    width_ = size.width();
    height_ = size.height();
    ratio_ = devicePixelRatio;
}

int ScenePixels::column(int x) const {
    return std::clamp(ratio_ == 1 ? x - area_.left() : static_cast<int>(std::lround((x - area_.left()) * ratio_)), 0,
                      width_);
}

int ScenePixels::line(int y) const {
    return std::clamp(ratio_ == 1 ? y - area_.top() : static_cast<int>(std::lround((y - area_.top()) * ratio_)), 0,
                      height_);
}

ScenePixels::Box ScenePixels::boxOf(const QRect& rect) const {
    return {column(rect.left()), line(rect.top()), column(rect.left() + rect.width()),
            line(rect.top() + rect.height())};
}

void ScenePixels::paint(const Box& box, QRgb colour) {
    for (int y = box.top; y < box.bottom; ++y)
        std::fill(pixels(y) + box.left, pixels(y) + std::max(box.left, box.right), colour);
}

void ScenePixels::fill(std::span<const QRect> rects, QRgb colour) {
    for (const QRect& rect : rects) paint(boxOf(rect), colour);
}

void ScenePixels::hatch(std::span<const QRect> rects, QRgb ground, QRgb line) {
    // Lines of the hatching repeat: those there are, as long as the widest needs them.
    std::array<std::vector<QRgb>, hatching> lines;
    for (int y = 0; y < hatching; ++y) {
        lines[static_cast<std::size_t>(y)].resize(static_cast<std::size_t>(width_));
        for (int x = 0; x < width_; ++x)
            lines[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] =
                onLine(x + area_.left(), y + area_.top()) ? line : ground;
    }
    for (const QRect& rect : rects) {
        const Box box = boxOf(rect);
        for (int y = box.top; y < box.bottom; ++y) {
            const QRgb* pattern = lines[static_cast<std::size_t>(y % hatching)].data();
            std::copy(pattern + box.left, pattern + std::max(box.left, box.right), pixels(y) + box.left);
        }
    }
}

void ScenePixels::strip(const GanttScene::Strip& strip, const Colours& colours) {
    const QRect& area = strip.area;
    const Box box = boxOf(area);
    // Which cell of a line each pixel shows.
    std::vector<int> cellOf(static_cast<std::size_t>(std::max(0, box.right - box.left)));
    for (int cell = 0; cell < area.width(); ++cell)
        for (int x = column(area.left() + cell); x < column(area.left() + cell + 1); ++x)
            cellOf[static_cast<std::size_t>(x - box.left)] = cell;
    for (int row = area.top(); row < area.top() + area.height(); ++row) {
        const std::uint8_t* cells = strip.line(row);
        for (int y = line(row); y < line(row + 1); ++y) {
            QRgb* to = pixels(y) + box.left;
            for (std::size_t x = 0; x < cellOf.size(); ++x)
                if (const std::uint8_t colour = cells[cellOf[x]]; colour != GanttScene::Strip::nothing)
                    to[x] = colours[colour];
        }
    }
}

}  // namespace shardlab::ui
