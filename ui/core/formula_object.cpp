// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/formula_object.h"

#include "ui/core/formula.h"

#include <QTextCursor>
#include <QTextDocument>

namespace shardlab::ui {
namespace {

constexpr int lineProperty = QTextFormat::UserProperty + 1;

}  // namespace

QSizeF FormulaObject::intrinsicSize(QTextDocument* document, int, const QTextFormat& format) {
    const auto formula = Formula::of(format.stringProperty(lineProperty));
    return formula ? formula->size(document->defaultFont()) : QSizeF();
}

void FormulaObject::drawObject(QPainter* painter, const QRectF& rect, QTextDocument* document, int,
                               const QTextFormat& format) {
    if (const auto formula = Formula::of(format.stringProperty(lineProperty)))
        formula->paint(*painter, rect.topLeft(), document->defaultFont(), format.foreground().color());
}

void setFormula(const QTextBlock& block, const QColor& colour) {
    if (!Formula::of(block.text())) return;
    QTextCharFormat format;
    format.setObjectType(FormulaObject::type);
    format.setProperty(lineProperty, block.text());
    format.setForeground(colour);
    QTextCursor cursor(block);
    cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
}

QString textWithFormulas(const QTextBlock& block) {
    QString text;
    for (QTextBlock::iterator part = block.begin(); !part.atEnd(); ++part) {
        const QTextCharFormat format = part.fragment().charFormat();
        text +=
            format.objectType() == FormulaObject::type ? format.stringProperty(lineProperty) : part.fragment().text();
    }
    return text;
}

}  // namespace shardlab::ui
