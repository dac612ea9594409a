// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/command_palette.h"

#include "ui/core/child.h"
#include "ui/core/commands.h"
#include "ui/core/taking.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QRegularExpression>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace shardlab::ui {
namespace {

constexpr int keyRole = Qt::UserRole;
constexpr int whyRole = Qt::UserRole + 1;

/// A command with its key at the right; one that is not possible now in grey, with the reason in place of the key.
class CommandDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QString why = index.data(whyRole).toString();
        QStyleOptionViewItem shown = option;
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        const QColor grey = option.palette.color(selected ? QPalette::HighlightedText : QPalette::PlaceholderText);
        if (!why.isEmpty()) {
            for (const QPalette::ColorRole role : {QPalette::Text, QPalette::HighlightedText})
                shown.palette.setColor(role, grey);
        }
        QStyledItemDelegate::paint(painter, shown, index);
        painter->save();
        painter->setPen(grey);
        const int name = painter->fontMetrics().horizontalAdvance(index.data().toString()) + 30;
        const QRect right = option.rect.adjusted(name, 0, -10, 0);
        painter->drawText(right, Qt::AlignRight | Qt::AlignVCenter,
                          why.isEmpty() ? index.data(keyRole).toString()
                                        : painter->fontMetrics().elidedText(why, Qt::ElideRight, right.width()));
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

CommandPalette::CommandPalette(const Commands& commands, std::function<QString(const QString&)> whyNot, QWidget* window)
    : Overlay(window), commands_(commands), whyNot_(std::move(whyNot)), query_(child<QLineEdit>(this)),
      list_(child<QListWidget>(this)),
      nothing_(child<QLabel>(tr("No command, preset, lesson or recent file has these words"), this)) {
    setObjectName(QStringLiteral("commandPalette"));
    setAccessibleName(tr("Commands"));
    auto* column = child<QVBoxLayout>(this);
    column->addWidget(query_);
    column->addWidget(list_);
    column->addWidget(nothing_, 1, Qt::AlignTop);
    nothing_->setProperty("role", "dim");
    nothing_->setWordWrap(true);
    query_->setPlaceholderText(tr("Find a command, a preset, a lesson or a recent file"));
    query_->setAccessibleName(tr("Find a command"));
    list_->setAccessibleName(tr("Commands found"));
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setItemDelegate(child<CommandDelegate>(list_));
    setFocusProxy(query_);
    walkFrom(*query_, *list_);
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
    const QString query = query_->text().trimmed();
    std::vector<QAction*> found;
    std::ranges::copy_if(commands_.all(), std::back_inserter(found),
                         [&](const QAction* action) { return matchesQuery(action->text(), query); });
    // What is possible first, and of that what begins with the words; else in the order of the menus.
    std::ranges::stable_sort(found, {}, [&](const QAction* action) {
        return std::pair(!action->isEnabled(), !action->text().startsWith(query, Qt::CaseInsensitive));
    });
    for (QAction* action : found) add(*action);
    list_->setVisible(!shown_.empty());
    nothing_->setVisible(shown_.empty());
    if (!shown_.empty()) list_->setCurrentRow(0);
}

void CommandPalette::add(QAction& action) {
    const QString key = action.shortcut().toString(QKeySequence::NativeText);
    const QString why = action.isEnabled() ? QString() : whyNot_(action.objectName());
    auto* item = child<QListWidgetItem>(action.text(), list_);
    item->setData(keyRole, key);
    item->setData(whyRole, why);
    QStringList all{action.text()};
    if (!key.isEmpty()) all << key;
    if (!why.isEmpty()) all << tr("not now: %1").arg(why);
    item->setData(Qt::AccessibleTextRole, all.join(QStringLiteral(", ")));
    const QString help = action.property("help").toString();
    item->setToolTip(why.isEmpty() ? help : help + QLatin1Char('\n') + tr("Not now: %1").arg(why));
    shown_.push_back(&action);
}

void CommandPalette::trigger() {
    const int row = list_->currentRow();
    if (row < 0 || row >= static_cast<int>(shown_.size())) return;
    QAction* action = shown_[static_cast<std::size_t>(row)];
    if (!action->isEnabled()) {
        filter();  // it may have been possible when the palette was opened: now the row says why not
        list_->setCurrentRow(static_cast<int>(std::ranges::find(shown_, action) - shown_.begin()));
        return;
    }
    dismiss();
    action->trigger();
}

}  // namespace shardlab::ui
