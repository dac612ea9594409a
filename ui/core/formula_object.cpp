// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/formula_object.h"

#include "ui/core/formula.h"

#include <QAbstractTextDocumentLayout>
#include <QFontInfo>
#include <QPainter>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextTable>

#include <algorithm>
#include <vector>

namespace shardlab::ui {
namespace {

constexpr int lineProperty = QTextFormat::UserProperty + 1;

/// The letters of a document, and by how much they are larger on what it is laid out for: paper has finer dots.
struct Letters {
    explicit Letters(const QTextDocument& document) : font(document.defaultFont()) {
        font.setPixelSize(QFontInfo(font).pixelSize());
        if (QPaintDevice* device = document.documentLayout()->paintDevice())
            scale = QFontInfo(QFont(document.defaultFont(), device)).pixelSize() / double(font.pixelSize());
    }
    QFont font;
    double scale = 1;
};

void setFormula(const QTextBlock& block, const QColor& colour) {
    QTextCharFormat format;
    format.setObjectType(FormulaObject::type);
    format.setProperty(lineProperty, block.text());
    format.setForeground(colour);
    QTextCursor cursor(block);
    cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
}

}  // namespace

QSizeF FormulaObject::intrinsicSize(QTextDocument* document, int, const QTextFormat& format) {
    const auto formula = Formula::of(format.stringProperty(lineProperty));
    const Letters letters(*document);
    return formula ? formula->size(letters.font) * letters.scale : QSizeF();
}

void FormulaObject::drawObject(QPainter* painter, const QRectF& rect, QTextDocument* document, int,
                               const QTextFormat& format) {
    const auto formula = Formula::of(format.stringProperty(lineProperty));
    if (!formula) return;
    const Letters letters(*document);
    painter->save();
    painter->translate(rect.topLeft());
    painter->scale(letters.scale, letters.scale);
    formula->paint(*painter, {}, letters.font, format.foreground().color());
    painter->restore();
}

bool isCode(const QTextBlock& block) {
    return block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage) || block.blockFormat().nonBreakableLines();
}

void setFormulas(QTextDocument& document, const QColor& colour) {
    for (QTextBlock block = document.begin(); block.isValid();) {
        std::vector<QTextBlock> piece;
        for (; block.isValid() && isCode(block) && !QTextCursor(block).currentTable(); block = block.next())
            if (!block.text().isEmpty()) piece.push_back(block);
        const bool formulas = std::ranges::all_of(piece, [](const QTextBlock& line) {
            return line.blockFormat().stringProperty(QTextFormat::BlockCodeLanguage).isEmpty() &&
                   Formula::of(line.text()).has_value();
        });
        for (const QTextBlock& line : piece)
            if (formulas) setFormula(line, colour);
        if (piece.empty()) block = block.next();
    }
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
