// SPDX-License-Identifier: GPL-3.0-or-later
// Bars of gradients by exponent over fp16's range. Left and Right walk along the bars, so does the mouse.
#pragma once

#include "ui/core/words_at.h"
#include "ui/views/gradients/exponent_histogram.h"

#include <QWidget>

#include <optional>

namespace shardlab::ui {

class ThemeSource;
struct Theme;

/// What becomes of a number with this exponent in fp16.
enum class HalfRange { Vanishes, Subnormal, Kept, Infinite };
constexpr HalfRange halfRange(int exponent) {
    return exponent < fp16Smallest         ? HalfRange::Vanishes
           : exponent < fp16SmallestNormal ? HalfRange::Subnormal
           : exponent <= fp16Largest       ? HalfRange::Kept
                                           : HalfRange::Infinite;
}
QColor colourOf(HalfRange range, const Theme& theme);

class ExponentsPlot : public QWidget, public WordsAt {
    Q_OBJECT
public:
    ExponentsPlot(ThemeSource& theme, QWidget* parent);
    QString wordsAt(const QPoint& at) const override;
    void setCounts(const ExponentCounts& counts);
    void setLogarithmic(bool logarithmic);
    bool logarithmic() const { return logarithmic_; }
    /// The exponent that is pointed at; none at first.
    std::optional<int> marked() const { return marked_; }
    /// "2⁻²⁰ to 2⁻¹⁹ · 12.3 k gradients · 3.2 %" of the marked bar.
    QString markedText() const;
    /// Where an exponent's bar stands, from the axis to its top.
    QRect barOf(int exponent) const;
    QSize minimumSizeHint() const override { return {140, 48}; }

Q_SIGNALS:
    void markedChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    QRect area() const;
    std::optional<int> exponentAt(double x) const;
    QString textOf(int exponent) const;
    double heightOf(double count) const;
    double x(double exponent) const;
    void mark(std::optional<int> exponent);
    void paintRanges(QPainter& painter) const;
    void paintAxes(QPainter& painter) const;

    ThemeSource& theme_;
    ExponentCounts counts_;
    double largest_ = 0;
    int first_ = -28;  ///< exponents in sight
    int last_ = 18;
    bool logarithmic_ = false;
    std::optional<int> marked_;
};

}  // namespace shardlab::ui
