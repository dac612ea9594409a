// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/view_picture.h"

#include "ui/core/qcustomplot.h"

#include <QBuffer>
#include <QSvgGenerator>
#include <QWidget>

namespace shardlab::ui {
namespace {

/// Charts would come as pixels: they are asked to draw themselves again.
void draw(QWidget& widget, QCPPainter& painter, const QPoint& at) {
    if (auto* plot = qobject_cast<QCustomPlot*>(&widget)) {
        painter.save();
        painter.translate(at);
        plot->toPainter(&painter, plot->width(), plot->height());
        painter.restore();
        return;
    }
    widget.render(&painter, at, QRegion(), QWidget::DrawWindowBackground);
    for (QObject* object : widget.children()) {
        auto* inner = qobject_cast<QWidget*>(object);
        if (inner && inner->isVisible() && !inner->isWindow() && inner->geometry().intersects(widget.rect()))
            draw(*inner, painter, at + inner->pos());
    }
}

}  // namespace

QByteArray svgOf(QWidget& widget, const QString& title) {
    QByteArray document;
    QBuffer buffer(&document);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(widget.size());
    generator.setViewBox(widget.rect());
    generator.setResolution(96);
    generator.setTitle(title);
    generator.setDescription(QStringLiteral("Shardlab"));
    QCPPainter painter;
    if (!painter.begin(&generator)) return {};
    painter.setMode(QCPPainter::pmVectorized);
    draw(widget, painter, {});
    painter.end();
    return document;
}

}  // namespace shardlab::ui
