// SPDX-License-Identifier: GPL-3.0-or-later
// Drawings in SVG within a document of text, which stay drawings where the document is printed.
#pragma once

#include <QObject>
#include <QTextObjectInterface>

namespace shardlab::ui {

/// Draws what setDrawings() found in documents whose layout it is told to (registerHandler).
class DrawingObject final : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)
public:
    static constexpr int type = QTextFormat::UserObject + 2;

    using QObject::QObject;
    QSizeF intrinsicSize(QTextDocument* document, int position, const QTextFormat& format) override;
    void drawObject(QPainter* painter, const QRectF& rect, QTextDocument* document, int position,
                    const QTextFormat& format) override;
};

/// Gives the images whose addresses are themselves SVG ("data:image/svg+xml,…") to DrawingObject.
void setDrawings(QTextDocument& document);

}  // namespace shardlab::ui
