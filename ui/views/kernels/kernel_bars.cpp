// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/kernels/kernel_bars.h"

#include "engine/base/units.h"
#include "ui/core/theme.h"
#include "ui/core/text.h"

#include <QPainter>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int rowHeight = 20;
constexpr int barHeight = 11;
constexpr int margin = 10;
constexpr int smallText = 11;
constexpr double fromCache = 0.95;  ///< of the time that memory takes: what rounds to less than once

/// What a product serves; empty of other kernels.
QString purpose(const std::string& kernel) {
    if (kernel == "A·B") return KernelBars::tr("\nProducts of the forward");
    if (kernel == "A·Bᵀ") return KernelBars::tr("\nGradients of inputs, and the output projection");
    if (kernel == "Aᵀ·B") return KernelBars::tr("\nGradients of weights");
    return {};
}

QFont sized(QFont font) {
    font.setPixelSize(smallText);
    return font;
}

}  // namespace

KernelBars::KernelBars(ThemeSource& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setAccessibleName(tr("Time of each kind of kernel"));
    connect(&theme_, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

KernelBars::Row KernelBars::rowOf(const KernelProfile& kernel, const KernelAccount& account) const {
    const double least = leastSeconds(kernel, account);
    const bool byProducts = account.peakFlops > 0 && kernel.flops / account.peakFlops >= least;
    QString figure = text(formatSeconds(kernel.seconds));
    const double multiple = least > 0 ? kernel.seconds / least : 0;
    if (least > 0)
        figure += !byProducts && multiple < fromCache ? tr(" · from cache") : tr(" · %1×").arg(multiple, 0, 'f', 1);
    QString help =
        tr("%1: %2 calls a step, %3, which is %4 of it")
            .arg(text(kernel.name), QString::number(kernel.calls, 'f', 0), text(formatSeconds(kernel.seconds)),
                 percent(account.seconds > 0 ? kernel.seconds / account.seconds : 0));
    help += purpose(kernel.name);
    if (kernel.flops > 0) help += tr("\nProducts: %1FLOP/s").arg(text(formatCount(flopsPerSecond(kernel))));
    help += tr("\nMemory: %1").arg(text(formatBandwidth(bytesPerSecond(kernel))));
    if (least > 0)
        help += (byProducts ? tr("\nThe matrix products take at least %1, at the cores' peak rate")
                            : tr("\nMemory takes at least %1 for the operands; less where they stay in a cache"))
                    .arg(text(formatSeconds(least)));
    return {text(kernel.name), figure, help, kernel.seconds, least, byProducts};
}

void KernelBars::setAccount(KernelAccount account) {
    rows_.clear();
    for (const KernelProfile& kernel : account.kernels) rows_.push_back(rowOf(kernel, account));
    const double between = betweenKernels(account);
    rows_.push_back({tr("between kernels"), text(formatSeconds(between)),
                     tr("Lists of actions, buffers and the measurement itself take %1 of the step")
                         .arg(percent(account.seconds > 0 ? between / account.seconds : 0)),
                     between, 0, false});
    setMinimumHeight(rowHeight * static_cast<int>(rows_.size()) + 4);
    update();
}

QStringList KernelBars::figures() const {
    QStringList all;
    for (const Row& row : rows_) all << row.figure;
    return all;
}

int KernelBars::widest(const QFont& font, QString Row::*text) const {
    const QFontMetrics metrics(font);
    int width = 0;
    for (const Row& row : rows_) width = std::max(width, metrics.horizontalAdvance(row.*text));
    return width;
}

void KernelBars::paintBar(QPainter& painter, const Row& row, const QRectF& bar, double scale) const {
    const Theme& theme = theme_.theme();
    const double allowed = std::min(row.least, row.seconds) * scale, taken = row.seconds * scale;
    painter.fillRect(QRectF(bar.x(), bar.y(), allowed, bar.height()),
                     theme.action(row.byProducts ? EventKind::Forward : EventKind::WeightGrad));
    const QRectF beyond(bar.x() + allowed, bar.y(), std::max(1.0, taken - allowed), bar.height());
    painter.fillRect(beyond, theme.idle);
    painter.fillRect(beyond, QBrush(theme.dim, Qt::BDiagPattern));
}

void KernelBars::paintEvent(QPaintEvent*) {
    const Theme& theme = theme_.theme();
    const QFont body = sized(theme.body), mono = sized(theme.mono);
    QPainter painter(this);
    const int labels = widest(body, &Row::label), figures = widest(mono, &Row::figure);
    const int left = margin + labels + margin, right = std::max(left + 20, width() - margin - figures - margin);
    double longest = 0;
    for (const Row& row : rows_) longest = std::max(longest, row.seconds);
    if (longest <= 0) return;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        const int y = static_cast<int>(i) * rowHeight;
        painter.setFont(body);
        painter.setPen(theme.text);
        painter.drawText(QRect(margin, y, labels, rowHeight), Qt::AlignLeft | Qt::AlignVCenter, row.label);
        paintBar(painter, row, QRectF(left, y + (rowHeight - barHeight) / 2.0, right - left, barHeight),
                 (right - left) / longest);
        painter.setFont(mono);
        painter.setPen(theme.text);
        painter.drawText(QRect(right + margin, y, figures, rowHeight), Qt::AlignRight | Qt::AlignVCenter, row.figure);
    }
}

QString KernelBars::wordsAt(const QPoint& at) const {
    const auto row = static_cast<std::size_t>(std::max(0, at.y()) / rowHeight);
    return row < rows_.size() ? rows_[row].help : QString();
}

bool KernelBars::event(QEvent* event) { return showsWords(*this, *this, *event) || QWidget::event(event); }

}  // namespace shardlab::ui
