// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/key_help.h"

#include "ui/core/child.h"
#include "ui/core/commands.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace shardlab {
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
            {KeyHelp::tr("Home / End"), KeyHelp::tr("Timeline: the begin, the end")},
            {KeyHelp::tr("Arrows"), KeyHelp::tr("Timeline: another action · mesh: another rank")},
            {KeyHelp::tr("Ctrl+arrows"), KeyHelp::tr("Order: move an action · F2: type it")},
            {KeyHelp::tr("Space"), KeyHelp::tr("Replay: play or pause")},
            {KeyHelp::tr(", and ."), KeyHelp::tr("Replay: a step back, forward")},
            {KeyHelp::tr("Tab"), KeyHelp::tr("Next field or view")},
            {KeyHelp::tr("Escape"), KeyHelp::tr("Put away what lies over the window")}};
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
        grid.addWidget(child<QLabel>(line.what), row++, column + 1);
    }
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
    auto* area = child<QScrollArea>(this);
    auto* inside = child<QWidget>();
    area->setWidget(inside);
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    column->addWidget(area, 1);
    auto* grid = child<QGridLayout>(inside);
    grid->setHorizontalSpacing(14);
    grid->setVerticalSpacing(5);
    std::vector<KeyLine> commands;
    for (const CommandSpec& spec : commandSpecs()) {
        const QString keys = QString::fromLatin1(spec.shortcut).replace(QLatin1Char(';'), QStringLiteral(", "));
        if (!keys.isEmpty()) commands.push_back({keys, tr(spec.title)});
    }
    addBlock(*grid, 0, tr("COMMANDS"), commands);
    addBlock(*grid, 3, tr("VIEWS"), viewKeys());
    grid->setColumnMinimumWidth(2, 24);
    grid->setColumnStretch(4, 1);
    grid->setRowStretch(grid->rowCount(), 1);
}

QRect KeyHelp::place(const QSize& window) const {
    const int width = std::min(760, window.width() - 40);
    const int height = std::min(640, window.height() - 60);
    return {(window.width() - width) / 2, (window.height() - height) / 2, width, height};
}

}  // namespace shardlab
