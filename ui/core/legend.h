// SPDX-License-Identifier: GPL-3.0-or-later
// Colours and what they mean, in one line or several, of which a low view gets fewer; where there is no room for all,
// … stands for the last, which the tooltip names.
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>
#include <QWidget>

#include <vector>

class QPainter;

namespace shardlab::ui {

class ThemeSource;

struct LegendItem {
    QString text;
    QColor colour;
    enum class Mark {
        Square,
        Hatched,
        Line,
        Dashed,
        Triangle,
        Outline,
        Dot,
        Flag,
        Cross,
        Diamond,
        Bolt
    } mark = Mark::Square;
};

/// A mark that is a shape (square, triangle, dot, flag, cross, diamond), as pictures and their legends draw it.
void paintShape(QPainter& painter, LegendItem::Mark mark, const QRectF& box, const QColor& colour);

class Legend : public QWidget {
    Q_OBJECT
public:
    Legend(ThemeSource& theme, Qt::Alignment alignment, int mostLines, QWidget* parent);
    void setItems(std::vector<LegendItem> items);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {40, lineHeight()}; }
    int heightForWidth(int width) const override;
    /// How many of its items there is room for.
    std::size_t shown(int width) const;

protected:
    /// A view that becomes lower or higher gives its legend other room.
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// In pixels, as large as the letters of the theme want them.
    int lineHeight() const { return scaled(18); }
    int square() const { return scaled(9); }
    int gap() const { return scaled(5); }
    int between() const { return scaled(14); }
    int scaled(int pixels) const;
    /// Those that take at most a quarter of the view, and one always.
    int mostLines() const;
    /// Items of each line at a width.
    std::vector<std::size_t> lines(int width) const;
    int widthOf(const LegendItem& item) const;
    int widthOfMore() const;  ///< of the …
    void paintItem(QPainter& painter, const LegendItem& item, int x, int y) const;
    ThemeSource& theme_;
    Qt::Alignment alignment_;
    int mostLines_;
    std::vector<LegendItem> items_;
};

}  // namespace shardlab::ui
