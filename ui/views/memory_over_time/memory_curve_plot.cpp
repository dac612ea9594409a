// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/memory_over_time/memory_curve_plot.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/theme.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/core/words.h"

#include <QPainter>
#include <QPainterPath>
#include <QPolygon>
#include <QScrollBar>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace shardlab::ui {

namespace {

constexpr int above = 16;  ///< room for the peak's label
constexpr int below = 5;

QString bytesText(std::int64_t bytes) { return QString::fromStdString(formatBytes(bytes)); }

/// The fullest point of [begin, end), what was held at its begin included; nullptr where nothing is known.
const MemoryPoint* fullest(const MemoryCurve& curve, std::int64_t begin, std::int64_t end) {
    const MemoryPoint* best = curve.at(begin);
    auto point = std::upper_bound(curve.points.begin(), curve.points.end(), begin,
                                  [](std::int64_t time, const MemoryPoint& p) { return time < p.time; });
    for (; point != curve.points.end() && point->time < end; ++point)
        if (!best || total(point->bytes) > total(best->bytes)) best = &*point;
    return best;
}

/// What one category fills over the time. One shape: columns side by side would show their edges in a drawing.
class Band {
public:
    /// `x`: the next column; from `foot` up to `head`.
    void add(int x, int foot, int head) {
        extend(feet_, x, foot);
        extend(heads_, x, head);
    }
    QPolygon outline() const {
        QPolygon whole = heads_;
        std::copy(feet_.rbegin(), feet_.rend(), std::back_inserter(whole));
        return whole;
    }

private:
    static void extend(QPolygon& edge, int x, int y) {
        if (!edge.isEmpty() && edge.back().y() == y) edge.back().setX(x + 1);
        else edge << QPoint(x, y) << QPoint(x + 1, y);
    }

    QPolygon heads_, feet_;
};

}  // namespace

MemoryCurvePlot::MemoryCurvePlot(const ViewContext& context, QWidget* parent)
    : TimePlot(context, parent), beside_(child<QScrollBar>(Qt::Vertical, this)) {
    beside_->hide();
    setMinimumSize(120, 56);
}

void MemoryCurvePlot::setCurves(MemoryCurves curves) {
    curves_ = std::move(curves);
    std::int64_t largest = std::max<std::int64_t>({1, curves_.filled.peak, curves_.predicted.peak});
    if (const MemoryPoint* highest = curves_.filled.highest()) largest = std::max(largest, total(highest->bytes));
    // A limit far above would press the curve flat: it is named in the head instead.
    if (const std::int64_t usable = curves_.device.usableBytes(); curves_.device.known() && usable <= 3 * largest)
        largest = std::max(largest, usable);
    top_ = largest + largest / 16;
    update();
}

std::int64_t MemoryCurvePlot::top() const { return top_; }

bool MemoryCurvePlot::limitInSight() const { return curves_.device.known() && curves_.device.usableBytes() <= top_; }

int MemoryCurvePlot::besideWidth() const { return beside_->sizeHint().width(); }

QRect MemoryCurvePlot::plotArea() const { return columns(above, plotHeight()); }

int MemoryCurvePlot::plotHeight() const { return std::max(1, height() - above - below); }

int MemoryCurvePlot::y(std::int64_t bytes) const {
    const int tall = plotHeight();
    return above + tall - static_cast<int>(std::lround(static_cast<double>(bytes) / static_cast<double>(top_) * tall));
}

QPoint MemoryCurvePlot::pointOf(std::int64_t time, std::int64_t bytes) const {
    return {static_cast<int>(std::floor(scale().x(time))), y(bytes)};
}

void MemoryCurvePlot::paintEvent(QPaintEvent*) {
    if (context_.model.empty()) return;
    QPainter painter(this);
    const Theme& theme = context_.theme.theme();
    const QRect area = plotArea();
    QFont small = theme.body;
    small.setPixelSize(11);
    painter.setFont(small);
    for (const double share : {0.0, 0.5, 1.0}) {
        const auto bytes = static_cast<std::int64_t>(
            share * static_cast<double>(std::max<std::int64_t>(curves_.filled.peak, curves_.predicted.peak)));
        painter.setPen(theme.grid);
        painter.drawLine(area.left(), y(bytes), area.right(), y(bytes));
        if (area.height() < 40 && share > 0 && share < 1) continue;
        painter.setPen(theme.dim);
        const QRect place(0, std::clamp(y(bytes) - 8, 0, height() - 15), area.left() - 6, 15);
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, share > 0 ? bytesText(bytes) : QStringLiteral("0"));
    }
    painter.setClipRect(area.adjusted(0, -above, 0, below));
    paintStack(painter);
    paintPredicted(painter);
    paintMarks(painter);
}

