// SPDX-License-Identifier: GPL-3.0-or-later
// One stacked bar a rank, by category, with marks for peaks and a line at the end of what may be taken of a device's
// memory.
#pragma once

#include "engine/base/memory_category.h"
#include "engine/layout/memory_limit.h"
#include "engine/layout/mesh/mesh.h"
#include "ui/core/words_at.h"

#include <QStringList>
#include <QWidget>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace shardlab::ui {

class ThemeSource;

struct MemoryRow {
    int rank = 0;
    QString label;
    MemoryBytes bytes{};             ///< stacked
    std::int64_t peak = 0;           ///< measured; 0 = none
    std::int64_t predictedPeak = 0;  ///< 0 = none
    std::int64_t shown = 0;          ///< the figure beside the bar
    MemoryBytes host{};              ///< on the rank's host: a thinner bar below; none where nothing is
    std::vector<int> folded = {};    ///< other ranks with the same figures, whose row this is too; ascending

    bool standsFor(int other) const { return other == rank || std::ranges::find(folded, other) != folded.end(); }
};

/// "rank 3", "ranks 0–7".
QString titleOf(const MemoryRow& row);
/// In so many pixels: "0–7", and so in all rows, where one has no room for the word.
QStringList titlesWithin(const std::vector<MemoryRow>& rows, const QFontMetrics& metrics, int width);
/// Ranks that do the same (layout/mesh/alike.h) and have the same figures fold into the row of the first of them.
std::vector<MemoryRow> foldedRows(const Layout& layout, const Mesh& mesh, std::vector<MemoryRow> rows);

/// "6.80 of 17.6 MiB", and "+ 12 MiB host" where the host holds something too, where a peak's mark lies beyond what is
/// shown: the figure stands beside that mark.
QString figureOf(const MemoryRow& row);

class MemoryBars : public QWidget, public WordsAt {
    Q_OBJECT
public:
    MemoryBars(ThemeSource& theme, QWidget* parent);
    QString wordsAt(const QPoint& at) const override;
    void setRows(std::vector<MemoryRow> rows, const MemoryLimit& device, int chosenRank);
    const std::vector<MemoryRow>& rows() const { return rows_; }
    /// Bytes at the right end of the scale.
    std::int64_t scaleEnd() const;
    /// The end of what may be taken is drawn only where bars next to it can still be told apart.
    bool limitInSight() const;

Q_SIGNALS:
    void rankClicked(int rank);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    int rowHeight() const;
    int rowAt(int y) const;
    int figureWidth() const;
    ThemeSource& theme_;
    std::vector<MemoryRow> rows_;
    MemoryLimit device_;
    int chosen_ = -1;
};

}  // namespace shardlab::ui
