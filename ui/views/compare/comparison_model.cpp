// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/compare/comparison_model.h"

#include "engine/base/units.h"
#include "ui/core/action_words.h"
#include "ui/core/theme.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardlab::ui {
namespace {

const QString unknown = QStringLiteral("–");

QString secondsText(const std::optional<double>& value) { return value ? text(formatSeconds(*value)) : unknown; }

QString layersText(std::pair<int, int> layers) {
    if (layers.second < layers.first) return tr("none");
    return layers.first == layers.second ? QString::number(layers.first)
                                         : QStringLiteral("%1–%2").arg(layers.first).arg(layers.second);
}

QString ranksText(int a, int b) { return a == b ? QString::number(a) : QStringLiteral("%1 / %2").arg(a).arg(b); }

ComparisonRow largestRow(const RunComparison::Difference& one) {
    const QString kind = term(name(one.kind));
    const QString action =
        one.action ? QStringLiteral("%1 · %2").arg(text(toText(actionFromId(one.action))), kind) : kind;
    return {
        tr("%1 · rank %2").arg(action, ranksText(one.rankA, one.rankB)), one.seconds, one.kind,
        tr("%1, mean of %2 steps; the sides differ most in step %3: %4%5")
            .arg(one.action ? actionWords(actionFromId(one.action)) : kind)
            .arg(one.steps)
            .arg(one.worstStep)
            .arg(one.worst < 0 ? QStringLiteral("−") : QStringLiteral("+"), text(formatSeconds(std::abs(one.worst))))};
}

void addRank(std::vector<ComparisonRow>& rows, const RunComparison::Rank& rank) {
    const QString place = tr("rank %1").arg(ranksText(rank.a, rank.b));
    const QString help = text(rank.label);
    rows.push_back({tr("%1 computes").arg(place), rank.computing, EventKind::Backward, help});
    rows.push_back({tr("%1 waits").arg(place), rank.waiting, EventKind::Wait, help});
    rows.push_back({tr("%1 communicates").arg(place), rank.communicating, EventKind::SendForward, help});
    rows.push_back({tr("%1 updates").arg(place), rank.updating, EventKind::Optimizer, help});
}

}  // namespace

QString partTitle(ComparisonPart part) {
    switch (part) {
    case ComparisonPart::Largest: return tr("Largest ten");
    case ComparisonPart::Kinds: return tr("By kind");
    case ComparisonPart::Ranks: return tr("By rank");
    case ComparisonPart::Stages: return tr("By stage");
    case ComparisonPart::Layers: return tr("By layer");
    case ComparisonPart::Steps: return tr("By step");
    }
    return {};
}

QString partHelp(ComparisonPart part) {
    switch (part) {
    case ComparisonPart::Largest:
        return tr("The actions whose mean times in a step differ most. Waits are left out because they follow from the "
                  "other actions.");
    case ComparisonPart::Kinds: return tr("The mean time of each kind in one step of one rank");
    case ComparisonPart::Ranks:
        return tr(
            "The mean time of what each rank does in a step; ranks of different meshes are matched by their position");
    case ComparisonPart::Stages:
        return tr("The mean computing time of each stage in a step, over the ranks that hold the stage");
    case ComparisonPart::Layers: return tr("The computing time of each layer: an equal part of its stage's time");
    case ComparisonPart::Steps: return tr("The time of each step");
    }
    return {};
}

std::vector<ComparisonRow> rowsOf(const RunComparison& comparison, ComparisonPart part) {
    std::vector<ComparisonRow> rows;
    switch (part) {
    case ComparisonPart::Largest:
        for (const auto& one : comparison.largest) rows.push_back(largestRow(one));
        break;
    case ComparisonPart::Kinds:
        for (const auto& kind : comparison.kinds) rows.push_back({term(name(kind.kind)), kind.seconds, kind.kind, {}});
        break;
    case ComparisonPart::Ranks:
        for (const auto& rank : comparison.ranks) addRank(rows, rank);
        break;
    case ComparisonPart::Stages:
        for (const auto& stage : comparison.stages)
            rows.push_back({tr("stage %1").arg(stage.stage), stage.seconds, EventKind::Forward,
                            tr("layers %1 of A, %2 of B").arg(layersText(stage.layersA), layersText(stage.layersB))});
        break;
    case ComparisonPart::Layers:
        for (const auto& layer : comparison.layers) {
            const auto stage = [](int number) { return number < 0 ? tr("none") : QString::number(number); };
            rows.push_back({tr("layer %1").arg(layer.layer), layer.seconds, EventKind::Forward,
                            tr("in stage %1 of A, %2 of B").arg(stage(layer.stageA), stage(layer.stageB))});
        }
        break;
    case ComparisonPart::Steps:
        for (const auto& step : comparison.steps) {
            QString help;
            if (step.loss.a && step.loss.b)
                help = tr("loss %1 in A, %2 in B").arg(*step.loss.a, 0, 'f', 4).arg(*step.loss.b, 0, 'f', 4);
            rows.push_back({tr("step %1").arg(step.step), step.seconds, EventKind::Step, help});
        }
        break;
    }
    return rows;
}