void MemoryCurvePlot::paintStack(QPainter& painter) const {
    const TimeScale time = scale();
    std::array<Band, memoryCategoryCount> bands;
    for (int column = 0; column < time.width; ++column) {
        const MemoryPoint* point = fullest(curves_.filled, time.columnBegin(column), time.columnBegin(column + 1));
        if (!point) continue;
        if (time.columnBegin(column) > curves_.knownUntil) break;
        std::int64_t sum = 0;
        for (std::size_t category = 0; category < bands.size(); ++category) {
            const int foot = y(sum);
            sum += point->bytes[category];
            bands[category].add(time.left + column, foot, y(sum));
        }
    }
    painter.setPen(Qt::NoPen);
    for (std::size_t category = 0; category < bands.size(); ++category) {
        painter.setBrush(context_.theme.theme().memory(static_cast<MemoryCategory>(category)));
        painter.drawPolygon(bands[category].outline());
    }
}

void MemoryCurvePlot::paintPredicted(QPainter& painter) const {
    if (!curves_.measured || curves_.predicted.points.empty()) return;
    const Theme& theme = context_.theme.theme();
    const TimeScale time = scale();
    QPainterPath path;
    for (const std::int64_t offset : curves_.offsets) {
        bool first = true;
        const int from = std::max(0, static_cast<int>(time.x(offset)) - time.left);
        const int to = std::min(time.width, static_cast<int>(time.x(offset + curves_.predictedEnd)) - time.left);
        for (int column = from; column < to; ++column) {
            const MemoryPoint* point =
                fullest(curves_.predicted, time.columnBegin(column) - offset, time.columnBegin(column + 1) - offset);
            if (!point) continue;
            const QPointF at(time.left + column + 0.5, y(total(point->bytes)));
            if (first) path.moveTo(at);
            else path.lineTo(at);
            first = false;
        }
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.panel, 3));
    painter.drawPath(path);
    painter.setPen(QPen(theme.text, 1));
    painter.drawPath(path);
}

void MemoryCurvePlot::paintMarks(QPainter& painter) const {
    const Theme& theme = context_.theme.theme();
    const TimeScale time = scale();
    const QRect area = plotArea();
    const Selection& selection = context_.selection;
    if (const auto& event = selection.event(); event && event->rank == curves_.rank) {
        const int left = std::max(area.left(), static_cast<int>(time.x(event->begin)));
        const int right = std::min(area.right(), static_cast<int>(time.x(event->end)));
        if (right >= left) {
            painter.setPen(QPen(theme.text, 1));
            painter.drawLine(left, area.top(), left, area.bottom());
            painter.drawLine(right, area.top(), right, area.bottom());
        }
    }
    if (limitInSight()) {
        const int limit = y(curves_.device.usableBytes());
        painter.setPen(QPen(theme.bad, 1, Qt::DashLine));
        painter.drawLine(area.left(), limit, area.right(), limit);
    }
    const QRect peak = paintPeak(painter);
    if (limitInSight()) paintLimitLabel(painter, peak);
    paintMoments(painter, area);
}

