// SPDX-License-Identifier: GPL-3.0-or-later
// Painting a scene: which shapes lie over which, in what colours, and the microbatches' numbers over all of them.
#include "ui/timeline/scene_pixels.h"

#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <QStaticText>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace shardlab::ui {

namespace {

// Hundredths of the panel's colour in what is painted fainter than measured bars.
constexpr int figuresFade = 45;
constexpr int predictedFade = 35;
constexpr int recomputedFade = 45;

QColor colourOf(std::size_t colour, const Theme& theme) {
    const QColor hue = theme.action(colourKind(static_cast<Paint>(colour / 2)));
    return colour % 2 == 1 ? hue.darker(126) : hue;
}

/// Figures that can be read on a bar.
QColor inkOn(const QColor& bar) {
    const double luminance =
        0.2126 * std::pow(bar.redF(), 2.2) + 0.7152 * std::pow(bar.greenF(), 2.2) + 0.0722 * std::pow(bar.blueF(), 2.2);
    return luminance > 0.18 ? QColor(0x10, 0x14, 0x1a) : QColor(Qt::white);
}

/// `fade`: hundredths of the panel in it.
QColor faded(const QColor& colour, const Theme& theme, int fade) {
    const auto mix = [&](int part, int ground) { return (part * (100 - fade) + ground * fade) / 100; };
    return QColor(mix(colour.red(), theme.panel.red()), mix(colour.green(), theme.panel.green()),
                  mix(colour.blue(), theme.panel.blue()));
}

/// With a painter's own shapes, so that a drawing stays one: for files and printers, and where there are few.
class PainterTarget final : public SceneTarget {
public:
    explicit PainterTarget(QPainter& painter) : painter_(painter) { painter.setPen(Qt::NoPen); }

    void fill(std::span<const QRect> rects, QRgb colour) override {
        painter_.setBrush(QColor(colour));
        painter_.drawRects(rects.data(), static_cast<int>(rects.size()));
    }

    void hatch(std::span<const QRect> rects, QRgb ground, QRgb line) override {
        if (painter_.paintEngine()->type() != QPaintEngine::Raster) return hatchInLines(rects, ground, line);
        // A tile: far faster than a pattern brush in software.
        QImage tile(hatching, hatching, QImage::Format_RGB32);
        for (int y = 0; y < hatching; ++y)
            for (int x = 0; x < hatching; ++x) tile.setPixel(x, y, onLine(x, y) ? line : ground);
        painter_.setBrush(QBrush(QPixmap::fromImage(tile)));
        painter_.drawRects(rects.data(), static_cast<int>(rects.size()));
    }

    void strip(const GanttScene::Strip& strip, const Colours& colours) override {
        QList<QRgb> table(256, qRgba(0, 0, 0, 0));
        std::ranges::copy(colours, table.begin());
        QImage picture(strip.area.size(), QImage::Format_Indexed8);
        for (int y = 0; y < strip.area.height(); ++y)
            std::copy_n(strip.line(strip.area.top() + y), strip.area.width(), picture.scanLine(y));
        picture.setColorTable(table);
        painter_.drawImage(strip.area.topLeft(), picture);
    }

private:
    /// An SVG has no brush that is a tile of pixels.
    void hatchInLines(std::span<const QRect> rects, QRgb ground, QRgb line) {
        fill(rects, ground);
        QPainterPath lines;
        for (const QRect& rect : rects) {
            const int left = rect.left(), top = rect.top(), right = left + rect.width(), bottom = top + rect.height();
            for (int sum = (left + top) / hatching * hatching + hatching - 1; sum < right + bottom; sum += hatching) {
                lines.moveTo(std::max(left, sum - bottom), std::min(bottom, sum - left));
                lines.lineTo(std::min(right, sum - top), std::max(top, sum - right));
            }
        }
        painter_.strokePath(lines, QPen(QColor(line), 1, Qt::SolidLine, Qt::FlatCap));
    }

