// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/formula.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <vector>

namespace shardlab::ui {

struct Formula::Node {
    enum class Kind : std::uint8_t { Text, Row, Fraction, Root, Bracket };
    Kind kind = Kind::Row;
    QString text;               ///< of a Text and of a Bracket
    bool variable = false;      ///< a Text in italics
    std::vector<Node> parts{};  ///< of a Row; numerator and denominator; what a root is of; what a Bracket stands by
};

namespace {

using Node = Formula::Node;

constexpr double ruleShare = 0.06;  ///< of the letters' height: the line of a fraction and of a root
constexpr double gapShare = 0.16;   ///< between that line and what stands above or below
constexpr double axisShare = 0.32;  ///< above the baseline: where a fraction's line is
constexpr double rootShare = 0.55;  ///< the width of a root's sign

Node textNode(const QString& text, bool variable = false) { return {Node::Kind::Text, text, variable}; }

bool opens(QChar letter) { return QStringView(u"([⌈⌊").contains(letter); }
bool closes(QChar letter) { return QStringView(u")]⌉⌋").contains(letter); }

/// The place behind the bracket that closes the one at `from`; the text's end where none does.
qsizetype behindBracket(QStringView text, qsizetype from) {
    int depth = 0;
    for (qsizetype at = from; at < text.size(); ++at) {
        if (opens(text[at])) ++depth;
        if (closes(text[at]) && --depth == 0) return at + 1;
    }
    return text.size();
}

/// The parts of a text between those of its letters `mark` that stand in no brackets.
QList<QStringView> split(QStringView text, QChar mark) {
    QList<QStringView> parts;
    qsizetype from = 0;
    for (qsizetype at = 0; at < text.size();) {
        if (text[at] == mark) {
            parts << text.mid(from, at - from);
            from = ++at;
        } else {
            at = opens(text[at]) ? behindBracket(text, at) : at + 1;
        }
    }
    return parts << text.mid(from);
}

bool isRelation(QStringView word) {
    return word == u"=" || word == u"≈" || word == u"←" || word == u"+" || word == u"−";
}

Node rowOf(QStringView text);

/// What stands in a fraction, without the brackets that held it together in a line.
Node groupOf(QStringView text) {
    const bool bracketed = text.startsWith(u'(') && behindBracket(text, 0) == text.size();
    return rowOf(bracketed ? text.mid(1, text.size() - 2) : text);
}

bool isMark(QChar letter) {
    return letter.category() == QChar::Mark_NonSpacing || letter == u'′' || letter.decompositionTag() == QChar::Sub ||
           letter.decompositionTag() == QChar::Super;
}

/// The atoms of a word without a fraction.
void addAtoms(QStringView word, std::vector<Node>& into) {
    for (qsizetype at = 0; at < word.size();) {
        const QChar letter = word[at];
        qsizetype end = at + 1;
        if (letter == u'√' && end < word.size()) {
            end = word[end] == u'(' ? behindBracket(word, end) : end + 1;
            into.push_back({Node::Kind::Root, {}, false, {groupOf(word.mid(at + 1, end - at - 1))}});
        } else if (opens(letter)) {
            end = behindBracket(word, at);
            const bool closed = end - at > 1 && closes(word[end - 1]);
            const Node within = rowOf(word.mid(at + 1, end - at - (closed ? 2 : 1)));
            into.push_back({Node::Kind::Bracket, QString(letter), false, {within}});
            into.push_back(within);
            if (closed) into.push_back({Node::Kind::Bracket, QString(word[end - 1]), false, {within}});
        } else if (letter.isLetter() && !isMark(letter)) {
            while (end < word.size() && word[end].isLetter() && !isMark(word[end])) ++end;
            const bool single = end - at == 1;
            while (end < word.size() && isMark(word[end])) ++end;
            into.push_back(textNode(word.mid(at, end - at).toString(), single));
        } else {
            into.push_back(textNode(QString(letter)));
        }
        at = end;
    }
}

/// A word: what stands before its stroke is over what stands behind.
void addWord(QStringView word, std::vector<Node>& into) {
    const QList<QStringView> sides = split(word, u'/');
    if (sides.size() != 2 || sides.front().isEmpty() || sides.back().isEmpty()) return addAtoms(word, into);
    QStringView below = sides.back();
    qsizetype behind = below.size();
    while (behind > 1 && QStringView(u",.;").contains(below[behind - 1])) --behind;
    into.push_back({Node::Kind::Fraction, {}, false, {groupOf(sides.front()), groupOf(below.left(behind))}});
    if (behind < below.size()) into.push_back(textNode(below.mid(behind).toString()));
}

Node rowOf(QStringView text) {
    Node row;
    std::size_t term = 0;  // where the numerator of a stroke that stands by itself begins
    const QList<QStringView> words = split(text, u' ');
    for (qsizetype i = 0; i < words.size(); ++i) {
        if (words[i] == u"/" && i + 1 < words.size() && row.parts.size() > term) {
            Node above;
            above.parts.assign(row.parts.begin() + static_cast<std::ptrdiff_t>(term), row.parts.end());
            row.parts.resize(term);
            row.parts.push_back({Node::Kind::Fraction, {}, false, {std::move(above), groupOf(words[++i])}});
            continue;
        }
        if (i > 0) row.parts.push_back(textNode(QStringLiteral(" ")));
        if (isRelation(words[i])) {
            row.parts.push_back(textNode(words[i].toString()));
            term = row.parts.size() + 1;  // behind the space that follows
            continue;
        }
        addWord(words[i], row.parts);
        // "4 B" and "2 s" end with a unit, which is no variable.
        const bool number = i > 0 && !words[i - 1].isEmpty() && words[i - 1].back().isDigit();
        if (number && i + 1 == words.size() && words[i].size() == 1) row.parts.back().variable = false;
    }
    return row;
}

/// Pixels from a baseline.
struct Box {
    double width = 0, ascent = 0, descent = 0;
};

/// The font of a node, and what follows from it.
struct Style {
    QFont plain, slanted;
    double letters = 0;  ///< height of a capital

