// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/rank_labels.h"

#include "engine/layout/mesh/alike.h"
#include "ui/timeline/rank_folding.h"
#include "ui/core/words.h"

#include <QFontMetrics>
#include <QPaintEngine>
#include <QPainter>

#include <algorithm>

namespace shardlab::ui {

namespace {

QFont rankFont(const Theme& theme) { return theme.bodyAt(12); }
QFont placeFont(const Theme& theme) { return theme.monoAt(10); }

/// The title where it fits; where it does not, of ranks that share a row where they stand, else as much as fits.
QString fitting(const QString& title, const QString& place, bool folded, const QFontMetrics& font, int width) {
    if (font.horizontalAdvance(title) <= width) return title;
    return font.elidedText(folded && !place.isEmpty() ? QStringLiteral("▸ ") + place : title, Qt::ElideRight, width);
}

void paintLabels(QPainter& painter, const TimelineState& state) {
    const int right = state.plot.left() - 8;
    const int left = state.whole.left() + 10;
    const QFont name = rankFont(state.theme);
    const QFont place = placeFont(state.theme);
    for (const Row& row : state.rows.visible()) {
        const int position = state.rows.positionOf(row.rank);
        const int selected = state.selection.rank();
        const bool chosen = selected >= 0 && state.rows.positionOf(selected) == position;
        const QString label = RankLabels::place(state, position);
        const QString title = fitting(RankLabels::title(state, position), label,
                                      state.rows.ranksOf(position).size() > 1, QFontMetrics(name), right - left);
        const bool twoLines = row.height >= state.theme.scaled(34) && !label.isEmpty();
        QRect upper(left, row.barTop - row.bandHeight, right - left, row.barHeight + row.bandHeight);
        if (chosen) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(state.theme.raised);
            painter.drawRect(
                QRect(state.whole.left() + 4, upper.top() - 1, right - state.whole.left(), upper.height() + 2));
        }
        if (twoLines) {
            const QRect lower(upper.left(), upper.center().y() + 1, upper.width(), state.theme.scaled(14));
            upper.setBottom(upper.center().y());
            painter.setFont(place);
            painter.setPen(state.theme.dim);
            painter.drawText(lower, Qt::AlignLeft | Qt::AlignTop | Qt::TextSingleLine,
                             QFontMetrics(place).elidedText(label, Qt::ElideRight, lower.width()));
            painter.setFont(name);
            painter.setPen(state.theme.text);
            painter.drawText(upper, Qt::AlignLeft | Qt::AlignBottom | Qt::TextSingleLine, title);
        } else {
            painter.setFont(name);
            painter.setPen(state.theme.text);
            painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, title);
            const int used = QFontMetrics(name).horizontalAdvance(title) + 8;
            painter.setFont(place);
            painter.setPen(state.theme.dim);
            if (upper.width() - used >= QFontMetrics(place).horizontalAdvance(label))
                painter.drawText(upper.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                                 label);
        }
    }
}

}  // namespace

QString RankLabels::title(const TimelineState& state, int position) {
    const std::vector<int> ranks = state.rows.ranksOf(position);
    if (ranks.size() > 1) return shardlab::ui::tr("▸ ranks %1").arg(QString::fromStdString(rankList(ranks)));
    const bool opened = std::ranges::find(state.opened, ranks.front()) != state.opened.end();
    return (opened ? shardlab::ui::tr("▾ rank %1") : shardlab::ui::tr("rank %1")).arg(ranks.front());
}

QString RankLabels::place(const TimelineState& state, int position) {
    const std::vector<int> ranks = state.rows.ranksOf(position);
    if (ranks.size() == 1) return QString::fromStdString(placeOf(state.model, ranks.front()));
    const QString common = QString::fromStdString(commonLabel(state.model.mesh(), ranks));
    return QStringLiteral("%1%2× %3").arg(common, common.isEmpty() ? QString() : QStringLiteral(" ")).arg(ranks.size());
}

int labelWidth(const RunModel& model, const Theme& theme, int width) {
    const int last = std::max(0, model.ranks() - 1);
    const QString widest =
        last + 1 >= RankFolding::many ? shardlab::ui::tr("▸ ranks %1–%1") : shardlab::ui::tr("rank %1");
    const int title = QFontMetrics(rankFont(theme)).horizontalAdvance(widest.arg(last));
    const int place =
        model.empty() ? 0
                      : QFontMetrics(placeFont(theme)).horizontalAdvance(QString::fromStdString(placeOf(model, last)));
    if (width < theme.scaled(420)) return std::max(title, std::min(place, title + theme.scaled(24))) + 22;
    const int least = theme.scaled(80), folded = theme.scaled(104);  // the latter for "▸ pp0 × 1024"
    return std::clamp(title + place + 30, least, std::max(width / 6, last + 1 >= RankFolding::many ? folded : least));
}

void RankLabels::paint(QPainter& painter, const TimelineState& state) {
    const QRect area(state.whole.left(), state.plot.top(), state.plot.left() - state.whole.left(), state.plot.height());
    painter.save();
    if (!painter.paintEngine() || painter.paintEngine()->type() != QPaintEngine::Raster) {
        painter.setClipRect(area);
        paintLabels(painter, state);
        painter.restore();
        return;
    }
    const double ratio = painter.device()->devicePixelRatioF();
    Key key{state.rows, state.opened, area, state.selection.rank(), state.theme.dark, ratio};
    if (picture_.isNull() || !(key == key_)) {
        picture_ = QPixmap((QSizeF(area.size()) * ratio).toSize());
        picture_.setDevicePixelRatio(ratio);
        picture_.fill(state.theme.panel);
        QPainter labels(&picture_);
        labels.translate(-area.topLeft());
        paintLabels(labels, state);
        key_ = std::move(key);
    }
    painter.drawPixmap(area.topLeft(), picture_);
    painter.restore();
}

}  // namespace shardlab::ui
