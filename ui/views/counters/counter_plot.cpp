// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/counters/counter_plot.h"

#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardlab::ui {
namespace {

constexpr int titleHeight = 16;
constexpr int footHeight = 5;
constexpr int leastHeight = 58;
constexpr int mostHeight = 140;

/// From 0 where that costs less than half of the height; never without a height, but where there are no values.
Extent scaleOf(Extent values) {
    if (values.empty()) return values;
    if (values.low >= 0 && values.low <= values.high / 2) values.low = 0;
    const double room = values.high > values.low ? 0 : std::max(1.0, std::abs(values.high)) / 2;
    return {values.low - room, values.high + room};
}

}  // namespace

std::vector<Extent> columnsOf(const CounterSeries& series, const TimeScale& scale, std::int64_t end) {
    std::vector<Extent> columns(static_cast<std::size_t>(scale.width));
    const std::vector<CounterSample>& samples = series.samples();
    std::size_t before = series.until(scale.columnBegin(0) - 1);
    for (int column = 0; column < scale.width && scale.columnBegin(column) <= end; ++column) {
        const std::int64_t next = scale.columnBegin(column + 1);
        const bool fresh = before < samples.size() && samples[before].time < next;
        const std::size_t until = fresh ? series.until(next - 1) : before;
        Extent& held = columns[static_cast<std::size_t>(column)];
        held = series.extent(before, until);
        if (before > 0) held.add(samples[before - 1].value);
        before = until;
    }
    return columns;
}

QString ShownCounter::number(double value) const {
    if (bytes && std::abs(value) < 9e18) return text(formatBytes(static_cast<std::int64_t>(value)));
    const QString told =
        std::isfinite(value) && std::abs(value) >= 1e4 ? text(formatCount(value)) : QString::number(value, 'g', 4);
    return unit.isEmpty() ? told : told + QLatin1Char(' ') + unit;
}

QString ShownCounter::numbers(const Extent& extent) const {
    const QString low = number(extent.low), high = number(extent.high);
    return low == high ? low : CounterPlot::tr("%1 to %2").arg(low, high);
}

CounterPlot::CounterPlot(const ViewContext& context, QWidget* parent) : TimePlot(context, parent) {}

void CounterPlot::show(std::vector<ShownCounter> counters, std::vector<int> ranks) {
    counters_ = std::move(counters);
    ranks_.assign(static_cast<std::size_t>(context_.model.ranks()), false);
    for (const int rank : ranks) ranks_[static_cast<std::size_t>(rank)] = true;
    charts_.clear();
    setMinimumHeight(std::max(1, static_cast<int>(counters_.size())) * leastHeight);
    update();
}

std::vector<std::pair<int, const CounterSeries*>> CounterPlot::seriesOf(const ShownCounter& counter) const {
    std::vector<std::pair<int, const CounterSeries*>> shown;
    if (const Counter* known = context_.model.points().counters().find(counter.kind, counter.name))
        for (const auto& [rank, series] : known->ranks)
            if (static_cast<std::size_t>(rank) < ranks_.size() && ranks_[static_cast<std::size_t>(rank)])
                shown.emplace_back(rank, &series);
    return shown;
}

const CounterPlot::Chart& CounterPlot::chart(std::size_t counter) const {
    Chart& chart = charts_[counter];
    const TimeScale now = scale();
    if (chart.scale == now && !chart.band.empty()) return chart;
    chart = {.scale = now, .rank = -1, .line = {}, .band = std::vector<Extent>(std::size_t(now.width)), .values = {}};
    for (const auto& [rank, series] : seriesOf(counters_[counter])) {
        std::vector<Extent> columns = columnsOf(*series, now, context_.model.recorded().last);
        for (std::size_t i = 0; i < columns.size(); ++i) chart.band[i].add(columns[i]);
        if (chart.rank >= 0 && rank != context_.selection.rank()) continue;
        chart.rank = rank;
        chart.line = std::move(columns);
    }
    for (const Extent& column : chart.band) chart.values.add(column);
    chart.values = scaleOf(chart.values);
    return chart;
}

QRect CounterPlot::area(std::size_t counter) const {
    const int count = std::max(1, static_cast<int>(counters_.size()));
    const int each = std::clamp(height() / count, leastHeight, mostHeight);
    return columns(static_cast<int>(counter) * each + titleHeight, each - titleHeight - footHeight);
}

std::optional<std::size_t> CounterPlot::counterAt(int y) const {
    if (counters_.empty() || y < 0) return std::nullopt;
    const auto counter = static_cast<std::size_t>(y / (area(0).height() + titleHeight + footHeight));
    return counter < counters_.size() ? std::optional(counter) : std::nullopt;
}

CounterPlot::Moment CounterPlot::moment(std::size_t counter, std::int64_t time) const {
    Moment moment;
    const int line = chart(counter).rank;
    for (const auto& [rank, series] : seriesOf(counters_[counter])) {
        const CounterSample* held = series->at(time);
        if (!held) continue;
        if (rank == line) moment.line = held;
        if (!std::isfinite(held->value)) continue;
        if (held->value < moment.all.low) moment.lowest = rank;
        if (held->value > moment.all.high) moment.highest = rank;
        moment.all.add(held->value);
    }
    return moment;
}

