// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/key_help.h"

#include "ui/core/child.h"
#include "ui/core/commands.h"
#include "ui/core/words.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>
#include <utility>

namespace shardlab::ui {
namespace {

struct KeyLine {
    QString keys;
    QString what;
};

/// Keys that views handle themselves while they have the keyboard.
std::vector<KeyLine> viewKeys() {
    return {{KeyHelp::tr("W / S"), KeyHelp::tr("Timeline: zoom in, out")},
            {KeyHelp::tr("A / D"), KeyHelp::tr("Timeline: earlier, later")},
            {KeyHelp::tr("F"), KeyHelp::tr("Timeline: fit the selected action, or all")},
            {KeyHelp::tr("M"), KeyHelp::tr("Timeline: measure between two moments")},
            {KeyHelp::tr("Shift+drag"), KeyHelp::tr("Timeline: measure what is dragged over")},
            {KeyHelp::tr("Ctrl+drag"), KeyHelp::tr("Timeline: figures of the ranks and time dragged over")},
            {KeyHelp::tr("Ctrl+wheel"), KeyHelp::tr("Timeline: zoom at the pointer")},
            {KeyHelp::tr("U"), KeyHelp::tr("Timeline: fold ranks that are alike into one row, or unfold them")},
            {KeyHelp::tr("Home / End"), KeyHelp::tr("Timeline: go to the start, to the end")},
            {KeyHelp::tr("Arrows"), KeyHelp::tr("Timeline: another action · mesh: another rank")},
            {KeyHelp::tr("Ctrl+arrows"), KeyHelp::tr("Order: move an action · F2: type it")},
            {KeyHelp::tr("Space"), KeyHelp::tr("Replay: play or pause")},
            {KeyHelp::tr(", and ."), KeyHelp::tr("Replay: a step back, forward")},
            {KeyHelp::tr("Tab"), KeyHelp::tr("Next field or view")},
            {KeyHelp::tr("Escape"), KeyHelp::tr("Close what lies over the window")}};
}

void addBlock(QGridLayout& grid, int column, const QString& title, const std::vector<KeyLine>& lines) {
    int row = 0;
    auto* head = child<QLabel>(title);
    head->setProperty("role", "section");
    grid.addWidget(head, row++, column, 1, 2);
    for (const KeyLine& line : lines) {
        auto* keys = child<QLabel>(line.keys);
        keys->setProperty("role", "figure");
        grid.addWidget(keys, row, column);
        auto* what = child<QLabel>(line.what);
        what->setWordWrap(column > 0);  // where there is least room; the others give it theirs
        grid.addWidget(what, row++, column + 1);
    }
}

/// What the labels of a column take on one line each.
int columnWidth(const QGridLayout& grid, int column) {
    int width = grid.columnMinimumWidth(column);
    for (int row = 1; row < grid.rowCount(); ++row) {
        const QLayoutItem* item = grid.itemAtPosition(row, column);
        const auto* label = item ? qobject_cast<const QLabel*>(item->widget()) : nullptr;
        if (!label) continue;
        label->ensurePolished();
        width = std::max(width, label->fontMetrics().horizontalAdvance(label->text()) + 2);
    }
    return width;
}

}  // namespace

KeyHelp::KeyHelp(QWidget* window) : Overlay(window) {
    setObjectName(QStringLiteral("keyHelp"));
    setAccessibleName(tr("Keys"));
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(18, 14, 18, 14);
    auto* title = child<QLabel>(tr("Keys"), this);
    title->setProperty("role", "brand");
    column->addWidget(title);
    area_ = child<QScrollArea>(this);
    auto* inside = child<QWidget>();
    area_->setWidget(inside);
    area_->setWidgetResizable(true);
    area_->setFocusPolicy(Qt::NoFocus);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(area_, 1);
    auto* grid = grid_ = child<QGridLayout>(inside);
    grid->setHorizontalSpacing(14);
    grid->setVerticalSpacing(5);
    std::vector<KeyLine> commands;
    for (const CommandSpec& spec : commandSpecs()) {
        const QString keys = QString::fromLatin1(spec.shortcut).replace(QLatin1Char(';'), QStringLiteral(", "));
        if (!keys.isEmpty()) commands.push_back({keys, ui::tr(spec.title)});
    }
    addBlock(*grid, 0, tr("COMMANDS"), commands);
    addBlock(*grid, 3, tr("VIEWS"), viewKeys());
    grid->setColumnMinimumWidth(2, 24);
    grid->setColumnStretch(4, 1);
    grid->setRowStretch(grid->rowCount(), 1);
}

QRect KeyHelp::place(const QSize& window) const {
    const QMargins edge = layout()->contentsMargins() + grid_->contentsMargins();
    int content =
        grid_->horizontalSpacing() * (grid_->columnCount() - 1) + area_->verticalScrollBar()->sizeHint().width();
    for (int column = 0; column < grid_->columnCount(); ++column) content += columnWidth(*grid_, column);
    const int width = std::min(content + edge.left() + edge.right() + 2 * frameWidth(), window.width() - 40);
    const int others =
        layout()->sizeHint().height() - area_->sizeHint().height() + 2 * (frameWidth() + area_->frameWidth());
    const int inside = width - layout()->contentsMargins().left() - layout()->contentsMargins().right();
    const int lines = grid_->hasHeightForWidth() ? grid_->totalHeightForWidth(inside) : grid_->totalSizeHint().height();
    const int height = std::min(lines + others, window.height() - 60);
    return {(window.width() - width) / 2, (window.height() - height) / 2, width, height};
}

void KeyHelp::keyPressEvent(QKeyEvent* event) {
    const std::pair<int, QAbstractSlider::SliderAction> moves[]{
        {Qt::Key_Down, QAbstractSlider::SliderSingleStepAdd},   {Qt::Key_Up, QAbstractSlider::SliderSingleStepSub},
        {Qt::Key_PageDown, QAbstractSlider::SliderPageStepAdd}, {Qt::Key_PageUp, QAbstractSlider::SliderPageStepSub},
        {Qt::Key_Home, QAbstractSlider::SliderToMinimum},       {Qt::Key_End, QAbstractSlider::SliderToMaximum}};
    const auto* move = std::ranges::find(moves, event->key(), &std::pair<int, QAbstractSlider::SliderAction>::first);
    if (move == std::end(moves)) return Overlay::keyPressEvent(event);
    area_->verticalScrollBar()->triggerAction(move->second);
}

}  // namespace shardlab::ui
