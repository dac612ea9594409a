// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/command_palette.h"

#include "ui/core/child.h"
#include "ui/core/commands.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QRegularExpression>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int keyRole = Qt::UserRole;

/// A command with its key at the right.
class CommandDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        painter->setPen(option.palette.color(selected ? QPalette::HighlightedText : QPalette::PlaceholderText));
        painter->drawText(option.rect.adjusted(0, 0, -10, 0), Qt::AlignRight | Qt::AlignVCenter,
                          index.data(keyRole).toString());
        painter->restore();
    }
};

}  // namespace

bool matchesQuery(const QString& text, const QString& query) {
    static const QRegularExpression gaps(QStringLiteral("[^\\w.-]+"), QRegularExpression::UseUnicodePropertiesOption);
    const QStringList words = text.split(gaps, Qt::SkipEmptyParts);
    const QStringList parts = query.split(gaps, Qt::SkipEmptyParts);
    return std::all_of(parts.begin(), parts.end(), [&](const QString& part) {
        return std::any_of(words.begin(), words.end(),
                           [&](const QString& word) { return word.startsWith(part, Qt::CaseInsensitive); });
    });
}

CommandPalette::CommandPalette(const Commands& commands, QWidget* window)
    : Overlay(window), commands_(commands), query_(child<QLineEdit>(this)), list_(child<QListWidget>(this)) {
    setObjectName(QStringLiteral("commandPalette"));
    setAccessibleName(tr("Commands"));
    auto* column = child<QVBoxLayout>(this);
    column->addWidget(query_);
    column->addWidget(list_);
    query_->setPlaceholderText(tr("Find a command"));
    query_->setAccessibleName(tr("Find a command"));
    list_->setAccessibleName(tr("Commands found"));
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setItemDelegate(child<CommandDelegate>(list_));
    setFocusProxy(query_);
    connect(query_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(query_, &QLineEdit::returnPressed, this, &CommandPalette::trigger);
    connect(list_, &QListWidget::itemClicked, this, &CommandPalette::trigger);
}

QRect CommandPalette::place(const QSize& window) const {
    const int width = std::min(620, window.width() - 40);
    const int height = std::min(420, window.height() - 80);
    return {(window.width() - width) / 2, 54, width, height};
}

void CommandPalette::opened() {
    query_->clear();
    filter();
}

void CommandPalette::filter() {
    list_->clear();
    shown_.clear();
    for (QAction* action : commands_.all()) {
        if (!action->isEnabled() || !matchesQuery(action->text(), query_->text())) continue;
        const QString key = action->shortcut().toString(QKeySequence::NativeText);
        auto* item = child<QListWidgetItem>(action->text(), list_);
        item->setData(keyRole, key);
        item->setData(Qt::AccessibleTextRole,
                      key.isEmpty() ? action->text() : action->text() + QStringLiteral(", ") + key);
        item->setToolTip(action->property("help").toString());
        shown_.push_back(action);
    }
    if (list_->count() > 0) list_->setCurrentRow(0);
}

void CommandPalette::trigger() {
    const int row = list_->currentRow();
    if (row < 0 || row >= static_cast<int>(shown_.size())) return;
    QAction* action = shown_[static_cast<std::size_t>(row)];
    dismiss();
    action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == query_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (step != 0 && list_->count() > 0) {
            list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, list_->count() - 1));
            return true;
        }
    }
    return Overlay::eventFilter(watched, event);
}

}  // namespace shardlab::ui
