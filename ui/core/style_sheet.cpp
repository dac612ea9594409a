// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/style_sheet.h"

#include "ui/core/icons.h"
#include "ui/core/theme.h"

#include <QHash>
#include <QStyle>
#include <QVariant>
#include <QWidget>

namespace shardlab::ui {
namespace {

/// @name@ stands for a colour or font of the theme.
constexpr const char* sheet = R"(
* { outline: none; }
QToolTip { background: @raised@; color: @text@; border: 1px solid @border@; padding: 4px; }
QMainWindow, QDialog { background: @window@; }
QStackedWidget[role="bare"], QFrame[role="bare"] { background: transparent; border: none; }
QMainWindow::separator { background: transparent; width: 8px; height: 8px; }
QMainWindow::separator:hover { background: @border@; }

QFrame[role="topBar"] { background: @panel@; border: none; border-bottom: 1px solid @border@; }
QFrame[role="rail"] { background: @panel@; border: none; border-right: 1px solid @border@; }
QFrame[role="statusLine"] { background: @panel@; border: none; border-top: 1px solid @border@; }
QFrame[role="panel"] { background: @panel@; border: 1px solid @border@; border-radius: 6px; }
QFrame[role="head"] { background: @panel@; border: 1px solid @border@;
    border-top-left-radius: 6px; border-top-right-radius: 6px; }
QFrame[role="body"] { background: @panel@; border: 1px solid @border@; border-top: none;
    border-bottom-left-radius: 6px; border-bottom-right-radius: 6px; }
QFrame[role="head"][focused="true"], QFrame[role="body"][focused="true"] { border-color: @accent@; }
QFrame[role="message"] { background: @raised@; border: 1px solid @accent@; border-radius: 6px; }
QFrame[role="messageWarning"] { background: @raised@; border: 1px solid @warning@; border-radius: 6px; }
QFrame[role="messageBad"] { background: @raised@; border: 1px solid @bad@; border-radius: 6px; }
QFrame[role="task"] { background: @raised@; border: 1px solid @border@; border-left: 3px solid @accent@;
    border-radius: 5px; }
QFrame[role="task"] QPushButton, QFrame[role="task"] QToolButton { background: @panel@; }
QFrame[role="task"] QPushButton[role="primary"] { background: @accent@; }
QFrame[role="task"] QPushButton[role="primary"]:disabled { background: @panel@; }
QFrame[role="task"] QPushButton[role="flat"] { background: transparent; }
QFrame[role="task"] QPushButton[role="flat"]:checked, QFrame[role="task"] QPushButton[role="flat"]:hover { background: @panel@; }
QFrame[role="overlay"] { background: @panel@; border: 1px solid @accent@; border-radius: 8px; }

QLabel { background: transparent; color: @text@; }
QLabel[role="dim"] { color: @dim@; }
QLabel[role="chosen"] { color: @accent@; }
QLabel[role="hint"] { color: @dim@; font-size: 14px; }
QLabel[role="section"] { color: @dim@; font-size: 11px; letter-spacing: 1px; }
QLabel[role="title"] { font-weight: 600; }
QLabel[role="brand"] { font-weight: 700; font-size: 15px; }
QLabel[role="figure"] { font-family: "@mono@"; }
QLabel[role="good"] { color: @good@; font-weight: 600; }
QLabel[role="warning"] { color: @warning@; font-weight: 600; }
QLabel[role="bad"] { color: @bad@; font-weight: 600; }
QLabel[role="fault"] { color: @bad@; font-size: 12px; }
QLabel[role="small"] { color: @dim@; font-size: 12px; }
QLabel[role="chip"] { background: @raised@; border-radius: 5px; padding: 4px 9px; }
QLabel[role="chipFigure"] { background: @raised@; border-radius: 5px; padding: 4px 9px; font-family: "@mono@"; }

QPushButton, QToolButton { background: @raised@; color: @text@; border: 1px solid transparent; border-radius: 5px;
    padding: 5px 13px; font-weight: 600; }
QPushButton:hover, QToolButton:hover { border-color: @border@; }
QPushButton:pressed, QToolButton:pressed { background: @border@; }
QPushButton:focus, QToolButton:focus { border-color: @accent@; }
QPushButton:disabled, QToolButton:disabled { color: @faint@; }
QPushButton[role="primary"], QToolButton[role="primary"] { background: @accent@; color: @onAccent@; }
QPushButton[role="primary"]:focus, QToolButton[role="primary"]:focus { border-color: @text@; }
QPushButton[role="primary"]:disabled, QToolButton[role="primary"]:disabled { background: @raised@; color: @faint@; }
QPushButton[role="flat"], QToolButton[role="flat"] { background: transparent; padding: 2px 5px; font-weight: 400; }
QPushButton[role="flat"]:checked, QToolButton[role="flat"]:checked { background: @raised@; color: @accent@; }
QPushButton[role="flat"]:hover, QToolButton[role="flat"]:hover { background: @raised@; }
QToolButton[role="section"] { background: transparent; color: @dim@; font-size: 11px; letter-spacing: 1px; font-weight: 400;
    padding: 1px 3px 1px 0px; }
QToolButton[role="brand"] { background: transparent; font-weight: 700; font-size: 15px; padding: 4px 8px; }
QToolButton[role="brand"]:hover { background: @raised@; }
QToolButton[role="rail"] { background: transparent; border-radius: 6px; padding: 6px 2px 5px 2px; font-size: 11px;
    font-weight: 400; color: @dim@; }
QToolButton[role="rail"]:hover { background: @raised@; }
QToolButton[role="rail"]:checked { background: @raised@; color: @text@; }
QMenuBar { background: transparent; color: @text@; border: none; }
QMenuBar::item { background: transparent; color: @text@; padding: 5px 8px; border-radius: 4px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @raised@; }
QToolButton::menu-indicator, QPushButton::menu-indicator { image: none; }
QPushButton[role="menu"] { padding-right: 26px; }
QPushButton[role="menu"]::menu-indicator { image: url(:/icons/down-@shade@.svg); width: 12px; height: 12px;
    subcontrol-origin: border; subcontrol-position: center right; right: 9px; }

QLineEdit, QSpinBox, QComboBox, QAbstractSpinBox, QPlainTextEdit { background: @raised@; color: @text@;
    border: 1px solid @border@; border-radius: 5px; padding: 3px 7px; font-family: "@mono@";
    selection-background-color: @accent@; selection-color: @onAccent@; }
QPlainTextEdit[role="prose"] { font-family: "@body@"; }
QLineEdit:focus, QSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus { border-color: @accent@; }
QLineEdit:disabled, QSpinBox:disabled, QComboBox:disabled { color: @faint@; }
QLineEdit[subdued="true"], QSpinBox[subdued="true"], QComboBox[subdued="true"] { color: @faint@; background: transparent; }
QLabel[subdued="true"], QCheckBox[subdued="true"] { color: @faint@; }
QLineEdit[faulty="true"], QSpinBox[faulty="true"], QComboBox[faulty="true"] { border-color: @bad@; }
QComboBox::drop-down { border: none; width: 18px; }
QComboBox::down-arrow { image: url(:/icons/down-@shade@.svg); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @raised@; color: @text@; border: 1px solid @border@;
    selection-background-color: @accent@; selection-color: @onAccent@; }
QCheckBox, QRadioButton { spacing: 7px; color: @text@; background: transparent; border: 1px solid transparent;
    border-radius: 4px; padding: 1px; }
QCheckBox:focus, QRadioButton:focus { border-color: @accent@; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid @dim@; border-radius: 4px; background: @raised@; }
QCheckBox::indicator:checked { border-color: @accent@; background: @accent@; image: url(:/icons/check-@shade@.svg); }

QRadioButton::indicator { width: 14px; height: 14px; border: 1px solid @dim@; border-radius: 8px;
    background: @raised@; }
QRadioButton::indicator:checked { width: 8px; height: 8px; border: 4px solid @accent@; background: @onAccent@; }
QTextBrowser { background: transparent; color: @text@; border: 1px solid transparent; border-radius: 4px;
    selection-background-color: @accent@; selection-color: @onAccent@; }
QTextBrowser:focus { border-color: @accent@; }
QFileDialog QToolButton, QTabBar QToolButton { padding: 3px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QFileDialog { backward-icon: url(:/icons/back-@shade@.svg); forward-icon: url(:/icons/forward-@shade@.svg);
    filedialog-parent-directory-icon: url(:/icons/up-@shade@.svg);
    filedialog-new-directory-icon: url(:/icons/folder-new-@shade@.svg);
    filedialog-listview-icon: url(:/icons/list-@shade@.svg);
    filedialog-detailedview-icon: url(:/icons/details-@shade@.svg); }
QLineEdit { lineedit-clear-button-icon: url(:/icons/clear-@shade@.svg); }
QScrollArea { background: transparent; border: 1px solid transparent; border-radius: 4px; }
QScrollArea:focus { border-color: @accent@; }
QScrollArea > QWidget > QWidget { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @border@; border-radius: 4px; min-height: 24px; min-width: 24px; margin: 1px; }
QScrollBar::handle:hover { background: @dim@; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QMenu { background: @panel@; color: @text@; border: 1px solid @border@; padding: 4px; }
QMenu::item { padding: 5px 22px 5px 22px; border-radius: 4px; }
QMenu::item:selected { background: @raised@; }
QMenu::item:disabled { color: @faint@; }
QMenu::separator { height: 1px; background: @border@; margin: 4px 8px; }

QTableView, QTreeView, QListView, QTableWidget, QListWidget { background: transparent; color: @text@;
    border: 1px solid transparent; border-radius: 4px; gridline-color: @grid@;
    selection-background-color: @raised@; selection-color: @text@; }
QTableView:focus, QTreeView:focus, QListView:focus { border-color: @accent@; }
QListView[role="rows"]:focus { border-color: transparent; }
QTableView::item:focus, QListView::item:focus { border: 1px solid @accent@; }
QListView::item { padding: 5px 8px; border-radius: 4px; }
QListView::item:selected { background: @accent@; color: @onAccent@; }
QListView, QListWidget { selection-background-color: @accent@; selection-color: @onAccent@; }
QHeaderView { background: transparent; border: none; }
QHeaderView::section { background: transparent; color: @dim@; border: none; border-bottom: 1px solid @grid@;
    padding: 4px; font-weight: 400; }
QMainWindow > QTabBar::tab, QDialog QTabBar::tab { background: transparent; color: @dim@; padding: 5px 7px;
    border: 1px solid transparent; border-top-left-radius: 6px; border-top-right-radius: 6px; }
QMainWindow > QTabBar::tab:selected, QDialog QTabBar::tab:selected { background: @panel@; color: @text@;
    border-color: @border@; border-bottom-color: @panel@; }
QMainWindow > QTabBar::tab:hover, QDialog QTabBar::tab:hover { color: @text@; }
QProgressBar { background: @raised@; border: none; border-radius: 3px; height: 6px; text-align: center; }
QProgressBar::chunk { background: @accent@; border-radius: 3px; }
QSlider::groove:horizontal { background: @border@; height: 6px; border-radius: 3px; }
QSlider::sub-page:horizontal { background: @accent@; border-radius: 3px; }
QSlider::handle:horizontal { background: @text@; width: 12px; margin: -4px 0; border-radius: 6px; }
QSlider::handle:horizontal:focus { background: @accent@; }
QSlider::handle:horizontal:disabled, QSlider::sub-page:horizontal:disabled { background: @border@; }
)";

void restyle(QWidget& widget) {
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
    widget.update();
}

void setMark(QWidget& widget, const char* property, bool on) {
    if (widget.property(property).toBool() == on) return;
    widget.setProperty(property, on);
    restyle(widget);
}

}  // namespace

QString styleSheet(const Theme& theme) {
    useIcons();
    QColor faint = theme.dim;
    faint.setAlpha(130);
    const QHash<QString, QString> values{
        {"window", theme.window.name()},
        {"panel", theme.panel.name()},
        {"raised", theme.raised.name()},
        {"border", theme.border.name()},
        {"grid", theme.grid.name()},
        {"text", theme.text.name()},
        {"dim", theme.dim.name()},
        {"accent", theme.accent.name()},
        {"onAccent", theme.onAccent.name()},
        {"good", theme.good.name()},
        {"warning", theme.warning.name()},
        {"bad", theme.bad.name()},
        {"mono", theme.mono.family()},
        {"body", theme.body.family()},
        {"shade", theme.dark ? "dark" : "light"},
        {"faint",
         QStringLiteral("rgba(%1,%2,%3,%4)").arg(faint.red()).arg(faint.green()).arg(faint.blue()).arg(faint.alpha())}};
    QString text = QString::fromUtf8(sheet);
    for (auto value = values.begin(); value != values.end(); ++value)
        text.replace(QLatin1Char('@') + value.key() + QLatin1Char('@'), value.value());
    return text;
}

void setRole(QWidget& widget, const char* role) {
    if (widget.property("role").toString() == QLatin1String(role)) return;
    widget.setProperty("role", QString::fromLatin1(role));
    restyle(widget);
}

void setFaulty(QWidget& widget, bool faulty) { setMark(widget, "faulty", faulty); }

void setFocused(QWidget& widget, bool focused) { setMark(widget, "focused", focused); }

void setSubdued(QWidget& widget, bool subdued) { setMark(widget, "subdued", subdued); }

}  // namespace shardlab::ui