    explicit Style(const QFont& font) : plain(font), slanted(font), letters(QFontMetricsF(font).capHeight()) {
        slanted.setItalic(true);
    }
    const QFont& of(const Node& node) const { return node.variable ? slanted : plain; }
    double rule() const { return std::max(1.0, letters * ruleShare * 1.4); }
    double gap() const { return letters * gapShare; }
    double axis() const { return letters * axisShare * 1.4; }
};

Box boxOf(const Node& node, const Style& style) {
    if (node.kind == Node::Kind::Text) {
        const QFontMetricsF metrics(style.of(node));
        return {metrics.horizontalAdvance(node.text), metrics.ascent(), metrics.descent()};
    }
    if (node.kind == Node::Kind::Row) {
        Box all;
        for (const Node& part : node.parts) {
            const Box one = boxOf(part, style);
            all = {all.width + one.width, std::max(all.ascent, one.ascent), std::max(all.descent, one.descent)};
        }
        return all;
    }
    const Box first = boxOf(node.parts.front(), style);
    if (node.kind == Node::Kind::Bracket) {
        const QFontMetricsF metrics(style.plain);
        return {metrics.horizontalAdvance(node.text), std::max(metrics.ascent(), first.ascent),
                std::max(metrics.descent(), first.descent)};
    }
    if (node.kind == Node::Kind::Root)
        return {first.width + style.letters * rootShare * 1.4, first.ascent + style.gap() + style.rule(),
                first.descent};
    const Box second = boxOf(node.parts.back(), style);
    const double around = style.gap() + style.rule() / 2;
    return {std::max(first.width, second.width) + 2 * style.gap(), style.axis() + around + first.ascent + first.descent,
            second.ascent + second.descent + around - style.axis()};
}

void paintNode(QPainter& painter, const Node& node, QPointF baseline, const Style& style) {
    if (node.kind == Node::Kind::Text) {
        painter.setFont(style.of(node));
        painter.drawText(baseline, node.text);
        return;
    }
    if (node.kind == Node::Kind::Row) {
        for (const Node& part : node.parts) {
            paintNode(painter, part, baseline, style);
            baseline.rx() += boxOf(part, style).width;
        }
        return;
    }
    const Box whole = boxOf(node, style), first = boxOf(node.parts.front(), style);
    if (node.kind == Node::Kind::Bracket) {
        const QFontMetricsF metrics(style.plain);
        const double stretch = (whole.ascent + whole.descent) / (metrics.ascent() + metrics.descent());
        painter.save();
        painter.setFont(style.plain);
        painter.translate(baseline.x(), baseline.y() - whole.ascent);
        painter.scale(1, stretch);
        painter.drawText(QPointF(0, metrics.ascent()), node.text);
        painter.restore();
        return;
    }
    if (node.kind == Node::Kind::Root) {
        const double sign = whole.width - first.width;
        const double top = baseline.y() - whole.ascent + style.rule() / 2;
        const QPointF points[]{baseline + QPointF(0, -style.axis()),
                               baseline + QPointF(sign * 0.25, -style.axis() * 1.2),
                               baseline + QPointF(sign * 0.5, first.descent * 0.6), QPointF(baseline.x() + sign, top),
                               QPointF(baseline.x() + whole.width, top)};
        painter.drawPolyline(points, static_cast<int>(std::size(points)));
        paintNode(painter, node.parts.front(), baseline + QPointF(sign, 0), style);
        return;
    }
    const Box second = boxOf(node.parts.back(), style);
    const double line = baseline.y() - style.axis(), around = style.gap() + style.rule() / 2;
    painter.drawLine(QPointF(baseline.x(), line), QPointF(baseline.x() + whole.width, line));
    paintNode(painter, node.parts.front(),
              {baseline.x() + (whole.width - first.width) / 2, line - around - first.descent}, style);
    paintNode(painter, node.parts.back(),
              {baseline.x() + (whole.width - second.width) / 2, line + around + second.ascent}, style);
}

QString latexOf(const Node& node) {
    if (node.kind == Node::Kind::Text || node.kind == Node::Kind::Bracket) return node.text;
    QStringList parts;
    for (const Node& part : node.parts) parts << latexOf(part);
    switch (node.kind) {
    case Node::Kind::Fraction: return QStringLiteral("\\frac{%1}{%2}").arg(parts.front(), parts.back());
    case Node::Kind::Root: return QStringLiteral("\\sqrt{%1}").arg(parts.front());
    default: return parts.join(QString());
    }
}

}  // namespace

std::optional<Formula> Formula::of(const QString& line) {
    static const QRegularExpression relation(QStringLiteral(" [=≈←] ")), other(QStringLiteral("  |[\"'`_{}$#;<>\\\\]"));
    if (!line.contains(relation) || line.contains(other)) return {};
    return Formula(line, std::make_shared<const Node>(rowOf(line)));
}

QSizeF Formula::size(const QFont& font) const {
    const Box extent = boxOf(*whole_, Style(font));
    return {extent.width, extent.ascent + extent.descent};
}

void Formula::paint(QPainter& painter, const QPointF& topLeft, const QFont& font, const QColor& colour) const {
    const Style style(font);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, style.rule()));
    paintNode(painter, *whole_, topLeft + QPointF(0, boxOf(*whole_, style).ascent), style);
    painter.restore();
}

QString Formula::latex() const { return latexOf(*whole_); }

}  // namespace shardlab::ui
