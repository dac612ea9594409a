// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/memory_per_rank/memory_bars.h"

#include "engine/base/units.h"
#include "ui/core/theme.h"
#include "ui/core/words.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace shardlab::ui {

namespace {

constexpr int leastRow = 17;
constexpr int largestRow = 40;
constexpr int top = 16;  ///< room for the limit's label

QString bytesText(std::int64_t bytes) { return QString::fromStdString(formatBytes(bytes)); }

QFont figureFont(const Theme& theme) {
    QFont font = theme.mono;
    font.setPixelSize(11);
    return font;
}

}  // namespace

QString figureOf(const MemoryRow& row) {
    if (const std::int64_t host = total(row.host); host > 0) {
        MemoryRow device = row;
        device.host = {};
        return MemoryBars::tr("%1 + %2 host").arg(figureOf(device), bytesText(host));
    }
    const QString shown = bytesText(row.shown);
    const QString most = bytesText(std::max({row.shown, row.peak, row.predictedPeak}));
    if (shown == most) return shown;
    const QString unit = most.section(QLatin1Char(' '), 1);
    return MemoryBars::tr("%1 of %2")
        .arg(shown.section(QLatin1Char(' '), 1) == unit ? shown.section(QLatin1Char(' '), 0, 0) : shown, most);
}

MemoryBars::MemoryBars(ThemeSource& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void MemoryBars::setRows(std::vector<MemoryRow> rows, const MemoryLimit& device, int chosenRank) {
    rows_ = std::move(rows);
    device_ = device;
    chosen_ = chosenRank;
    setMinimumHeight(top + leastRow * static_cast<int>(rows_.size()) + 4);
    update();
}

std::int64_t MemoryBars::scaleEnd() const {
    std::int64_t largest = 1;
    for (const MemoryRow& row : rows_)
        largest = std::max({largest, total(row.bytes), row.peak, row.predictedPeak, total(row.host)});
    if (device_.known() && device_.usableBytes() <= 6 * largest) largest = std::max(largest, device_.usableBytes());
    return largest + largest / 20;
}

bool MemoryBars::limitInSight() const { return device_.known() && device_.usableBytes() <= scaleEnd(); }

int MemoryBars::rowHeight() const {
    const int count = std::max(1, static_cast<int>(rows_.size()));
    return std::clamp((height() - top - 4) / count, leastRow, largestRow);
}

int MemoryBars::rowAt(int y) const {
    const int row = y < top ? -1 : (y - top) / rowHeight();
    return row < static_cast<int>(rows_.size()) ? row : -1;
}

int MemoryBars::figureWidth() const {
    const QFontMetrics metrics(figureFont(theme_.theme()));
    int width = 0;
    for (const MemoryRow& row : rows_) width = std::max(width, metrics.horizontalAdvance(figureOf(row)));
    return width + 10;
}

void MemoryBars::paintEvent(QPaintEvent*) {
    const Theme& theme = theme_.theme();
    QPainter painter(this);
    QFont body = theme.body;
    body.setPixelSize(11);
    const QFont mono = figureFont(theme);
    int labelWidth = QFontMetrics(body).horizontalAdvance(shardlab::ui::tr("rank %1").arg(888));
    for (const MemoryRow& row : rows_)
        labelWidth = std::max(labelWidth, std::min(QFontMetrics(body).horizontalAdvance(titleOf(row)), width() / 4));
    labelWidth += 8;
    const int left = 10 + labelWidth;
    const int right = std::max(left + 20, width() - figureWidth() - 4);
    const double scale = static_cast<double>(right - left) / static_cast<double>(scaleEnd());
    const auto x = [&](std::int64_t bytes) { return left + static_cast<int>(static_cast<double>(bytes) * scale); };
    const int height = rowHeight();
    const int bar = std::max(9, height - 7);
    const int bottom = top + height * static_cast<int>(rows_.size());
    const QStringList titles = titlesWithin(rows_, QFontMetrics(body), labelWidth);
    QRegion figures;  // which the line of the limit leaves free

    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const MemoryRow& row = rows_[i];
        const int y = top + static_cast<int>(i) * height + (height - bar) / 2;
        if (row.standsFor(chosen_)) painter.fillRect(4, y - 3, width() - 8, bar + 6, theme.raised);
        painter.setFont(body);
        painter.setPen(theme.text);
        painter.drawText(QRect(10, y - 4, labelWidth, bar + 8), Qt::AlignLeft | Qt::AlignVCenter,
                         titles[static_cast<qsizetype>(i)]);
        const auto stack = [&](const MemoryBytes& bytes, int from, int thickness) {
            std::int64_t sum = 0;
            for (std::size_t category = 0; category < bytes.size(); ++category) {
                const int begin = x(sum), end = x(sum += bytes[category]);
                if (end > begin)
                    painter.fillRect(
                        QRect(begin, from, std::max(1, end - begin - (end - begin > 3 ? 1 : 0)), thickness),
                        theme.memory(static_cast<MemoryCategory>(category)));
            }
            return x(sum);
        };
        const int hostBar = total(row.host) > 0 ? bar / 3 : 0;
        const int deviceEnd = stack(row.bytes, y, bar - hostBar),
                  hostEnd = hostBar > 0 ? stack(row.host, y + bar - hostBar + 1, hostBar) : 0;
        if (row.peak > 0) painter.fillRect(QRect(x(row.peak), y - 2, 2, bar + 4), theme.text);
        if (row.predictedPeak > 0) {
            painter.setPen(QPen(theme.warning, 2, Qt::DotLine));
            painter.drawLine(x(row.predictedPeak) + 1, y - 2, x(row.predictedPeak) + 1, y + bar + 2);
        }
        painter.setFont(mono);
        painter.setPen(device_.holds(row.shown) ? theme.text : theme.bad);
        const int furthest = std::max({deviceEnd, hostEnd, row.peak > 0 ? x(row.peak) + 2 : 0,
                                       row.predictedPeak > 0 ? x(row.predictedPeak) + 2 : 0});
        const QString figure = figureOf(row);
        const QRect place(std::min(furthest + 6, width() - figureWidth()), y - 1,
                          QFontMetrics(mono).horizontalAdvance(figure), bar + 2);
        figures += place.adjusted(-2, 0, 2, 0);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, figure);
    }
    if (!limitInSight()) return;
    const std::int64_t usable = device_.usableBytes();
    painter.setClipRegion(QRegion(rect()) - figures);
    painter.setPen(QPen(theme.bad, 1, Qt::DashLine));
    painter.drawLine(x(usable), top - 2, x(usable), bottom + 2);
    painter.setClipping(false);
    painter.setFont(body);
    const QString label = tr("usable %1").arg(bytesText(usable));
    const int labelLeft = std::min(x(usable) - QFontMetrics(body).horizontalAdvance(label) / 2,
                                   width() - QFontMetrics(body).horizontalAdvance(label) - 6);
    painter.drawText(labelLeft, top - 5, label);
}

