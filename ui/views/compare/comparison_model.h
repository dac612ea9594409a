// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a comparison as tables of one shape: names, both sides, their difference as a figure and as a bar.
#pragma once

#include "engine/trace/analysis/run_comparison.h"

#include <QAbstractTableModel>
#include <QStyledItemDelegate>

#include <vector>

namespace shardlab::ui {

class ThemeSource;

/// The parts of a comparison, each a table of its own.
enum class ComparisonPart { Largest, Kinds, Ranks, Stages, Layers, Steps };
inline constexpr int comparisonParts = 6;

/// A row of a part.
struct ComparisonRow {
    QString name;
    Compared figure;
    EventKind kind = EventKind::None;  ///< whose colour it has
    QString help;
};

QString partTitle(ComparisonPart part);
/// What the figures of a part are: its tooltip.
QString partHelp(ComparisonPart part);
std::vector<ComparisonRow> rowsOf(const RunComparison& comparison, ComparisonPart part);

class ComparisonModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, A, B, Difference, Bar, columns };
    static constexpr int shareRole = Qt::UserRole;  ///< of a bar: in [−1, 1], against the largest of the part

    explicit ComparisonModel(ThemeSource& theme, QObject* parent) : QAbstractTableModel(parent), theme_(theme) {}
    void setRows(std::vector<ComparisonRow> rows, const QString& firstColumn);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    ThemeSource& theme_;
    std::vector<ComparisonRow> rows_;
    QString firstColumn_;
    double largest_ = 0;  ///< difference, seconds
};

/// Bars from the middle: to the right where B takes longer, to the left where it takes less.
class DifferenceBar : public QStyledItemDelegate {
public:
    DifferenceBar(ThemeSource& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    ThemeSource& theme_;
};

}  // namespace shardlab::ui
