// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/gradients/exponents_plot.h"

#include "engine/base/units.h"
#include "ui/core/overflow.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardlab::ui {

namespace {

constexpr int fewest = fp16Smallest - 4;  ///< exponents that are always in sight: fp16's range and what is beyond it
constexpr int most = fp16Largest + 3;
constexpr double decades = 6;  ///< of a logarithmic axis, from the largest bar down

QFont axisFont(const Theme& theme) {
    QFont font = theme.body;
    font.setPixelSize(11);
    return font;
}

struct RangeOfExponents {
    HalfRange range;
    int first, last;
    const char* name;
};
constexpr RangeOfExponents ranges[]{
    {HalfRange::Vanishes, firstExponent, fp16Smallest - 1,
     QT_TRANSLATE_NOOP("shardlab::ui::ExponentsPlot", "vanishes")},
    {HalfRange::Subnormal, fp16Smallest, fp16SmallestNormal - 1,
     QT_TRANSLATE_NOOP("shardlab::ui::ExponentsPlot", "subnormal")},
    {HalfRange::Kept, fp16SmallestNormal, fp16Largest,
     QT_TRANSLATE_NOOP("shardlab::ui::ExponentsPlot", "range of fp16")},
    {HalfRange::Infinite, fp16Largest + 1, firstExponent + exponentBins - 1,
     QT_TRANSLATE_NOOP("shardlab::ui::ExponentsPlot", "infinite")},
};

}  // namespace

QColor colourOf(HalfRange range, const Theme& theme) {
    switch (range) {
    case HalfRange::Vanishes:
    case HalfRange::Infinite: return theme.action(EventKind::Overflow);
    case HalfRange::Subnormal: return theme.action(EventKind::Backward);
    case HalfRange::Kept: return theme.action(EventKind::GradientExponents);
    }
    return theme.dim;
}

