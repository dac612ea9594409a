// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/drawing_object.h"

#include <QAbstractTextDocumentLayout>
#include <QPaintDevice>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>

#include <vector>

namespace shardlab::ui {
namespace {

constexpr double drawingDotsPerInch = 96;  ///< of the pixels that SVG counts in

/// Empty where the format is not that of a drawing.
QByteArray svgOf(const QTextFormat& format) {
    const QString address = format.stringProperty(QTextFormat::ImageName);
    if (!address.startsWith(QStringLiteral("data:image/svg+xml"))) return {};
    return QByteArray::fromPercentEncoding(address.section(QLatin1Char(','), 1).toLatin1());
}

}  // namespace

QSizeF DrawingObject::intrinsicSize(QTextDocument* document, int, const QTextFormat& format) {
    const QSizeF size = QSvgRenderer(svgOf(format)).defaultSize();
    const QPaintDevice* device = document->documentLayout()->paintDevice();
    return device ? size * device->logicalDpiY() / drawingDotsPerInch : size;
}

void DrawingObject::drawObject(QPainter* painter, const QRectF& rect, QTextDocument*, int, const QTextFormat& format) {
    QSvgRenderer(svgOf(format)).render(painter, rect);
}

void setDrawings(QTextDocument& document) {
    std::vector<QTextFragment> drawings;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        for (QTextBlock::iterator part = block.begin(); !part.atEnd(); ++part)
            if (!svgOf(part.fragment().charFormat()).isEmpty()) drawings.push_back(part.fragment());
    for (const QTextFragment& drawing : drawings) {
        QTextCharFormat format = drawing.charFormat();
        format.setObjectType(DrawingObject::type);
        QTextCursor cursor(&document);
        cursor.setPosition(drawing.position());
        cursor.setPosition(drawing.position() + drawing.length(), QTextCursor::KeepAnchor);
        cursor.setCharFormat(format);
    }
}

}  // namespace shardlab::ui
