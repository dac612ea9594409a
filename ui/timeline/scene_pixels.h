// SPDX-License-Identifier: GPL-3.0-or-later
// A scene's shapes as pixels: of a hundred thousand small rectangles a painter would make a call each. What a frame
// takes is in tests/bench/results.md.
#pragma once

#include "ui/timeline/scene_target.h"

#include <QImage>

namespace shardlab::ui {

class ScenePixels final : public SceneTarget {
public:
    /// Pixels of the panel's colour for `area`, with so many to each of the scene's. What was painted before is gone.
    void begin(const QRect& area, double devicePixelRatio, QRgb panel);
    /// The image, to be drawn with its top left corner at that of the area. It is opaque, so that it is copied and not
    /// blended.
    QImage& image() { return image_; }

    void fill(std::span<const QRect> rects, QRgb colour) override;
    void hatch(std::span<const QRect> rects, QRgb ground, QRgb line) override;
    void strip(const GanttScene::Strip& strip, const Colours& colours) override;

private:
    /// Pixels [left, right) × [top, bottom) of the image.
    struct Box {
        int left, top, right, bottom;
    };
    Box boxOf(const QRect& rect) const;
    int column(int x) const;  ///< of the scene's x, within the image
    int line(int y) const;
    QRgb* pixels(int line) { return first_ + static_cast<std::ptrdiff_t>(line) * pitch_; }
    void paint(const Box& box, QRgb colour);

    QImage image_;
    QRgb* first_ = nullptr;
    std::ptrdiff_t pitch_ = 0;  ///< pixels from one line to the next
    QRect area_;
    int width_ = 0;
    int height_ = 0;
    double ratio_ = 1;
};

}  // namespace shardlab::ui
