// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/experts/experts_plot.h"

#include "ui/core/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace shardlab::ui {

namespace {

constexpr int labels = 58;  ///< pixels left of the bars
constexpr int rowGap = 6;
constexpr int numbersHeight = 15;  ///< of the experts, below the last row
constexpr int numberWidth = 24;

double averageOf(const ExpertLoads::OfLayer& loads) {
    const double all =
        std::accumulate(loads.begin(), loads.end(), 0.0, [](double sum, const auto& load) { return sum + load.asked; });
    return loads.empty() ? 0 : all / static_cast<double>(loads.size());
}

QString count(double value) { return QString::number(value, 'f', 0); }

}  // namespace

ExpertsPlot::ExpertsPlot(ThemeSource& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Load of experts. The arrows walk along the bars"));
    connect(&theme_, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void ExpertsPlot::setLoads(std::map<int, ExpertLoads::OfLayer> loads) {
    loads_ = std::move(loads);
    update();
    Q_EMIT markedChanged();
}

double ExpertsPlot::largest() const {
    double most = 0;
    for (const auto& [layer, loads] : loads_)
        for (const auto& load : loads) most = std::max(most, load.asked);
    return most;
}

QRect ExpertsPlot::rowOf(int layer) const {
    const auto found = loads_.find(layer);
    if (found == loads_.end()) return {};
    const auto index = static_cast<int>(std::distance(loads_.begin(), found));
    const int rows = static_cast<int>(loads_.size());
    const QRect place = rect().adjusted(labels, rowGap, -10, -numbersHeight);
    const int top = place.top() + index * place.height() / rows,
              bottom = place.top() + (index + 1) * place.height() / rows;
    return {place.left(), top, place.width(), std::max(1, bottom - top - rowGap)};
}

QRect ExpertsPlot::barOf(const ExpertOfLayer& expert) const {
    const auto found = loads_.find(expert.layer);
    if (found == loads_.end() || expert.expert < 0 || expert.expert >= static_cast<int>(found->second.size()) ||
        largest() <= 0)
        return {};
    const QRect row = rowOf(expert.layer);
    const int experts = static_cast<int>(found->second.size());
    const int left = row.left() + expert.expert * row.width() / experts,
              right = row.left() + (expert.expert + 1) * row.width() / experts;
    const double asked = found->second[static_cast<std::size_t>(expert.expert)].asked;
    const int height = std::max(asked > 0 ? 1 : 0, static_cast<int>(std::lround(asked / largest() * row.height())));
    return {left, row.bottom() + 1 - height, std::max(1, right - left - (right - left > 3 ? 1 : 0)), height};
}

void ExpertsPlot::paintEvent(QPaintEvent*) {
    const Theme& theme = theme_.theme();
    QPainter painter(this);
    painter.fillRect(rect(), theme.panel);
    QFont font = theme.body;
    font.setPixelSize(11);
    painter.setFont(font);
    for (const auto& [layer, loads] : loads_) {
        const QRect row = rowOf(layer);
        painter.setPen(theme.dim);
        painter.drawText(QRect(0, row.top(), labels - 8, row.height()),
                         Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, tr("layer %1").arg(layer));
        for (int e = 0; e < static_cast<int>(loads.size()); ++e) {
            const auto& load = loads[static_cast<std::size_t>(e)];
            const QRect bar = barOf({layer, e});
            painter.fillRect(bar, theme.action(EventKind::Forward));
            if (load.dropped > 0) {
                const int height = std::max(1, static_cast<int>(std::lround(load.dropped / load.asked * bar.height())));
                painter.fillRect(QRect(bar.left(), bar.top(), bar.width(), height), theme.action(EventKind::Overflow));
            }
            if (marked_ == ExpertOfLayer{layer, e}) {
                painter.setPen(theme.text);
                painter.drawRect(QRect(bar.left() - 1, std::min(bar.top(), row.bottom() - 4), bar.width() + 1,
                                       std::max(bar.height(), 5)));
            }
        }
        painter.setPen(theme.border);
        painter.drawLine(row.left(), row.bottom() + 1, row.right(), row.bottom() + 1);
        if (largest() <= 0) continue;
        const int even = row.bottom() + 1 - static_cast<int>(std::lround(averageOf(loads) / largest() * row.height()));
        painter.setPen(QPen(theme.text, 1, Qt::DashLine));
        painter.drawLine(row.left(), even, row.right(), even);
    }
    paintNumbers(painter);
}

/// As many as there is room for; layers have equally many experts.
void ExpertsPlot::paintNumbers(QPainter& painter) const {
    if (loads_.empty()) return;
    const QRect row = rowOf(loads_.rbegin()->first);
    const int experts = static_cast<int>(loads_.rbegin()->second.size()), top = row.bottom() + 2;
    painter.setPen(theme_.theme().dim);
    painter.drawText(QRect(0, top, labels - 8, numbersHeight), Qt::AlignRight | Qt::AlignVCenter, tr("expert"));
    const int every = std::max(1, (experts * numberWidth + row.width() - 1) / std::max(1, row.width()));
    for (int e = 0; e < experts; e += every) {
        const int middle = row.left() + (2 * e + 1) * row.width() / (2 * experts);
        painter.drawText(QRect(middle - numberWidth / 2, top, numberWidth, numbersHeight), Qt::AlignCenter,
                         QString::number(e));
    }
}

void ExpertsPlot::mark(std::optional<ExpertOfLayer> expert) {
    if (marked_ == expert) return;
    marked_ = expert;
    setAccessibleDescription(markedText());
    update();
    Q_EMIT markedChanged();
}

QString ExpertsPlot::textOf(const ExpertOfLayer& expert) const {
    const auto found = loads_.find(expert.layer);
    if (found == loads_.end() || expert.expert >= static_cast<int>(found->second.size())) return {};
    const auto& load = found->second[static_cast<std::size_t>(expert.expert)];
    const double average = averageOf(found->second);
    return tr("layer %1 · expert %2 · %3 tokens · %4 × the average · %5 dropped")
        .arg(expert.layer)
        .arg(expert.expert)
        .arg(count(load.asked), QString::number(average > 0 ? load.asked / average : 0, 'f', 2), count(load.dropped));
}

QString ExpertsPlot::markedText() const { return marked_ ? textOf(*marked_) : QString(); }

std::optional<ExpertOfLayer> ExpertsPlot::expertAt(const QPoint& at) const {
    for (const auto& [layer, loads] : loads_) {
        const QRect row = rowOf(layer);
        if (!row.contains(at)) continue;
        const int experts = static_cast<int>(loads.size());
        return ExpertOfLayer{layer, std::clamp((at.x() - row.left()) * experts / row.width(), 0, experts - 1)};
    }
    return {};
}

QString ExpertsPlot::wordsAt(const QPoint& at) const {
    const auto expert = expertAt(at);
    return expert ? textOf(*expert) : QString();
}

void ExpertsPlot::mouseMoveEvent(QMouseEvent* event) { mark(expertAt(event->position().toPoint())); }

void ExpertsPlot::leaveEvent(QEvent*) { mark({}); }

void ExpertsPlot::keyPressEvent(QKeyEvent* event) {
    if (loads_.empty()) return QWidget::keyPressEvent(event);
    auto row = loads_.find(marked_ ? marked_->layer : -1);
    if (row == loads_.end()) row = loads_.begin();
    const int last = static_cast<int>(row->second.size()) - 1;
    const int now = marked_ ? marked_->expert : -1;
    switch (event->key()) {
    case Qt::Key_Left: return mark(ExpertOfLayer{row->first, std::max(0, now - 1)});
    case Qt::Key_Right: return mark(ExpertOfLayer{row->first, std::min(last, now + 1)});
    case Qt::Key_Up:
        return mark(ExpertOfLayer{row == loads_.begin() ? row->first : std::prev(row)->first, std::max(0, now)});
    case Qt::Key_Down:
        return mark(
            ExpertOfLayer{std::next(row) == loads_.end() ? row->first : std::next(row)->first, std::max(0, now)});
    default: QWidget::keyPressEvent(event);
    }
}

}  // namespace shardlab::ui
