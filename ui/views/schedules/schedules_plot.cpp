// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/schedules/schedules_plot.h"

#include "engine/base/units.h"
#include "engine/layout/mesh/mesh.h"
#include "ui/core/theme.h"
#include "ui/core/field_words.h"
#include "ui/timeline/time_ticks.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int side = 10;
constexpr int titleHeight = 17;
constexpr int gap = 6;
constexpr int timesHeight = 16;
constexpr int leastRow = 4;
constexpr int largestRow = 40;

}  // namespace

SchedulesPlot::SchedulesPlot(ScheduleOutcomes& outcomes, ThemeSource& theme, QWidget* parent)
    : QWidget(parent), outcomes_(outcomes), theme_(theme) {
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&outcomes, &ScheduleOutcomes::outdated, this, [this] { update(); });
    connect(&theme, &ThemeSource::changed, this, [this] { update(); });
}

SchedulesPlot::~SchedulesPlot() = default;

void SchedulesPlot::refresh() {
    blocks_.clear();
    longest_ = 1;
    int least = timesHeight;
    for (const ScheduleOutcome& outcome : outcomes_.outcomes()) {
        Block& block = blocks_.emplace_back();
        least += titleHeight + gap;
        if (!outcome.legal()) continue;
        block.model = std::make_unique<RunModel>();
        block.model->begin(outcome.header, outcome.events);
        block.index = std::make_unique<RunIndex>(*block.model);
        block.index->rebuild();
        block.ranks = Mesh(outcome.layout).group(0, Axis::Pipeline);
        longest_ = std::max(longest_, block.model->prediction().end());
        least += leastRow * static_cast<int>(std::min<std::size_t>(block.ranks.size(), 64));
    }
    setMinimumHeight(least);
    update();
}

void SchedulesPlot::place() {
    int rows = 0, fixed = timesHeight;
    for (const Block& block : blocks_) {
        rows += static_cast<int>(block.ranks.size());
        fixed += titleHeight + gap;
    }
    const int row = std::clamp((height() - fixed) / std::max(1, rows), leastRow, largestRow);
    int top = timesHeight;
    for (Block& block : blocks_) {
        block.top = top;
        block.height = titleHeight + row * static_cast<int>(block.ranks.size());
        top += block.height + gap;
    }
}

QRect SchedulesPlot::blockOf(int row) const {
    const Block& block = blocks_[static_cast<std::size_t>(row)];
    return {0, block.top, width(), block.height};
}

int SchedulesPlot::rowAt(const QPoint& point) const {
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        if (blockOf(static_cast<int>(i)).contains(point)) return static_cast<int>(i);
    return -1;
}

QString SchedulesPlot::description(const ScheduleOutcome& outcome) const {
    if (!outcome.legal()) {
        const Fault& fault = outcome.faults.front();
        return tr("not possible: %1").arg(told(fault.what)) +
               (fault.why.empty() ? QString() : QStringLiteral(", ") + told(fault.why));
    }
    return tr("bubble %1 · %2 · %3")
        .arg(percent(outcome.bubble), text(formatSeconds(outcome.stepSeconds)), text(formatBytes(outcome.peakBytes)));
}

void SchedulesPlot::paintEvent(QPaintEvent*) {
    outcomes_.look();  // painted is what is in sight: behind another tab nothing is
    place();
    const Theme& theme = theme_.theme();
    QPainter painter(this);
    QFont small = theme.body;
    small.setPixelSize(11);
    painter.setFont(small);
    const TimeScale scale{0, longest_, side, std::max(1, width() - 2 * side)};
    const QFontMetrics metrics(small);
    const auto labelled = [&](const QString& label) { return metrics.horizontalAdvance(label); };
    for (const TimeTick& tick : timeTicksWithin(0, longest_, scale.width, labelled)) {
        const int x = static_cast<int>(scale.x(tick.time));
        painter.setPen(theme.grid);
        painter.drawLine(x, timesHeight, x, height());
        if (x + 3 + labelled(tick.label) > width()) continue;
        painter.setPen(theme.dim);
        painter.drawText(x + 3, metrics.ascent() + 1, tick.label);
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) paintBlock(painter, blocks_[i], outcomes_.outcomes()[i]);
}

void SchedulesPlot::paintBlock(QPainter& painter, const Block& block, const ScheduleOutcome& outcome) const {
    const Theme& theme = theme_.theme();
    const QFontMetrics metrics(painter.font());
    const QRect title(side, block.top, width() - 2 * side, titleHeight);
    painter.fillRect(title.adjusted(0, 0, 0, -1), theme.panel);
    const QString name = text(outcome.kind);
    painter.setPen(outcome.legal() ? theme.text : theme.dim);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, name);
    const int used = metrics.horizontalAdvance(name) + 10;
    painter.setPen(outcome.legal() ? (outcome.fits ? theme.dim : theme.bad) : theme.dim);
    painter.drawText(title.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(description(outcome), Qt::ElideRight, title.width() - used));
    if (!block.model) return;
    const int row = (block.height - titleHeight) / std::max(1, static_cast<int>(block.ranks.size()));
    const TimeScale scale{0, longest_, side, std::max(1, width() - 2 * side)};
    // Rows of the timeline have a least height to be read; here the shape of the whole is what counts.
    for (std::size_t i = 0; i < block.ranks.size(); ++i) {
        Rows rows;
        const int top = block.top + titleHeight + static_cast<int>(i) * row;
        rows.arrange({block.ranks[i]}, top, row, false);
        GanttScene scene;
        buildScene(scene, *block.model, *block.index, scale, rows);
        if (row < Rows::leastHeight) scene.numbers.clear();
        painter.save();
        painter.setClipRect(QRect(side, top, scale.width, row - (row > 6 ? 1 : 0)));
        painter.translate(0, row < Rows::leastHeight ? (row - Rows::leastHeight) / 2 : 0);
        paintScene(painter, scene, theme);
        painter.restore();
    }
}

void SchedulesPlot::mousePressEvent(QMouseEvent* event) {
    const int row = rowAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && row >= 0) Q_EMIT picked(row);
}

void SchedulesPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    const int row = rowAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && row >= 0) Q_EMIT taken(row);
}

void SchedulesPlot::mouseMoveEvent(QMouseEvent* event) {
    const int row = rowAt(event->position().toPoint());
    const bool takes = row >= 0 && outcomes_.outcomes()[static_cast<std::size_t>(row)].legal();
    setCursor(takes ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

QString SchedulesPlot::wordsAt(const QPoint& at) const {
    const int row = rowAt(at);
    if (row < 0) return {};
    const ScheduleOutcome& outcome = outcomes_.outcomes()[static_cast<std::size_t>(row)];
    const QString says = outcome.legal()
                             ? description(outcome) + QLatin1Char('\n') + tr("A double click takes this schedule")
                             : faultsText(outcome.faults);
    return text(outcome.kind) + QLatin1Char('\n') + says;
}

bool SchedulesPlot::event(QEvent* event) { return showsWords(*this, *this, *event) || QWidget::event(event); }

}  // namespace shardlab::ui
