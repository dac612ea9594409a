// SPDX-License-Identifier: GPL-3.0-or-later
// Small multiples of counters, one below the other, each with its unit and a scale of its own: what one rank recorded
// as a line, and between which numbers all shown ranks lie as a band. A number holds until the next one. A click
// selects the moment, and the rank whose number is nearest.
#pragma once

#include "ui/core/counters.h"
#include "ui/timeline/time_plot.h"

#include <QString>

#include <map>
#include <optional>
#include <span>
#include <vector>

namespace shardlab::ui {

/// What holds in each pixel column: what its begin found, and what was recorded in it. Columns before the first sample
/// and those that begin after `end` have nothing.
std::vector<Extent> columnsOf(const CounterSeries& series, const TimeScale& scale, std::int64_t end);

/// A counter that is drawn.
struct ShownCounter {
    EventKind kind;
    ActionId name;
    QString title;
    QString unit;  ///< "%", "MHz"; empty: none is known, or the number is of bytes
    bool bytes;

    /// "57 %", "1.25 GiB".
    QString number(double value) const;
    /// "41 % to 63 %"; one number where both are alike.
    QString numbers(const Extent& extent) const;
};

class CounterPlot : public TimePlot {
    Q_OBJECT
public:
    struct Chart {
        TimeScale scale;
        int rank = -1;             ///< whose line is drawn; -1: no shown rank recorded the counter
        std::vector<Extent> line;  ///< by pixel column
        std::vector<Extent> band;  ///< likewise, of all shown ranks
        Extent values;             ///< at the foot and at the head; empty where nothing is in sight
    };

    CounterPlot(const ViewContext& context, QWidget* parent);
    QString wordsAt(const QPoint& at) const override;
    /// Draws these anew, of these ranks.
    void show(std::vector<ShownCounter> counters, std::vector<int> ranks);
    const std::vector<ShownCounter>& counters() const { return counters_; }
    /// As it stands over the time in sight.
    const Chart& chart(std::size_t counter) const;
    /// Where its columns are drawn.
    QRect area(std::size_t counter) const;
    /// Those of the shown ranks that recorded it, ascending; none where the run has no such counter any more.
    std::vector<std::pair<int, const CounterSeries*>> seriesOf(const ShownCounter& counter) const;

protected:
    bool wheelPans() const override;
    void clicked(const QPoint& at) override;
    void paintEvent(QPaintEvent* event) override;

private:
    struct Moment {  ///< what shown ranks have of a counter
        const CounterSample* line = nullptr;
        Extent all;
        int lowest = -1, highest = -1;  ///< ranks
    };
    std::optional<std::size_t> counterAt(int y) const;
    Moment moment(std::size_t counter, std::int64_t time) const;
    void paint(QPainter& painter, std::size_t counter) const;
    int y(const Chart& chart, const QRect& area, double value) const;

    std::vector<ShownCounter> counters_;
    std::vector<bool> ranks_;                      ///< by rank: it is shown
    mutable std::map<std::size_t, Chart> charts_;  ///< those that were looked at since
};

}  // namespace shardlab::ui