ExponentsPlot::ExponentsPlot(ThemeSource& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Gradients by exponent. Left and Right walk along the bars"));
    connect(&theme_, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void ExponentsPlot::setCounts(const ExponentCounts& counts) {
    counts_ = counts;
    largest_ = *std::max_element(counts.bins.begin(), counts.bins.end());
    first_ = fewest;
    last_ = most;
    for (int bin = 0; bin < exponentBins; ++bin) {
        if (counts.bins[static_cast<std::size_t>(bin)] <= 0) continue;
        first_ = std::min(first_, firstExponent + bin);
        last_ = std::max(last_, firstExponent + bin);
    }
    update();
    Q_EMIT markedChanged();
}

void ExponentsPlot::setLogarithmic(bool logarithmic) {
    logarithmic_ = logarithmic;
    update();
}

QRect ExponentsPlot::area() const {
    const QFontMetrics metrics(axisFont(theme_.theme()));
    const int left = metrics.horizontalAdvance(QStringLiteral("0.001 %")) + 14;
    return rect().adjusted(left, metrics.height() + 4, -10, -metrics.height() - 6);
}

double ExponentsPlot::x(double exponent) const {
    const QRect place = area();
    return place.left() + (exponent - first_) / (last_ + 1 - first_) * place.width();
}

double ExponentsPlot::heightOf(double count) const {
    if (count <= 0 || largest_ <= 0) return 0;
    const double share = logarithmic_ ? 1 + std::log10(count / largest_) / decades : count / largest_;
    return std::max(0.0, share) * area().height() * 0.96;
}

QRect ExponentsPlot::barOf(int exponent) const {
    const int left = static_cast<int>(std::lround(x(exponent)));
    const int right = static_cast<int>(std::lround(x(exponent + 1)));
    const double count = counts_.within(exponent, exponent);
    // What is there is never drawn as nothing.
    const int height = std::max(count > 0 ? 1 : 0, static_cast<int>(std::lround(heightOf(count))));
    return {left, area().bottom() + 1 - height, std::max(1, right - left - (right - left > 3 ? 1 : 0)), height};
}

void ExponentsPlot::paintRanges(QPainter& painter) const {
    const Theme& theme = theme_.theme();
    const QFontMetrics metrics(axisFont(theme));
    for (const RangeOfExponents& range : ranges) {
        const int left = static_cast<int>(x(std::max(range.first, first_)));
        const int right = static_cast<int>(x(std::min(range.last, last_) + 1));
        if (right <= left) continue;
        QColor shade = colourOf(range.range, theme);
        shade.setAlpha(range.range == HalfRange::Kept ? 0 : theme.dark ? 34 : 28);
        painter.fillRect(QRect(left, area().top(), right - left, area().height()), shade);
        const QString name = tr(range.name);
        if (metrics.horizontalAdvance(name) > right - left) continue;
        painter.setPen(theme.dim);
        painter.drawText(QRect(left, 0, right - left, area().top()), Qt::AlignCenter | Qt::TextSingleLine, name);
    }
}

void ExponentsPlot::paintAxes(QPainter& painter) const {
    const Theme& theme = theme_.theme();
    const QRect place = area();
    const QFontMetrics metrics(painter.font());
    const double all = counts_.all();
    const auto level = [&](double count) {
        const int y = place.bottom() + 1 - static_cast<int>(std::lround(heightOf(count)));
        painter.setPen(theme.grid);
        painter.drawLine(place.left(), y, place.right(), y);
        painter.setPen(theme.dim);
        painter.drawText(QRect(0, y - 9, place.left() - 6, 18), Qt::AlignRight | Qt::AlignVCenter,
                         percent(count / all));
    };
    if (largest_ > 0 && all > 0) {
        const int levels = place.height() > 90 ? 4 : place.height() > 45 ? 2 : 1;
        for (int i = 1; i <= levels; ++i) {
            if (logarithmic_) level(largest_ * std::pow(10.0, -decades * (1 - static_cast<double>(i) / levels)));
            else level(largest_ * i / levels);
        }
    }
    painter.setPen(theme.border);
    painter.drawLine(place.left(), place.bottom() + 1, place.right(), place.bottom() + 1);
    painter.setPen(theme.dim);
    const double perExponent = static_cast<double>(place.width()) / (last_ + 1 - first_);
    const int widest = metrics.horizontalAdvance(powerOfTwo(-24)) + 8;
    int free = 0;
    for (int exponent = first_; exponent <= last_; ++exponent) {
        // The borders of fp16 first of all, others where there is room.
        const bool border = exponent == fp16Smallest || exponent == fp16SmallestNormal || exponent == fp16Largest + 1;
        if (!border &&
            (exponent % 8 != 0 || std::min({std::abs(exponent - fp16Smallest), std::abs(exponent - fp16SmallestNormal),
                                            std::abs(exponent - fp16Largest - 1)}) *
                                          perExponent <
                                      widest))
            continue;
        const int at = static_cast<int>(x(exponent));
        if (at - widest / 2 < free || at + widest / 2 > width()) continue;
        painter.drawText(QRect(at - widest / 2, place.bottom() + 4, widest, metrics.height()),
                         Qt::AlignCenter | Qt::TextSingleLine, powerOfTwo(exponent));
        free = at + widest / 2;
    }
}

void ExponentsPlot::paintEvent(QPaintEvent*) {
    const Theme& theme = theme_.theme();
    QPainter painter(this);
    painter.fillRect(rect(), theme.panel);
    painter.setFont(axisFont(theme));
    paintRanges(painter);
    paintAxes(painter);
    for (int exponent = first_; exponent <= last_; ++exponent) {
        const QRect bar = barOf(exponent);
        if (bar.height() > 0) painter.fillRect(bar, colourOf(halfRange(exponent), theme));
        if (marked_ == exponent) {
            painter.setPen(theme.text);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(QRect(bar.left() - 1, std::min(bar.top(), area().bottom() - 4), bar.width() + 1,
                                   std::max(bar.height(), 5)));
        }
    }
}

void ExponentsPlot::mark(std::optional<int> exponent) {
    if (marked_ == exponent) return;
    marked_ = exponent;
    setAccessibleDescription(markedText());
    update();
    Q_EMIT markedChanged();
}

QString ExponentsPlot::textOf(int exponent) const {
    const double count = counts_.within(exponent, exponent);
    return tr("%1 to %2 · %3 gradients · %4")
        .arg(powerOfTwo(exponent), powerOfTwo(exponent + 1), QString::fromStdString(formatCount(count)),
             percent(count / counts_.all()));
}

QString ExponentsPlot::markedText() const { return marked_ && counts_.all() > 0 ? textOf(*marked_) : QString(); }

std::optional<int> ExponentsPlot::exponentAt(double x) const {
    const QRect place = area();
    if (x < place.left() || x >= place.right()) return {};
    return first_ + static_cast<int>((x - place.left()) / place.width() * (last_ + 1 - first_));
}

QString ExponentsPlot::wordsAt(const QPoint& at) const {
    const auto exponent = exponentAt(at.x());
    return exponent && counts_.all() > 0 ? textOf(*exponent) : QString();
}

void ExponentsPlot::mouseMoveEvent(QMouseEvent* event) { mark(exponentAt(event->position().x())); }

void ExponentsPlot::leaveEvent(QEvent*) { mark({}); }

void ExponentsPlot::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    if (event->reason() != Qt::MouseFocusReason && !marked_ && counts_.all() > 0)
        mark(firstExponent +
             static_cast<int>(std::max_element(counts_.bins.begin(), counts_.bins.end()) - counts_.bins.begin()));
}

void ExponentsPlot::keyPressEvent(QKeyEvent* event) {
    const int now = marked_.value_or(fp16SmallestNormal);
    switch (event->key()) {
    case Qt::Key_Left: return mark(std::max(first_, now - 1));
    case Qt::Key_Right: return mark(std::min(last_, now + 1));
    case Qt::Key_Home: return mark(first_);
    case Qt::Key_End: return mark(last_);
    default: QWidget::keyPressEvent(event);
    }
}

}  // namespace shardlab::ui