void MemoryBars::mousePressEvent(QMouseEvent* event) {
    const int row = rowAt(static_cast<int>(event->position().y()));
    if (row >= 0) Q_EMIT rankClicked(rows_[static_cast<std::size_t>(row)].rank);
}

QString MemoryBars::wordsAt(const QPoint& at) const {
    const int index = rowAt(at.y());
    if (index < 0) return {};
    const MemoryRow& row = rows_[static_cast<std::size_t>(index)];
    QStringList lines{titleOf(row) + QStringLiteral(" · ") + row.label};
    if (!row.folded.empty()) lines.front() += tr(" × %1").arg(row.folded.size() + 1);
    for (std::size_t category = 0; category < row.bytes.size(); ++category)
        lines += QStringLiteral("%1 %2").arg(term(name(static_cast<MemoryCategory>(category))),
                                             bytesText(row.bytes[category]));
    if (total(row.host) > 0) {
        lines += tr("on the host %1").arg(bytesText(total(row.host)));
        for (std::size_t category = 0; category < row.host.size(); ++category)
            if (row.host[category] > 0)
                lines += QStringLiteral("  %1 %2").arg(term(name(static_cast<MemoryCategory>(category))),
                                                       bytesText(row.host[category]));
    }
    if (row.peak > 0) lines += tr("peak %1").arg(bytesText(row.peak));
    if (row.predictedPeak > 0) lines += tr("predicted peak %1").arg(bytesText(row.predictedPeak));
    return lines.join(QLatin1Char('\n'));
}

bool MemoryBars::event(QEvent* event) { return showsWords(*this, *this, *event) || QWidget::event(event); }

}  // namespace shardlab::ui
