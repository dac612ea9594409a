// SPDX-License-Identifier: GPL-3.0-or-later
// Formulas within a document of text: where a line of code is one, it is set as mathematics.
#pragma once

#include <QColor>
#include <QObject>
#include <QTextBlock>
#include <QTextObjectInterface>

namespace shardlab::ui {

/// Draws the formulas of documents whose layout it is told to (registerHandler), in their letters.
class FormulaObject final : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)
public:
    static constexpr int type = QTextFormat::UserObject + 1;

    using QObject::QObject;
    QSizeF intrinsicSize(QTextDocument* document, int position, const QTextFormat& format) override;
    void drawObject(QPainter* painter, const QRectF& rect, QTextDocument* document, int position,
                    const QTextFormat& format) override;
};

/// A formula or a command on lines of its own, as Markdown or HTML has it.
bool isCode(const QTextBlock& block);
/// Sets each line of a piece of code as mathematics in that colour, if all of them are formulas.
void setFormulas(QTextDocument& document, const QColor& colour);
/// The block's text, with what its formulas were written as.
QString textWithFormulas(const QTextBlock& block);

}  // namespace shardlab::ui
