// SPDX-License-Identifier: GPL-3.0-or-later
// What a scene's shapes are painted with. Nothing is antialiased; what comes later covers what was there.
#pragma once

#include "ui/timeline/gantt_scene.h"

#include <QColor>
#include <QRgb>

#include <array>
#include <span>

namespace shardlab::ui {

class SceneTarget {
public:
    /// The value of each colour of a scene; opaque.
    using Colours = std::array<QRgb, GanttScene::colours>;

    virtual void fill(std::span<const QRect> rects, QRgb colour) = 0;
    /// Diagonal lines.
    virtual void hatch(std::span<const QRect> rects, QRgb ground, QRgb line) = 0;
    virtual void strip(const GanttScene::Strip& strip, const Colours& colours) = 0;

    static constexpr int hatching = 6;  ///< pixels from one line to the next
    static bool onLine(int x, int y) { return (x + y + 1) % hatching == 0; }

protected:
    ~SceneTarget() = default;
};

}  // namespace shardlab::ui