/// Where its label is; the line of the limit, which may run there, leaves it free.
QRect MemoryCurvePlot::paintPeak(QPainter& painter) const {
    const Theme& theme = context_.theme.theme();
    const TimeScale time = scale();
    const QRect area = plotArea();
    const QFontMetrics metrics(painter.font());
    const std::int64_t peak = curves_.filled.peak;
    if (peak <= 0) return {};
    const bool tooMuch = !curves_.device.holds(peak);
    const QColor colour = tooMuch ? theme.bad : theme.text;
    QString label = tr("peak %1").arg(bytesText(peak));
    int at = area.left() + 4;
    if (curves_.measured) {
        if (curves_.predicted.peak > 0) label += tr(" · predicted %1").arg(bytesText(curves_.predicted.peak));
        painter.setPen(QPen(colour, 1, Qt::DashLine));
        painter.drawLine(area.left(), y(peak), area.right(), y(peak));
    } else if (const MemoryPoint* highest = curves_.filled.highest()) {
        at = static_cast<int>(time.x(highest->time));
        QPainterPath mark;
        mark.moveTo(at, y(peak));
        mark.lineTo(at - 4, y(peak) - 6);
        mark.lineTo(at + 4, y(peak) - 6);
        mark.closeSubpath();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.fillPath(mark, colour);
        painter.setRenderHint(QPainter::Antialiasing, false);
        at += 8;
    }
    const int width = metrics.horizontalAdvance(label);
    at = std::clamp(at, area.left() + 4, std::max(area.left() + 4, area.right() - width));
    const int baseline = y(peak) - 3;
    const QRect place(at - 2, baseline - metrics.ascent(), width + 4, metrics.ascent() + 2);
    painter.fillRect(place, theme.panel);
    painter.setPen(colour);
    painter.drawText(at, baseline, label);
    return place;
}

/// Above the line and above the curve, which may rise over the line, and beside the label of the peak.
void MemoryCurvePlot::paintLimitLabel(QPainter& painter, const QRect& peak) const {
    const QRect area = plotArea();
    const QFontMetrics metrics(painter.font());
    const std::int64_t usable = curves_.device.usableBytes();
    const QString label = tr("usable %1").arg(bytesText(usable));
    const int width = metrics.horizontalAdvance(label);
    const int baseline = y(std::max({usable, curves_.filled.peak, curves_.predicted.peak})) - 3;
    painter.setPen(context_.theme.theme().bad);
    constexpr int beside = 12;  // of the mark that stands before the peak's label
    for (const int at : {area.right() - width - 4, area.left() + 4}) {
        if (peak.intersects(QRect(at - beside, baseline - metrics.ascent(), width + 2 * beside, metrics.ascent())))
            continue;
        return painter.drawText(at, baseline, label);
    }
}

QString MemoryCurvePlot::figures(std::int64_t time) const {
    const MemoryPoint* point = curves_.filled.at(time);
    if (!point || curves_.rank < 0 || time > curves_.knownUntil) return {};
    QStringList lines{tr("rank %1 · %2").arg(curves_.rank).arg(bytesText(total(point->bytes)))};
    if (curves_.measured) {
        for (const std::int64_t offset : curves_.offsets)
            if (time >= offset && time < offset + curves_.predictedEnd)
                if (const MemoryPoint* predicted = curves_.predicted.at(time - offset))
                    lines.front() += tr(", predicted %1").arg(bytesText(total(predicted->bytes)));
    }
    for (std::size_t category = 0; category < point->bytes.size(); ++category)
        if (point->bytes[category] > 0)
            lines += QStringLiteral("%1 %2").arg(term(name(static_cast<MemoryCategory>(category))),
                                                 bytesText(point->bytes[category]));
    return lines.join(QLatin1Char('\n'));
}

QString MemoryCurvePlot::wordsAt(const QPoint& at) const {
    return plotArea().contains(at) ? figures(scale().time(at.x() + 0.5)) : QString();
}

void MemoryCurvePlot::clicked(const QPoint& at) {
    const std::int64_t time = scale().time(at.x() + 0.5);
    RunModel& model = context_.model;
    Selection& selection = context_.selection;
    if (curves_.rank < 0 || !plotArea().contains(at)) return;
    std::optional<Event> running;
    if (curves_.measured) {
        running = model.store().lane(curves_.rank, Lane::Compute).previous(time + 1, [](const Event&) { return true; });
    } else {
        const auto& lane = model.prediction().lane(curves_.rank, Lane::Compute);
        const auto after = std::upper_bound(lane.begin(), lane.end(), time,
                                            [](std::int64_t t, const Event& e) { return t < e.begin; });
        if (after != lane.begin()) running = *(after - 1);
    }
    if (running && running->end < time) running.reset();
    selection.select(running);
    selection.setRank(curves_.rank);
    putCursor(time);
}

}  // namespace shardlab::ui