    QPainter& painter_;
};

SceneTarget::Colours coloursOf(const Theme& theme, int fade) {
    SceneTarget::Colours colours;
    for (std::size_t i = 0; i < colours.size(); ++i) colours[i] = faded(colourOf(i, theme), theme, fade).rgb();
    return colours;
}

/// A line along the edge of each that has anything within.
std::vector<QRect> edgesOf(std::span<const QRect> rects) {
    std::vector<QRect> edges;
    for (const QRect& rect : rects) {
        if (rect.width() < 3 || rect.height() < 3) continue;
        const QRect inner = rect.adjusted(1, 1, -1, -1);
        edges.emplace_back(rect.left(), rect.top(), rect.width(), 1);
        edges.emplace_back(rect.left(), rect.bottom(), rect.width(), 1);
        edges.emplace_back(rect.left(), inner.top(), 1, inner.height());
        edges.emplace_back(rect.right(), inner.top(), 1, inner.height());
    }
    return edges;
}

void paintShapes(SceneTarget& target, const GanttScene& scene, const Theme& theme) {
    using Batches = std::array<GanttScene::Batch, GanttScene::colours>;
    const SceneTarget::Colours full = coloursOf(theme, 0);
    const auto fill = [&target](const Batches& batches, const SceneTarget::Colours& colours) {
        for (std::size_t i = 0; i < batches.size(); ++i)
            if (!batches[i].empty()) target.fill(batches[i], colours[i]);
    };
    const auto strips = [&target](const std::vector<GanttScene::Strip>& all, const SceneTarget::Colours& colours) {
        for (const GanttScene::Strip& strip : all) target.strip(strip, colours);
    };
    target.hatch(scene.idle, (theme.dark ? theme.idle.darker(128) : theme.idle).rgb(),
                 (theme.dark ? theme.idle.lighter(128) : theme.idle.darker(112)).rgb());
    strips(scene.figures, coloursOf(theme, figuresFade));
    fill(scene.reduces, full);
    fill(scene.bars, full);
    strips(scene.strips, full);
    fill(scene.predicted, coloursOf(theme, predictedFade));
    fill(scene.recomputed, coloursOf(theme, recomputedFade));
    for (const auto& batch : scene.recomputed) target.fill(edgesOf(batch), theme.action(EventKind::Recompute).rgb());
    fill(scene.ticks, full);
}

/// Layers on the panel's colour, operations in those of what bounds them, as the view Kernels has them.
void paintParts(QPainter& painter, const GanttScene& scene, const Theme& theme) {
    painter.setFont(theme.bodyAt(9));
    const QFontMetrics metrics(painter.font());
    constexpr int beside = 3;
    for (const GanttScene::Part& part : scene.parts) {
        const QColor ground =
            part.layer ? theme.raised : theme.action(part.products ? EventKind::Forward : EventKind::WeightGrad);
        painter.fillRect(part.box.adjusted(-1, -1, 1, 0), theme.panel);
        painter.fillRect(part.box, ground);
        const QRect place = part.box.adjusted(beside, 0, -beside, 0);
        if (place.width() < metrics.averageCharWidth() * 3 || place.height() < metrics.ascent()) continue;
        painter.setPen(part.layer ? theme.text : inkOn(ground));
        painter.drawText(place, Qt::AlignCenter, metrics.elidedText(part.name, Qt::ElideRight, place.width()));
    }
}

void paintNumbers(QPainter& painter, const GanttScene& scene, const Theme& theme) {
    const QFont font = theme.monoAt(11);
    painter.setFont(font);
    std::map<int, QStaticText> texts;
    for (const GanttScene::Number& number : scene.numbers) {
        QStaticText& text = texts[number.microbatch];
        if (text.text().isEmpty()) {
            text.setText(QString::number(number.microbatch));
            text.setTextFormat(Qt::PlainText);
            text.prepare(painter.transform(), font);
        }
        const QSizeF size = text.size();
        const QColor bar = colourOf(number.colour, theme);
        const QPointF place(number.box.left() + (number.box.width() - size.width()) / 2,
                            number.box.top() + (number.box.height() - size.height()) / 2);
        if (number.crossed) painter.fillRect(QRectF(place, size).adjusted(-1, 0, 1, 0).toAlignedRect(), bar);
        if (const QColor ink = inkOn(bar); painter.pen().color() != ink) painter.setPen(ink);
        painter.drawStaticText(place, text);
    }
}

}  // namespace

void paintScene(QPainter& painter, const GanttScene& scene, const Theme& theme) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    PainterTarget target(painter);
    paintShapes(target, scene, theme);
    paintParts(painter, scene, theme);
    paintNumbers(painter, scene, theme);
    painter.restore();
}

void paintScene(QPainter& painter, const GanttScene& scene, const Theme& theme, const QRect& area,
                const std::function<void(QPainter&)>& ground, ScenePixels& pixels) {
    if (area.isEmpty()) return;  // a chart that has no room beside its labels
    if (!painter.paintEngine() || painter.paintEngine()->type() != QPaintEngine::Raster) {
        ground(painter);
        return paintScene(painter, scene, theme);
    }
    pixels.begin(area, painter.device()->devicePixelRatioF(), theme.panel.rgb());
    {
        QPainter below(&pixels.image());
        below.translate(-area.topLeft());
        ground(below);
    }
    paintShapes(pixels, scene, theme);
    painter.save();
    painter.drawImage(area.topLeft(), pixels.image());
    paintParts(painter, scene, theme);
    paintNumbers(painter, scene, theme);
    painter.restore();
}

}  // namespace shardlab::ui