int CounterPlot::y(const Chart& chart, const QRect& area, double value) const {
    const double share = (value - chart.values.low) / (chart.values.high - chart.values.low);
    return area.bottom() - static_cast<int>(std::lround(share * (area.height() - 1)));
}

bool CounterPlot::wheelPans() const { return !parentWidget() || height() <= parentWidget()->height(); }

void CounterPlot::paintEvent(QPaintEvent* event) {
    if (context_.model.empty() || counters_.empty()) return;
    QPainter painter(this);
    QFont small = context_.theme.theme().body;
    small.setPixelSize(11);
    painter.setFont(small);
    const QRect exposed = event->rect();
    const std::size_t first = counterAt(std::max(0, exposed.top())).value_or(counters_.size());
    for (std::size_t i = first; i < counters_.size() && area(i).top() - titleHeight <= exposed.bottom(); ++i)
        paint(painter, i);
}

void CounterPlot::paint(QPainter& painter, std::size_t counter) const {
    const Theme& theme = context_.theme.theme();
    const ShownCounter& shown = counters_[counter];
    const Chart& drawn = chart(counter);
    const QRect place = area(counter);
    painter.setPen(theme.grid);
    painter.drawLine(place.left(), place.bottom(), place.right(), place.bottom());
    painter.setPen(theme.dim);
    const QFontMetrics metrics(painter.font());
    const auto label = [&](int top, double value) {
        painter.drawText(QRect(0, top, place.left() - 6, metrics.height()), Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(shown.number(value), Qt::ElideRight, place.left() - 6));
    };
    if (!drawn.values.empty()) {
        label(place.top() - metrics.height() / 2, drawn.values.high);
        label(place.bottom() - metrics.height() * 3 / 4, drawn.values.low);
    }

    const std::int64_t last = context_.model.recorded().last, cursor = context_.selection.cursor();
    const Moment told = moment(counter, cursor >= 0 ? cursor : std::min(last, drawn.scale.end));
    QString figures;
    if (told.line) figures = tr("rank %1: %2").arg(drawn.rank).arg(shown.number(told.line->value));
    if (told.lowest != told.highest) figures += QStringLiteral(" · ") + tr("all: %1").arg(shown.numbers(told.all));
    const int room = place.width() - std::min(metrics.horizontalAdvance(figures) + 12, place.width() * 2 / 3);
    const QRect head(place.left(), place.top() - titleHeight, place.width(), titleHeight);
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(figures, Qt::ElideRight, place.width() - room));
    painter.setPen(theme.text);
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(shown.title, Qt::ElideMiddle, room));

    const auto fill = [&](const std::vector<Extent>& columns, const QColor& colour) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].empty()) continue;
            const int top = y(drawn, place, columns[i].high), bottom = y(drawn, place, columns[i].low);
            painter.fillRect(place.left() + static_cast<int>(i), top, 1, bottom - top + 1, colour);
        }
    };
    fill(drawn.band, mixed(theme.panel, theme.accent, 0.35));
    fill(drawn.line, theme.accent);
    paintMoments(painter, place);
}

QString CounterPlot::wordsAt(const QPoint& at) const {
    const auto counter = counterAt(at.y());
    if (!counter || !area(*counter).contains(at)) return {};
    const ShownCounter& shown = counters_[*counter];
    const std::int64_t time = scale().time(at.x() + 0.5);
    const Moment told = time <= context_.model.recorded().last ? moment(*counter, time) : Moment();
    QStringList lines;
    if (told.line) {
        lines += tr("rank %1: %2").arg(chart(*counter).rank).arg(shown.number(told.line->value));
        if (told.line->step >= 0) lines.back() += QStringLiteral(" · ") + tr("step %1").arg(told.line->step);
    }
    if (told.lowest != told.highest)
        lines += tr("least %1 on rank %2, most %3 on rank %4")
                     .arg(shown.number(told.all.low))
                     .arg(told.lowest)
                     .arg(shown.number(told.all.high))
                     .arg(told.highest);
    if (!lines.isEmpty()) lines.prepend(shown.title);
    return lines.join(QLatin1Char('\n'));
}

void CounterPlot::clicked(const QPoint& at) {
    const auto counter = counterAt(at.y());
    if (!counter) return;
    const std::int64_t time = scale().time(at.x() + 0.5);
    int nearest = -1, distance = 0;
    const Chart& drawn = chart(*counter);
    for (const auto& [rank, series] : seriesOf(counters_[*counter])) {
        const CounterSample* held = series->at(time);
        if (!held || !std::isfinite(held->value) || drawn.values.empty()) continue;
        const int away = std::abs(y(drawn, area(*counter), held->value) - at.y());
        if (nearest >= 0 && away >= distance) continue;
        nearest = rank;
        distance = away;
    }
    if (nearest >= 0) context_.selection.setRank(nearest);
    putCursor(time);
}

}  // namespace shardlab::ui
