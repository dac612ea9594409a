// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/markdown_page.h"

#include "ui/core/child.h"
#include "ui/core/formula_object.h"
#include "ui/core/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QFontInfo>
#include <QMimeData>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextTable>

#include <algorithm>
#include <array>

namespace shardlab::ui {
namespace {

constexpr qreal lineHeight = 128;               ///< percent
constexpr std::array headings{1.4, 1.15, 1.0};  ///< of the body's size
constexpr int paragraphGap = 8, indent = 16;    ///< pixels

bool isQuote(const QTextBlock& block) { return block.blockFormat().intProperty(QTextFormat::BlockQuoteLevel) > 0; }

bool isInTable(const QTextBlock& block) { return QTextCursor(block).currentTable() != nullptr; }

bool hasLink(const QTextBlock& block) {
    for (QTextBlock::iterator part = block.begin(); !part.atEnd(); ++part)
        if (part.fragment().charFormat().isAnchor()) return true;
    return false;
}

void styleCharacters(const QTextBlock& block, const Theme& theme) {
    const bool dim = isQuote(block) && !hasLink(block);  // what an experiment's layout says, below its title
    for (QTextBlock::iterator part = block.begin(); !part.atEnd(); ++part) {
        const QTextFragment fragment = part.fragment();
        if (!fragment.isValid()) continue;
        const QTextCharFormat was = fragment.charFormat();
        QTextCharFormat format;
        if (was.isAnchor()) {
            format.setForeground(theme.accent);
            format.setFontUnderline(false);
            format.setFontWeight(QFont::DemiBold);
        } else if (was.fontFixedPitch()) {
            format.setFontFamilies({theme.mono.family()});
            format.setForeground(dim ? theme.dim : theme.text);
        } else if (dim) {
            format.setForeground(theme.dim);
        } else {
            continue;
        }
        QTextCursor cursor(block);
        cursor.setPosition(fragment.position());
        cursor.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
        cursor.mergeCharFormat(format);
    }
}

void styleBlock(const QTextBlock& block, const Theme& theme) {
    QTextCursor cursor(block);
    QTextBlockFormat format;
    format.setLineHeight(lineHeight, QTextBlockFormat::ProportionalHeight);
    const int level = block.blockFormat().headingLevel();
    const QTextBlock next = block.next();
    const bool together =
        next.isValid() && ((isCode(block) && isCode(next)) || (isQuote(block) && isQuote(next) && hasLink(block)));
    format.setTopMargin(level > 1 ? paragraphGap : 0);
    format.setBottomMargin(together ? 0 : paragraphGap);
    if (isQuote(block)) {
        format.setLeftMargin(indent);
        format.setRightMargin(0);
    } else if (isCode(block)) {
        format.setLeftMargin(indent);
    }
    cursor.mergeBlockFormat(format);
    if (level > 0) {
        cursor.select(QTextCursor::BlockUnderCursor);
        QTextCharFormat letters = cursor.charFormat();
        letters.clearProperty(QTextFormat::FontSizeAdjustment);  // which would undo any size
        const double size =
            QFontInfo(theme.body).pixelSize() * headings[static_cast<std::size_t>(std::min(level, 3) - 1)];
        letters.setProperty(QTextFormat::FontPixelSize, static_cast<int>(size + 0.5));
        letters.setFontWeight(QFont::DemiBold);
        cursor.setCharFormat(letters);
    }
    styleCharacters(block, theme);
}

void styleTable(QTextTable& table, const Theme& theme) {
    QTextTableFormat format = table.format();
    format.setBorder(1);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderBrush(theme.border);
    format.setBorderCollapse(true);
    format.setCellPadding(5);
    format.setCellSpacing(0);
    format.setTopMargin(6);
    format.setBottomMargin(8);
    table.setFormat(format);
    for (int row = 0; row < table.rows(); ++row) {
        for (int column = 0; column < table.columns(); ++column) {
            QTextTableCell cell = table.cellAt(row, column);
            QTextCursor cursor = cell.firstCursorPosition();
            // The reader of Markdown leaves an empty line in the first cell that has text.
            if (cursor.block().text().isEmpty() && cursor != cell.lastCursorPosition()) cursor.deleteChar();
            cursor.setPosition(cell.lastCursorPosition().position(), QTextCursor::KeepAnchor);
            QTextCharFormat letters;
            letters.setForeground(row == 0 ? theme.dim : theme.text);
            letters.setFontWeight(QFont::Normal);
            cursor.mergeCharFormat(letters);
            QTextBlockFormat block;
            block.setTopMargin(0);
            block.setBottomMargin(0);
            cursor.mergeBlockFormat(block);
        }
    }
}

}  // namespace

QStringList wordsOf(const QString& query) { return query.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts); }

