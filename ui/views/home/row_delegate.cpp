// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/home/row_delegate.h"

#include "ui/core/child.h"
#include "ui/core/theme.h"

#include <QListWidget>
#include <QPainter>

namespace shardlab::ui {
namespace {

constexpr int headingRole = Qt::UserRole + 10;
constexpr int rightRole = Qt::UserRole + 11;
constexpr int linesRole = Qt::UserRole + 12;
constexpr int titleHeight = 20, lineHeight = 17, edge = 5, side = 10, headingHeight = 26;

QFont sized(const QFont& font, int pixels, bool bold) {
    QFont result = font;
    result.setPixelSize(pixels);
    if (bold) result.setWeight(QFont::DemiBold);
    return result;
}

}  // namespace

QSize RowDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    if (index.data(headingRole).toBool()) return {100, headingHeight};
    const int lines = static_cast<int>(index.data(linesRole).toStringList().size());
    return {100, titleHeight + lines * lineHeight + 2 * edge};
}

void RowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = theme_.theme();
    const bool heading = index.data(headingRole).toBool();
    const bool current = option.state.testFlag(QStyle::State_Selected);
    const bool focused = current && option.state.testFlag(QStyle::State_HasFocus);
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (!heading && (current || hovered)) {
        painter->setPen(focused ? QPen(theme.accent) : QPen(Qt::NoPen));
        painter->setBrush(theme.raised);
        painter->drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    }
    QRect inside = option.rect.adjusted(side, heading ? 0 : edge, -side, 0);
    QRect line(inside.topLeft(), QSize(inside.width(), heading ? headingHeight : titleHeight));
    const QString right = index.data(rightRole).toString();
    painter->setFont(sized(theme.body, 12, false));
    painter->setPen(theme.dim);
    int used = 0;
    if (!right.isEmpty()) {
        used = painter->fontMetrics().horizontalAdvance(right) + 10;
        painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, right);
    }
    painter->setFont(sized(theme.body, heading ? 12 : 13, !heading));
    painter->setPen(heading ? theme.dim : theme.text);
    const QString title = index.data(Qt::DisplayRole).toString();
    painter->drawText(line.adjusted(0, 0, -used, 0), Qt::AlignLeft | Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(title, Qt::ElideRight, line.width() - used));
    painter->setFont(sized(theme.body, 12, false));
    painter->setPen(theme.dim);
    int top = line.bottom() + 1;
    for (const QString& text : index.data(linesRole).toStringList()) {
        const QRect place(inside.left(), top, inside.width(), lineHeight);
        painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(text, Qt::ElideRight, place.width()));
        top += lineHeight;
    }
    painter->restore();
}

QListWidgetItem* addHeading(QListWidget& list, const QString& title, const QString& right) {
    auto* item = child<QListWidgetItem>(title, &list);
    item->setFlags(Qt::NoItemFlags);
    item->setData(headingRole, true);
    item->setData(rightRole, right);
    item->setData(Qt::AccessibleTextRole, right.isEmpty() ? title : title + QStringLiteral(", ") + right);
    return item;
}

QListWidgetItem* addRow(QListWidget& list, const QString& title, const QString& right, const QStringList& lines) {
    auto* item = child<QListWidgetItem>(title, &list);
    item->setData(rightRole, right);
    item->setData(linesRole, lines);
    QStringList all{title};
    if (!right.isEmpty()) all << right;
    item->setData(Qt::AccessibleTextRole, (all + lines).join(QStringLiteral(", ")));
    item->setToolTip((QStringList{title} + lines).join(QLatin1Char('\n')));
    return item;
}

void prepareRows(QListWidget& list, ThemeSource& theme, const QString& accessibleName) {
    list.setFrameShape(QFrame::NoFrame);
    list.setProperty("role", "rows");
    list.setAccessibleName(accessibleName);
    list.setItemDelegate(child<RowDelegate>(theme, &list));
    list.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list.setMouseTracking(true);
    QObject::connect(&theme, &ThemeSource::changed, list.viewport(), qOverload<>(&QWidget::update));
}

QListWidgetItem* firstRow(const QListWidget& list) {
    for (int row = 0; row < list.count(); ++row)
        if (list.item(row)->flags().testFlag(Qt::ItemIsEnabled)) return list.item(row);
    return nullptr;
}

}  // namespace shardlab::ui
