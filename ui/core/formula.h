// SPDX-License-Identifier: GPL-3.0-or-later
// A formula as mathematics is set: fractions on top of each other, roots with a line over what they are of, variables
// in italics. It is written as a line of text: "bubble = (p−1)/(m+p−1)".
#pragma once

#include <QColor>
#include <QFont>
#include <QSizeF>
#include <QString>

#include <memory>
#include <optional>

class QPainter;

namespace shardlab::ui {

class Formula {
public:
    struct Node;  ///< a part of it, which formula.cpp knows

    /// None where the line is no formula: it says of nothing what it is, is set in columns, or is a command.
    static std::optional<Formula> of(const QString& line);

    const QString& text() const { return text_; }
    /// Pixels, in that font.
    QSizeF size(const QFont& font) const;
    void paint(QPainter& painter, const QPointF& topLeft, const QFont& font, const QColor& colour) const;
    /// In the form of LaTeX: "bubble = \\frac{p−1}{m+p−1}"; for tests, and whoever copies it.
    QString latex() const;

private:
    Formula(QString text, std::shared_ptr<const Node> whole) : text_(std::move(text)), whole_(std::move(whole)) {}

    QString text_;
    std::shared_ptr<const Node> whole_;
};

}  // namespace shardlab::ui