bool hasWords(const QString& text, const QStringList& words) {
    return std::ranges::all_of(words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

QStringList paragraphsOf(const QString& markdown) {
    QTextDocument text;
    text.setMarkdown(markdown);
    QStringList paragraphs;
    for (QTextBlock block = text.begin(); block.isValid(); block = block.next()) paragraphs << block.text();
    return paragraphs;
}

MarkdownPage::MarkdownPage(QWidget* parent) : QTextBrowser(parent) {
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    document()->documentLayout()->registerHandler(FormulaObject::type, child<FormulaObject>(this));
    connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        bool isNumber = false;
        const int number = link.fragment().toInt(&isNumber);
        if (isNumber) Q_EMIT numberFollowed(number);
        else Q_EMIT pageFollowed(link.toString());
    });
}

void MarkdownPage::setText(const QString& markdown, const Theme& theme) {
    const int scrolled = verticalScrollBar()->value();
    QTextDocument& text = *document();
    text.setDefaultFont(theme.body);
    text.setDocumentMargin(room_);
    text.setMarkdown(markdown);
    setExtraSelections({});
    for (QTextBlock block = text.begin(); block.isValid(); block = block.next())
        if (!isInTable(block)) styleBlock(block, theme);
    setFormulas(text, theme.text);
    for (QTextFrame* frame : text.rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(frame)) styleTable(*table, theme);
    moveCursor(QTextCursor::Start);  // a page that appears for the first time is scrolled to its cursor
    verticalScrollBar()->setValue(scrolled);
}

QMimeData* MarkdownPage::createMimeDataFromSelection() const {
    QMimeData* copied = QTextBrowser::createMimeDataFromSelection();
    if (!copied->text().contains(QChar::ObjectReplacementCharacter)) return copied;
    // What is copied is what a formula was written as; the other forms of the data have nothing in its place.
    QStringList lines;
    const QTextCursor selected = textCursor();
    for (QTextBlock block = document()->findBlock(selected.selectionStart());
         block.isValid() && block.position() < selected.selectionEnd(); block = block.next()) {
        QTextCursor within(block);
        within.setPosition(std::max(block.position(), selected.selectionStart()));
        within.setPosition(std::min(block.position() + block.length() - 1, selected.selectionEnd()),
                           QTextCursor::KeepAnchor);
        const QString part = within.selectedText();
        lines << (part.contains(QChar::ObjectReplacementCharacter) ? textWithFormulas(block) : part);
    }
    copied->clear();
    copied->setText(lines.join(QLatin1Char('\n')));
    return copied;
}

void MarkdownPage::mark(const QStringList& words, int hit, const Theme& theme) {
    QTextBlock block = document()->begin();
    while (block.isValid() && (!hasWords(textWithFormulas(block), words) || hit-- > 0)) block = block.next();
    if (!block.isValid()) return;
    QList<QTextEdit::ExtraSelection> marks;
    for (const QString& word : words) {
        for (qsizetype at = 0; (at = block.text().indexOf(word, at, Qt::CaseInsensitive)) >= 0; at += word.size()) {
            QTextEdit::ExtraSelection mark;
            mark.cursor = QTextCursor(block);
            mark.cursor.setPosition(block.position() + static_cast<int>(at));
            mark.cursor.setPosition(block.position() + static_cast<int>(at + word.size()), QTextCursor::KeepAnchor);
            mark.format.setBackground(theme.accent);
            mark.format.setForeground(theme.onAccent);
            marks << mark;
        }
    }
    setExtraSelections(marks);
    setTextCursor(QTextCursor(block));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + cursorRect().top() - height() / 3);
}

}  // namespace shardlab::ui
