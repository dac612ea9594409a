// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/rank_labels.h"

#include "engine/layout/mesh/alike.h"
#include "ui/timeline/rank_folding.h"
#include "ui/core/words.h"

#include <QFontMetrics>
#include <QPaintEngine>
#include <QPainter>

#include <algorithm>
#include <utility>
#include <vector>

namespace shardlab::ui {

namespace {

constexpr int placeGap = 8;  ///< pixels between a title and the place behind it

QFont rankFont(const Theme& theme) { return theme.bodyAt(12); }
QFont placeFont(const Theme& theme) { return theme.monoAt(10); }

/// Where labels stand; only its left and its width mean something.
QRect roomOf(const TimelineState& state) {
    const int left = state.whole.left() + 10;
    return {left, 0, state.plot.left() - 8 - left, 0};
}

void paintLabels(QPainter& painter, const TimelineState& state) {
    const QRect room = roomOf(state);
    const int left = room.left(), right = left + room.width();
    const QFont name = rankFont(state.theme);
    const QFont place = placeFont(state.theme);
    const int selected = state.selection.rank();
    for (const RankLabels::Label& label : RankLabels::of(state)) {
        const Row& row = label.row;
        const bool chosen = selected >= 0 && state.rows.positionOf(selected) == label.position;
        QRect upper(left, row.barTop - row.bandHeight, right - left, row.barHeight + row.bandHeight);
        if (chosen) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(state.theme.raised);
            painter.drawRect(
                QRect(state.whole.left() + 4, upper.top() - 1, right - state.whole.left(), upper.height() + 2));
        }
        QRect lower = upper.adjusted(QFontMetrics(name).horizontalAdvance(label.title) + placeGap, 0, 0, 0);
        if (label.twoLines) {
            lower = QRect(upper.left(), upper.center().y() + 1, upper.width(), state.theme.scaled(14));
            upper.setBottom(upper.center().y());
        }
        painter.setFont(place);
        painter.setPen(state.theme.dim);
        painter.drawText(lower, Qt::AlignLeft | (label.twoLines ? Qt::AlignTop : Qt::AlignVCenter) | Qt::TextSingleLine,
                         QFontMetrics(place).elidedText(label.place, Qt::ElideRight, lower.width()));
        painter.setFont(name);
        painter.setPen(state.theme.text);
        painter.drawText(upper,
                         Qt::AlignLeft | (label.twoLines ? Qt::AlignBottom : Qt::AlignVCenter) | Qt::TextSingleLine,
                         label.title);
    }
}

}  // namespace

std::vector<RankLabels::Label> RankLabels::of(const TimelineState& state) {
    const QFontMetrics name(rankFont(state.theme)), place(placeFont(state.theme));
    const int width = roomOf(state).width();
    std::vector<Label> labels;
    bool titlesFit = true, placesFit = true;
    const auto folded = [&](const Label& label) { return state.rows.ranksOf(label.position).size() > 1; };
    for (const Row& row : state.rows.visible()) {
        const int position = state.rows.positionOf(row.rank);
        const QString stands = RankLabels::place(state, position);
        labels.push_back(
            {row, position, title(state, position), stands, row.height >= state.theme.scaled(34) && !stands.isEmpty()});
        titlesFit = titlesFit && (!folded(labels.back()) || name.horizontalAdvance(labels.back().title) <= width);
    }
    for (Label& label : labels) {
        if (!titlesFit && folded(label)) {
            label.title = QStringLiteral("▸ ") + std::exchange(label.place, QString());
            label.twoLines = false;
        }
        label.title = name.elidedText(label.title, Qt::ElideRight, width);
        placesFit = placesFit &&
                    (label.twoLines ||
                     name.horizontalAdvance(label.title) + placeGap + place.horizontalAdvance(label.place) <= width);
    }
    for (Label& label : labels)
        if (!label.twoLines && !placesFit) label.place.clear();
    return labels;
}

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
