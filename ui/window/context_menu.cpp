// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/context_menu.h"

#include "ui/core/words_at.h"
#include "ui/window/dock_panel.h"
#include "ui/window/workspace_area.h"
#include "ui/core/words.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>

namespace shardlab::ui {
namespace {

constexpr int mostShown = 40;  ///< letters of what would be copied, in the menu's line

/// The window's command, wherever the panel floats; nullptr where the panel stands alone.
QAction* command(const QWidget& panel, const char* id) {
    for (const QWidget* around = panel.parentWidget(); around; around = around->parentWidget())
        for (QAction* action : around->actions())
            if (action->objectName() == QLatin1String(id)) return action;
    return nullptr;
}

template <class Widget>
Widget* around(QWidget* inner, const QWidget& panel) {
    for (; inner && inner != &panel; inner = inner->parentWidget())
        if (auto* found = qobject_cast<Widget*>(inner)) return found;
    return nullptr;
}

void addCopy(QMenu& menu, const QString& what, const QString& text) {
    if (text.isEmpty()) return;
    menu.addAction(what, &menu, [text] { QApplication::clipboard()->setText(text); });
}

QString rowText(const QAbstractItemView& table, const QModelIndex& index) {
    const QAbstractItemModel& model = *table.model();
    QStringList cells;
    for (int column = 0; column < model.columnCount(index.parent()); ++column)
        cells += model.index(index.row(), column, index.parent()).data().toString();
    return cells.join(QLatin1Char('\t'));
}

/// What a chart below the pointer says there.
QString chartWords(QWidget* inner, const DockPanel& panel, const QPoint& at) {
    for (; inner && inner != &panel; inner = inner->parentWidget())
        if (const auto* chart = dynamic_cast<const WordsAt*>(inner)) return chart->wordsAt(inner->mapFrom(&panel, at));
    return {};
}

/// Copies what a chart says, the row of a table, or the words of a label, below the pointer.
void addWords(QMenu& menu, DockPanel& panel, const QPoint& at) {
    QWidget* below = panel.childAt(at);
    if (const QString words = chartWords(below, panel, at); !words.isEmpty())
        return addCopy(menu, tr("Copy what stands here"), words);
    if (auto* table = around<QAbstractItemView>(below, panel); table && !qobject_cast<QHeaderView*>(table)) {
        const QModelIndex index = table->indexAt(table->viewport()->mapFrom(&panel, at));
        if (!index.isValid()) return;
        table->setCurrentIndex(index);
        return addCopy(menu, tr("Copy this row"), rowText(*table, index));
    }
    const auto* label = around<QLabel>(below, panel);
    if (!label || !panel.view().isAncestorOf(label) || label->textFormat() == Qt::RichText) return;
    const QString words = label->text();
    addCopy(menu,
            tr("Copy “%1”").arg(words.size() <= mostShown ? words : words.left(mostShown - 1) + QStringLiteral("…")),
            words);
}

}  // namespace

void fillContextMenu(QMenu& menu, DockPanel& panel, const QPoint& at) {
    View& view = panel.view();
    if (panel.showsView()) {
        if (view.rect().contains(view.mapFrom(&panel, at))) view.fillContextMenu(menu, view.mapFrom(&panel, at));
        addWords(menu, panel, at);
    }
    menu.addSeparator();
    for (const char* id : {"timeline.pin", "run.kill", "run.hang"})
        if (QAction* action = command(panel, id); action && action->isEnabled()) menu.addAction(action);
    menu.addSeparator();
    if (auto* area = qobject_cast<WorkspaceArea*>(panel.parentWidget()); area && !panel.isFloating()) {
        const bool fills = area->filled() == panel.id();
        menu.addAction(fills ? tr("Show all views again") : tr("Fill the workspace with this view"), area,
                       [area, id = panel.id(), fills] { fills ? area->unfill() : area->fill(id); });
    }
    panel.fillMenu(menu);
}

}  // namespace shardlab::ui