void ComparisonModel::setRows(std::vector<ComparisonRow> rows, const QString& firstColumn) {
    beginResetModel();
    rows_ = std::move(rows);
    firstColumn_ = firstColumn;
    largest_ = 0;
    for (const ComparisonRow& row : rows_) largest_ = std::max(largest_, std::abs(row.figure.difference().value_or(0)));
    endResetModel();
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int ComparisonModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns; }

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ComparisonRow& row = rows_[static_cast<std::size_t>(index.row())];
    const Theme& theme = theme_.theme();
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (index.column() == Name ? Qt::AlignLeft : Qt::AlignRight));
    if (role == Qt::FontRole) {
        QFont font = index.column() == Name ? theme.body : theme.mono;
        font.setPixelSize(12);
        return font;
    }
    if (role == Qt::SizeHintRole && index.column() != Bar) {
        const QFontMetrics metrics(data(index, Qt::FontRole).value<QFont>());
        return QSize(metrics.horizontalAdvance(data(index, Qt::DisplayRole).toString()) + 18, 20);
    }
    if (role == Qt::ToolTipRole) return row.help.isEmpty() ? row.name : row.name + QLatin1Char('\n') + row.help;
    if (role == Qt::ForegroundRole && row.kind == EventKind::None) return theme.text;
    if (index.column() == Bar) {
        const double difference = row.figure.difference().value_or(0);
        if (role == shareRole) return largest_ > 0 ? difference / largest_ : 0.0;
        if (role == Qt::DecorationRole) return {};
        if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole) return text(formatChange(row.figure));
        return {};
    }
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
    case Name: return row.name;
    case A: return secondsText(row.figure.a);
    case B: return secondsText(row.figure.b);
    case Difference: return text(formatDifference(row.figure));
    default: return {};
    }
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (section == Name ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Name: return firstColumn_;
    case A: return QStringLiteral("A");
    case B: return QStringLiteral("B");
    case Difference: return QStringLiteral("B − A");
    default: return tr("change");
    }
}

void DifferenceBar::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem plain = option;
    initStyleOption(&plain, index);
    const QString change = plain.text;
    plain.text.clear();
    plain.widget->style()->drawControl(QStyle::CE_ItemViewItem, &plain, painter, plain.widget);
    const Theme& theme = theme_.theme();
    const double share = index.data(ComparisonModel::shareRole).toDouble();
    painter->save();
    const QFontMetrics metrics(plain.font);
    const int figure = metrics.horizontalAdvance(QStringLiteral("+1000.0 %")) + 6;
    const QRect bars = option.rect.adjusted(6, 4, -figure, -4);
    const int middle = bars.center().x();
    painter->setPen(theme.grid);
    painter->drawLine(middle, option.rect.top(), middle, option.rect.bottom());
    const int length = static_cast<int>(std::abs(share) * bars.width() / 2);
    if (length > 0 && bars.width() > 12)
        painter->fillRect(share > 0 ? QRect(middle + 1, bars.top(), length, bars.height())
                                    : QRect(middle - length, bars.top(), length, bars.height()),
                          share > 0 ? theme.warning : theme.good);
    painter->setFont(plain.font);
    painter->setPen(theme.dim);
    painter->drawText(option.rect.adjusted(0, 0, -4, 0), Qt::AlignRight | Qt::AlignVCenter, change);
    painter->restore();
}

}  // namespace shardlab::ui
