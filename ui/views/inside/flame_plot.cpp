// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/inside/flame_plot.h"

#include "engine/base/units.h"
#include "ui/core/selection.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/timeline/event_text.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int rowHeight = 19;
constexpr int margin = 8;
constexpr int leastText = 24;  ///< pixels of a bar that has room for letters

}  // namespace

FlamePlot::FlamePlot(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    setAccessibleName(tr("What lies within the action"));
    connect(&context_.theme, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
    connect(&context_.selection, &Selection::eventChanged, this, qOverload<>(&QWidget::update));
}

void FlamePlot::setFlame(Flame flame) {
    flame_ = std::move(flame);
    setMinimumHeight(flame_.rows * rowHeight + 4);
    update();
}

QRect FlamePlot::rectOf(const Flame::Bar& bar) const {
    const double all = static_cast<double>(std::max<std::int64_t>(1, whole().end - whole().begin));
    const int room = std::max(1, width() - 2 * margin);
    const auto x = [&](std::int64_t time) {
        return margin + static_cast<int>(static_cast<double>(time - whole().begin) / all * room);
    };
    const int left = x(bar.event.begin);
    return {left, 2 + bar.row * rowHeight, std::max(1, x(bar.event.end) - left), rowHeight - 2};
}

const Flame::Bar* FlamePlot::barAt(const QPoint& at) const {
    // The later one is drawn above.
    const auto found = std::find_if(flame_.bars.rbegin(), flame_.bars.rend(),
                                    [&](const Flame::Bar& bar) { return rectOf(bar).contains(at); });
    return found == flame_.bars.rend() ? nullptr : &*found;
}

QString FlamePlot::wordsAt(const QPoint& at) const {
    const Flame::Bar* bar = barAt(at);
    if (!bar) return {};
    QString words = hoverText(context_.model, bar->event);
    if (bar->row > 0 && whole().end > whole().begin)
        words += tr("\n%1 of %2")
                     .arg(percent(static_cast<double>(bar->event.end - bar->event.begin) /
                                  static_cast<double>(whole().end - whole().begin)),
                          flameText(context_.model, whole()));
    return words;
}

void FlamePlot::paintEvent(QPaintEvent*) {
    if (flame_.bars.empty()) return;
    QPainter painter(this);
    const Theme& theme = context_.theme.theme();
    QFont small = theme.body;
    small.setPixelSize(11);
    painter.setFont(small);
    const QFontMetrics metrics(small);
    for (const Flame::Bar& bar : flame_.bars) {
        const QRect place = rectOf(bar);
        const QColor colour = theme.action(bar.event.kind);
        painter.fillRect(place.adjusted(0, 0, place.width() > 3 ? -1 : 0, 0), colour);
        if (place.width() >= leastText) {
            painter.setPen(readableOn(colour));
            painter.drawText(
                place.adjusted(4, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter,
                metrics.elidedText(flameText(context_.model, bar.event), Qt::ElideRight, place.width() - 8));
        }
        if (context_.selection.event() != bar.event) continue;
        painter.setPen(QPen(theme.text, 1));
        painter.drawRect(place.adjusted(0, 0, -1, -1));
    }
}

void FlamePlot::mousePressEvent(QMouseEvent* event) {
    const Flame::Bar* bar = event->button() == Qt::LeftButton ? barAt(event->position().toPoint()) : nullptr;
    if (!bar) return;
    const Event chosen = bar->event;
    if (bar->row == 0) Q_EMIT left();
    else Q_EMIT picked(chosen);
}

void FlamePlot::mouseDoubleClickEvent(QMouseEvent* event) {
    const Flame::Bar* bar = event->button() == Qt::LeftButton ? barAt(event->position().toPoint()) : nullptr;
    if (!bar || bar->row == 0) return;
    const Event chosen = bar->event;
    Q_EMIT entered(chosen);
}

bool FlamePlot::event(QEvent* event) { return showsWords(*this, *this, *event) || QWidget::event(event); }

}  // namespace shardlab::ui
