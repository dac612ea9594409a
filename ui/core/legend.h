// SPDX-License-Identifier: GPL-3.0-or-later
// Colours and what they mean, in one line; where there is no room for all, the last are left out and named in the
// tooltip.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>

#include <vector>

namespace shardlab {

class ThemeSource;

struct LegendItem {
    QString text;
    QColor colour;
    enum class Mark { Square, Hatched, Line, Dashed } mark = Mark::Square;
};

class Legend : public QWidget {
public:
    Legend(ThemeSource& theme, Qt::Alignment alignment, QWidget* parent);
    void setItems(std::vector<LegendItem> items);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {40, 18}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int widthOf(const LegendItem& item) const;
    ThemeSource& theme_;
    Qt::Alignment alignment_;
    std::vector<LegendItem> items_;
};

}  // namespace shardlab
