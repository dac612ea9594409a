// SPDX-License-Identifier: GPL-3.0-or-later
// Painting a scene: one drawRects per colour, no antialiasing.
#include "ui/timeline/gantt_scene.h"

#include <QPainter>
#include <QPixmap>
#include <QStaticText>

#include <cmath>
#include <map>

namespace shardlab {

namespace {

constexpr int figuresFade = 45;  ///< of what only figures tell

/// Diagonal lines as a tile: far faster than a pattern brush in software.
QBrush hatching(const Theme& theme) {
    constexpr int size = 6;
    QImage tile(size, size, QImage::Format_RGB32);
    QColor base = theme.idle;
    QColor line = theme.dark ? theme.idle.lighter(128) : theme.idle.darker(112);
    if (theme.dark) base = theme.idle.darker(128);
    tile.fill(base);
    for (int i = 0; i < size; ++i) tile.setPixelColor(i, size - 1 - i, line);
    return QBrush(QPixmap::fromImage(tile));
}

QColor colourOf(std::size_t colour, const Theme& theme) {
    const QColor hue = theme.action(colourKind(static_cast<Paint>(colour / 2)));
    return colour % 2 == 1 ? hue.darker(126) : hue;
}

/// Figures that can be read on a bar.
QColor inkOn(const QColor& bar) {
    const double luminance = 0.2126 * std::pow(bar.redF(), 2.2) + 0.7152 * std::pow(bar.greenF(), 2.2) + 0.0722 * std::pow(bar.blueF(), 2.2);
    return luminance > 0.18 ? QColor(0x10, 0x14, 0x1a) : QColor(Qt::white);
}

/// `fade`: hundredths of the panel in it.
QColor faded(const QColor& colour, const Theme& theme, int fade) {
    const auto mix = [&](int part, int ground) { return (part * (100 - fade) + ground * fade) / 100; };
    return QColor(mix(colour.red(), theme.panel.red()), mix(colour.green(), theme.panel.green()), mix(colour.blue(), theme.panel.blue()));
}

void paintBatches(QPainter& painter, const std::array<GanttScene::Batch, GanttScene::colours>& batches, const Theme& theme,
                  int fade) {
    for (std::size_t i = 0; i < batches.size(); ++i) {
        if (batches[i].empty()) continue;
        painter.setBrush(faded(colourOf(i, theme), theme, fade));
        painter.drawRects(batches[i].data(), static_cast<int>(batches[i].size()));
    }
}

void paintStrips(QPainter& painter, const std::vector<GanttScene::Strip>& strips, const Theme& theme, int fade) {
    QList<QRgb> colours(256, qRgba(0, 0, 0, 0));
    for (std::size_t i = 0; i < GanttScene::colours; ++i)
        colours[static_cast<qsizetype>(i)] = faded(colourOf(i, theme), theme, fade).rgb();
    for (const GanttScene::Strip& strip : strips) {
        QImage picture(strip.cells.data(), strip.area.width(), strip.area.height(), strip.pitch, QImage::Format_Indexed8);
        picture.setColorTable(colours);
        painter.drawImage(strip.area.topLeft(), picture);
    }
}

}  // namespace

void paintScene(QPainter& painter, const GanttScene& scene, const Theme& theme) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    painter.setBrush(hatching(theme));
    painter.drawRects(scene.idle.data(), static_cast<int>(scene.idle.size()));
    paintStrips(painter, scene.figures, theme, figuresFade);
    paintBatches(painter, scene.reduces, theme, 0);
    paintBatches(painter, scene.bars, theme, 0);
    paintStrips(painter, scene.strips, theme, 0);
    paintBatches(painter, scene.predicted, theme, 35);
    paintBatches(painter, scene.recomputed, theme, 45);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(theme.action(EventKind::Recompute));
    for (const auto& batch : scene.recomputed) {
        for (const QRect& rect : batch) painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
    painter.setPen(Qt::NoPen);
    paintBatches(painter, scene.ticks, theme, 0);

    QFont font = theme.mono;
    font.setPixelSize(11);
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
        if (const QColor ink = inkOn(colourOf(number.colour, theme)); painter.pen().color() != ink) painter.setPen(ink);
        painter.drawStaticText(QPointF(number.box.left() + (number.box.width() - size.width()) / 2,
                                       number.box.top() + (number.box.height() - size.height()) / 2), text);
    }
    painter.restore();
}

}  // namespace shardlab
