// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/waterfall/waterfall_bars.h"

#include "engine/base/units.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/core/words.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardlab::ui {
namespace {

constexpr int rowHeight = 21;
constexpr int barHeight = 13;
constexpr int margin = 10;
constexpr int smallText = 11;
constexpr int narrow = 340;          ///< pixels below which bars need the room of the seconds
constexpr double leastShare = 5e-5;  ///< of the step: what reads as 0.0 % is left out

QFont sized(QFont font) {
    font.setPixelSize(smallText);
    return font;
}

}  // namespace

WaterfallBars::WaterfallBars(ThemeSource& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setAccessibleName(tr("Where the time of a step goes"));
    connect(&theme_, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void WaterfallBars::setFall(const Waterfall& fall) {
    fall_ = fall;
    parts_.clear();
    for (std::size_t i = 0; i < waterfallParts; ++i)
        if (const auto part = static_cast<WaterfallPart>(i); std::abs(fall.share(part)) >= leastShare)
            parts_.push_back(part);
    setMinimumHeight(rowHeight * (static_cast<int>(parts_.size()) + 1) + 4);
    update();
}

QColor WaterfallBars::colourOf(WaterfallPart part) const {
    const Theme& theme = theme_.theme();
    switch (part) {
    case WaterfallPart::Peak: return theme.good;
    case WaterfallPart::Shape: return mixed(theme.good, theme.panel, 0.5);
    case WaterfallPart::Passes: return theme.action(EventKind::WeightGrad);
    case WaterfallPart::Kernels: return theme.warning;
    case WaterfallPart::Recompute: return theme.action(EventKind::Recompute);
    case WaterfallPart::Bubble: return theme.idle;
    case WaterfallPart::Communication: return theme.action(EventKind::TensorAllReduce);
    case WaterfallPart::Optimizer: return theme.action(EventKind::Optimizer);
    case WaterfallPart::Rest: return theme.dim;
    }
    return theme.dim;
}

QString WaterfallBars::figure(double seconds) const {
    if (width() < narrow) return percent(seconds / fall_.stepSeconds);
    return QStringLiteral("%1  %2").arg(text(formatSeconds(seconds)), percent(seconds / fall_.stepSeconds));
}

QString WaterfallBars::help(WaterfallPart part) const {
    return tr("%1: %2, %3 of the step\n%4")
        .arg(term(name(part)), text(formatSeconds(fall_[part])), percent(fall_.share(part)), term(meaning(part)));
}

void WaterfallBars::paintEvent(QPaintEvent*) {
    if (parts_.empty()) return;
    const Theme& theme = theme_.theme();
    const QFont body = sized(theme.body), mono = sized(theme.mono);
    QPainter painter(this);
    const QString whole = tr("the step");
    int labels = QFontMetrics(body).horizontalAdvance(whole),
        figures = QFontMetrics(mono).horizontalAdvance(figure(fall_.stepSeconds));
    for (const WaterfallPart part : parts_) {
        labels = std::max(labels, QFontMetrics(body).horizontalAdvance(term(name(part))));
        figures = std::max(figures, QFontMetrics(mono).horizontalAdvance(figure(fall_[part])));
    }
    labels = std::min(labels, width() / 3);
    const int left = 2 * margin + labels, right = std::max(left + 20, width() - 2 * margin - figures);
    const double scale = (right - left) / fall_.stepSeconds;
    const auto row = [&](int at, const QString& label, double begin, double seconds, const QColor& colour) {
        const int y = at * rowHeight;
        painter.setFont(body);
        painter.setPen(theme.text);
        painter.drawText(QRect(margin, y, labels, rowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(label, Qt::ElideRight, labels));
        const double from = std::min(begin, begin + seconds);
        painter.fillRect(QRectF(left + from * scale, y + (rowHeight - barHeight) / 2.0,
                                std::max(1.0, std::abs(seconds) * scale), barHeight),
                         colour);
        painter.setFont(mono);
        painter.drawText(QRect(right + margin, y, figures, rowHeight), Qt::AlignRight | Qt::AlignVCenter,
                         figure(seconds));
    };
    double begin = 0;
    int at = 0;
    for (const WaterfallPart part : parts_) {
        row(at, term(name(part)), begin, fall_[part], colourOf(part));
        begin += fall_[part];
        ++at;
        painter.setPen(QPen(theme.grid, 1));
        const double x = left + begin * scale;
        painter.drawLine(QPointF(x, at * rowHeight - (rowHeight - barHeight) / 2.0),
                         QPointF(x, at * rowHeight + (rowHeight - barHeight) / 2.0));
    }
    row(at, whole, 0, fall_.stepSeconds, theme.accent);
}

std::optional<WaterfallPart> WaterfallBars::partAt(const QPoint& place) const {
    const auto row = static_cast<std::size_t>(std::max(0, place.y()) / rowHeight);
    return row < parts_.size() ? std::optional(parts_[row]) : std::nullopt;
}

QString WaterfallBars::wordsAt(const QPoint& at) const {
    const auto part = partAt(at);
    return part ? help(*part) : QString();
}

bool WaterfallBars::event(QEvent* event) { return showsWords(*this, *this, *event) || QWidget::event(event); }

}  // namespace shardlab::ui
