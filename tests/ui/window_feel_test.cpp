// SPDX-License-Identifier: GPL-3.0-or-later
// What every view of the window has in common: tooltips of a width that is read, and a frame that says where the
// keyboard is.
#include "desktop_fixture.h"
#include "recorded_run.h"

#include "engine/layout/presets.h"
#include "ui/core/child.h"
#include "ui/core/style_sheet.h"
#include "ui/core/tip_width.h"
#include "ui/views/layout_form/unit_line.h"
#include "ui/window/dock_panel.h"
#include "ui/window/file_actions.h"
#include "ui/core/hint.h"
#include "ui/window/main_window.h"
#include "ui/window/message_area.h"
#include "ui/window/workspace_area.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QHash>
#include <QHeaderView>
#include <QHelpEvent>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolButton>
#include <QToolTip>
#include <QTreeView>
#include <QSet>
#include <QtTest>

#include <algorithm>
#include <cstdlib>

using namespace shardlab::test;

namespace {

QLabel* tip() {
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (widget->inherits("QTipLabel") && widget->isVisible()) return static_cast<QLabel*>(widget);
    return nullptr;
}

}  // namespace

class WindowFeelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tooltipsAreWrapped();
    void textFieldsLeaveCommandsTheirKeys();
    void aTextThatNoLongerFitsShowsItsBeginning();
    void theViewWithTheKeyboardIsFramed();
    void whateverHasTheKeyboardShowsIt();
    void theKeyboardGoesToNoViewBehindATab();
    void eachViewSaysWhatItShows();
    void tabsKeepTheirTitles();
    void iconsOfTheFileDialogAreSeen();
    void sizesAndDatesOfFilesAreRead();
    void whatGrewUnseenIsScrolledInFull();
    void aHintIsReadInLowPanels();
    void otherColoursPolishFewTimes();
    void whatIsHiddenSwitchesToo();
};

namespace {

/// How often each widget was told of other colours.
class ColourChanges : public QObject {
public:
    ColourChanges() { qApp->installEventFilter(this); }
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::PaletteChange) ++counts[watched];
        return false;
    }
    QHash<QObject*, int> counts;
};

}  // namespace

/// Every widget was once polished as often as there are widgets around it, and that for the style and for the sheet.
void WindowFeelTest::otherColoursPolishFewTimes() {
    Desk desk;
    desk.workbench.theme().setDark(true);
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const QList<QWidget*> widgets = window.findChildren<QWidget*>();
    QVERIFY(widgets.size() > 1000);
    for (const bool dark : {false, true, false}) {
        ColourChanges changes;
        QElapsedTimer timer;
        timer.start();
        desk.workbench.theme().setDark(dark);
        qInfo("%lld widgets in other colours after %lld ms", static_cast<long long>(widgets.size()),
              static_cast<long long>(timer.elapsed()));
        qsizetype told = 0;
        for (QWidget* widget : widgets) told += changes.counts.value(widget);
        QVERIFY2(told > 0 && told <= 4 * widgets.size(), qPrintable(QString::number(told)));
    }
}

/// By a ring, a caret or a mark of its own; where a view is one thing, its frame is the ring.
void WindowFeelTest::whateverHasTheKeyboardShowsIt() {
    Desk desk;
    desk.workbench.theme().setDark(true);
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.resize(1600, 1000);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTRY_VERIFY(desk.document().planIsCurrent());
    recordRun(desk.path("run.shardlab"), *desk.document().plan(), 4, 5);
    desk.workbench.openRun(desk.path("run.shardlab"));
    QTRY_VERIFY(!desk.workbench.replay().reading() && desk.workbench.replay().file() == desk.path("run.shardlab"));
    QStringList silent;
    const auto lookAt = [&](QWidget& around, const QString& where) {
        for (QWidget* widget : around.findChildren<QWidget*>()) {
            if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisible() || !widget->isEnabled()) continue;
            window.setFocus(Qt::OtherFocusReason);
            const QImage without = widget->grab().toImage();
            widget->setFocus(Qt::TabFocusReason);
            if (QApplication::focusWidget() != widget || widget->visibleRegion().isEmpty()) continue;
            if (qobject_cast<QLabel*>(widget)) QTest::keyClick(widget, Qt::Key_Tab);  // on to its first link
            QTest::qWait(20);                                                         // a chart draws in its next frame
            if (widget->grab().toImage() != without) continue;
            silent << QStringLiteral("%1: %2 %3")
                          .arg(where, QString::fromLatin1(widget->metaObject()->className()), widget->accessibleName());
        }
    };
    for (const Workspace workspace : workspaces) {
        window.showWorkspace(workspace);
        QTest::qWait(300);
        for (DockPanel* panel : window.area(workspace).panels()) {
            window.area(workspace).showPanel(panel->id());
            QTest::qWait(50);
            lookAt(*panel, name(workspace) + QLatin1Char(' ') + panel->id());
        }
    }
    QVERIFY2(silent.isEmpty(), qPrintable(silent.join(QLatin1Char('\n'))));
}

/// Tab and F6 stopped at the buttons of views that lie behind another one's tab, which Qt takes for visible.
void WindowFeelTest::theKeyboardGoesToNoViewBehindATab() {
    Desk desk;
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.resize(1280, 720);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTRY_VERIFY(desk.document().planIsCurrent());
    recordRun(desk.path("run.shardlab"), *desk.document().plan(), 4, 5);
    desk.workbench.openRun(desk.path("run.shardlab"));
    QTRY_VERIFY(!desk.workbench.replay().reading() && desk.workbench.replay().file() == desk.path("run.shardlab"));
    for (const Workspace workspace : workspaces) {
        window.showWorkspace(workspace);
        WorkspaceArea& area = window.area(workspace);
        QTest::qWait(300);
        area.focusPanel(1);
        const auto inSight = [&](const QString& by) {
            QVERIFY2(QApplication::focusWidget(), qPrintable(by));
            for (const DockPanel* panel : area.panels())
                QVERIFY2(!panel->isAncestorOf(QApplication::focusWidget()) || !panel->visibleRegion().isEmpty(),
                         qPrintable(by + QLatin1Char(' ') + name(workspace) + QLatin1Char(' ') + panel->id()));
        };
        QSet<const QWidget*> stops;
        for (int key = 0; key < 150; ++key) {
            QTest::keyClick(QApplication::focusWidget(), key < 100 ? Qt::Key_Tab : Qt::Key_Backtab);
            inSight(QStringLiteral("Tab"));
            stops << QApplication::focusWidget();
        }
        QVERIFY2(stops.size() > 10, qPrintable(name(workspace)));
        for (std::size_t panel = 0; panel < area.panels().size(); ++panel) {
            area.focusPanel(panel % 3 == 0 ? -1 : 1);
            inSight(QStringLiteral("F6"));
        }
    }
}

/// They were dark on dark.
void WindowFeelTest::iconsOfTheFileDialogAreSeen() {
    Desk desk;
    for (const bool dark : {true, false}) {
        desk.workbench.theme().setDark(dark);
        QFileDialog dialog;
        dialog.setOption(QFileDialog::DontUseNativeDialog);
        dialog.resize(700, 400);
        dialog.show();
        for (const char* name : {"backButton", "forwardButton", "toParentButton", "newFolderButton", "listModeButton",
                                 "detailModeButton"}) {
            auto* button = dialog.findChild<QToolButton*>(QString::fromLatin1(name));
            QVERIFY2(button && !button->icon().isNull(), name);
            const QImage picture = button->icon().pixmap(48, 48).toImage();
            int drawn = 0, lightness = 0;
            for (int y = 0; y < picture.height(); ++y)
                for (int x = 0; x < picture.width(); ++x)
                    if (const QColor colour = picture.pixelColor(x, y); colour.alpha() > 200)
                        ++drawn, lightness += colour.lightness();
            QVERIFY2(drawn > 20, name);
            const int background = desk.workbench.theme().theme().window.lightness();
            QVERIFY2(std::abs(lightness / drawn - background) > 100, name);
            // The file dialog's tool buttons once had so much padding that no room was left for their icons.
            const QImage shown = button->grab().toImage();
            const QColor around = shown.pixelColor(shown.width() / 2, 3);
            int seen = 0;
            for (int y = 4; y < shown.height() - 4; ++y)
                for (int x = 4; x < shown.width() - 4; ++x)
                    seen += std::abs(shown.pixelColor(x, y).lightness() - around.lightness()) > 40 ? 1 : 0;
            if (button->isEnabled()) QVERIFY2(seen > 15, name);
        }
        for (const QPushButton* button : dialog.findChildren<QPushButton*>())
            QVERIFY2(button->icon().isNull(), qPrintable(button->text()));
    }
}

/// Qt tells a scroll area in a hidden workspace nothing of the size of what is in it.
void WindowFeelTest::whatGrewUnseenIsScrolledInFull() {
    Desk desk;
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.resize(1280, 800);
    window.showWorkspace(Workspace::Design);
    DockPanel& panel = *window.area(Workspace::Design).panel(QStringLiteral("order"));
    panel.raise();
    window.show();
    const auto* area = panel.view().findChild<QScrollArea*>();
    QVERIFY(area);
    const auto fits = [area] {
        return area->horizontalScrollBar()->maximum() ==
               std::max(0, area->widget()->minimumWidth() - area->viewport()->width());
    };
    for (const char* preset : {"1f1b-8", "toy-1x1", "1f1b-4"}) {
        Layout layout = desk.document().layout();
        layout.name += "'s";
        desk.document().change(layout, QStringLiteral("name"));
        QTest::qWait(50);
        window.showWorkspace(Workspace::Home);
        QTest::qWait(50);
        QVERIFY(!area->isVisible());
        window.files().openNamed(QString::fromLatin1(preset));  // asks about the changes first
        QTest::qWait(50);
        for (auto* button : window.messageArea().findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Discard the changes")) QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(desk.document().layout() == findPreset(preset)->layout);
        QTRY_VERIFY2(area->isVisible() && fits(), preset);
    }
}

/// A hint of five lines in a panel with room for three had its first and its last line cut through.
void WindowFeelTest::aHintIsReadInLowPanels() {
    Desk desk;
    Hint hint;
    hint.setText(QStringLiteral("What one rank holds in memory over time."),
                 QStringLiteral("This run comes from another program.\nThe trace does not record memory."));
    hint.show();
    for (const QSize& size : {QSize(700, 200), QSize(700, 50), QSize(700, 30), QSize(160, 60), QSize(700, 200)}) {
        hint.resize(size);
        QTest::qWait(10);
        const bool whole = size.height() == 200;
        QCOMPARE(hint.text().contains(QStringLiteral("What one rank holds")), whole);
        QVERIFY(hint.text().contains(QStringLiteral("another program")));
        QCOMPARE(hint.toolTip().isEmpty(), whole);
        if (size.width() == 700) QVERIFY(hint.heightForWidth(size.width()) <= size.height());
    }
    hint.setText({}, {});
    QVERIFY(hint.text().isEmpty() && hint.toolTip().isEmpty());
}

void WindowFeelTest::tooltipsAreWrapped() {
    Desk desk;
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.show();
    const QString words = QStringLiteral("some words of a sentence that explains a figure of the layout, ").repeated(6);
    const auto shows = [&](const QString& text) {
        QToolTip::showText(QPoint(600, 300), text, &window);
        QTRY_VERIFY(tip() && tip()->text() == text);
        QTRY_VERIFY2(tip()->width() <= TipWidth::most, qPrintable(QString::number(tip()->width())));
        QVERIFY(tip()->height() >= tip()->heightForWidth(tip()->width()));
        QVERIFY(tip()->screen()->geometry().contains(tip()->geometry()));
    };
    shows(QStringLiteral("short"));
    QVERIFY(tip()->width() < 200);
    shows(words);  // in place of the short one
    shows(QStringLiteral("short\nagain"));
    QVERIFY(tip()->width() < 200);
    QToolTip::hideText();
    QTRY_VERIFY(!tip());
    shows(words);  // a new one
    QToolTip::hideText();
}

/// Columns of one width cut a file's size and the time of its last change.
void WindowFeelTest::sizesAndDatesOfFilesAreRead() {
    Desk desk;
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.show();
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("a-run-of-some-name.shardlab")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(1234567, 'x')) > 0);
    file.close();
    QFileDialog dialog(&window, QString(), folder.path());
    dialog.setOption(QFileDialog::DontUseNativeDialog);
    dialog.show();
    auto* files = dialog.findChild<QTreeView*>(QStringLiteral("treeView"));
    QVERIFY(files);
    QTRY_COMPARE(files->model()->rowCount(files->rootIndex()), 1);
    const QModelIndex first = files->model()->index(0, 0, files->rootIndex());
    for (int column = 1; column < files->model()->columnCount(); ++column) {
        const QString text = first.siblingAtColumn(column).data().toString();
        QVERIFY(!text.isEmpty());
        QTRY_VERIFY2(files->columnWidth(column) > files->fontMetrics().horizontalAdvance(text), qPrintable(text));
    }
    QVERIFY(files->header()->length() <= files->viewport()->width());
}

/// The form showed one letter of "Llama 3 8B training" at its right edge after the window had become smaller.
void WindowFeelTest::aTextThatNoLongerFitsShowsItsBeginning() {
    const QString words = QStringLiteral("Llama 3 8B training");
    const int letters = QFontMetrics(UnitLine(nullptr).font()).horizontalAdvance(words);
    for (const int width : {80, letters + 8, letters + 20}) {  // in padding, as the window's style sheet has it
        const auto picture = [&](int widthBefore) {
            UnitLine line(nullptr);
            line.setStyleSheet(QStringLiteral("QLineEdit { padding: 4px 8px; }"));
            line.setText(words);
            line.setCursorPosition(0);
            line.resize(widthBefore, 30);
            line.grab();
            line.resize(width, 30);
            return line.grab(QRect(10, 6, width - 20, 18)).toImage();
        };
        QCOMPARE(picture(600), picture(width));
    }
}

/// Ctrl+E, as the tour has it, was "end of line" in the fields of a bare X11.
void WindowFeelTest::textFieldsLeaveCommandsTheirKeys() {
    struct Greedy : QLineEdit {
        using QLineEdit::QLineEdit;
        bool event(QEvent* event) override {
            if (event->type() == QEvent::ShortcutOverride) event->accept();
            return event->type() == QEvent::ShortcutOverride || QLineEdit::event(event);
        }
    };
    Desk desk;
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    auto* field = child<Greedy>(&window);
    field->show();
    field->setFocus();
    const bool dark = desk.workbench.theme().theme().dark;
    QTest::keyClick(field, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(desk.workbench.theme().theme().dark, !dark);
    // The field's own undoing stays with the field.
    Layout layout = desk.document().layout();
    layout.name = "changed";
    desk.document().change(layout, QStringLiteral("name"));
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(desk.document().layout().name, std::string("changed"));
}

void WindowFeelTest::theViewWithTheKeyboardIsFramed() {
    Desk desk;
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.resize(1600, 1000);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    for (const Workspace workspace : {Workspace::Design, Workspace::Run}) {
        window.showWorkspace(workspace);
        WorkspaceArea& area = window.area(workspace);
        int framed = 0;
        for (std::size_t press = 0; press < area.panels().size(); ++press) {
            area.focusPanel(1);
            const QString id = area.focused();
            if (id.isEmpty()) continue;
            for (const DockPanel* panel : area.panels())
                QVERIFY2(panel->marked() == (panel->id() == id), qPrintable(panel->id() + " while " + id));
            ++framed;
        }
        QVERIFY(framed > 5);
    }
}

void WindowFeelTest::eachViewSaysWhatItShows() {
    Desk desk;
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.resize(1600, 1000);
    window.show();
    window.showWorkspace(Workspace::Run);
    WorkspaceArea& area = window.area(Workspace::Run);
    for (const DockPanel* panel : area.panels()) {
        QVERIFY2(panel->shows().endsWith(QLatin1Char('.')), qPrintable(panel->id()));
        // Before anything ran, it says so in its place too.
        if (!panel->isVisible() || panel->showsView()) continue;
        const auto labels = panel->findChildren<QLabel*>();
        const auto says = [&](const QLabel* label) {
            return label->text().startsWith(panel->shows()) || label->toolTip().startsWith(panel->shows());
        };
        QVERIFY2(std::ranges::any_of(labels, says), qPrintable(panel->id()));
    }
    int tabs = 0;
    for (QTabBar* bar : area.findChildren<QTabBar*>(Qt::FindDirectChildrenOnly)) {
        if (!bar->isVisible()) continue;
        for (int tab = 0; tab < bar->count(); ++tab, ++tabs) {
            QTRY_VERIFY(bar->rect().contains(bar->tabRect(tab).center()));
            const QPoint at = bar->tabRect(tab).center();
            QHelpEvent help(QEvent::ToolTip, at, bar->mapToGlobal(at));
            QCoreApplication::sendEvent(bar, &help);
            const auto panel = std::ranges::find_if(
                area.panels(), [&](const DockPanel* each) { return each->windowTitle() == bar->tabText(tab); });
            QVERIFY2(panel != area.panels().end(), qPrintable(bar->tabText(tab)));
            QCOMPARE(QToolTip::text(), bar->tabText(tab) + QLatin1Char('\n') + (*panel)->shows());
        }
    }
    QVERIFY(tabs > 8);
    QToolTip::hideText();
}

/// In narrow windows titles shrank to two letters.
void WindowFeelTest::tabsKeepTheirTitles() {
    Desk desk;
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.show();
    for (const QSize& size : {window.minimumSize(), QSize(1040, 680), QSize(1280, 720), QSize(1600, 1000)}) {
        window.resize(size);
        int stacks = 0;
        for (const Workspace workspace : {Workspace::Design, Workspace::Run, Workspace::Replay, Workspace::Learn}) {
            window.showWorkspace(workspace);
            QTest::qWait(200);
            WorkspaceArea& area = window.area(workspace);
            for (QTabBar* bar : area.findChildren<QTabBar*>(Qt::FindDirectChildrenOnly)) {
                if (!bar->isVisible()) continue;
                ++stacks;
                for (int tab = 0; tab < bar->count(); ++tab)
                    QVERIFY2(bar->tabRect(tab).width() >= bar->fontMetrics().horizontalAdvance(bar->tabText(tab)),
                             qPrintable(bar->tabText(tab)));
                // Those out of sight are found in the list of a right click, and in the menu of the view in front.
                const QPoint at = bar->rect().center();
                QContextMenuEvent asked(QContextMenuEvent::Mouse, at, bar->mapToGlobal(at));
                QCoreApplication::sendEvent(bar, &asked);
                auto* list = bar->findChild<QMenu*>();
                QVERIFY(list && list->actions().size() == bar->count());
                const int last = bar->count() - 1;
                QCOMPARE(list->actions()[last]->text(), bar->tabText(last));
                list->actions()[last]->trigger();
                QCOMPARE(bar->currentIndex(), last);
                list->close();
                const auto panel = std::ranges::find_if(
                    area.panels(), [&](const DockPanel* each) { return each->windowTitle() == bar->tabText(last); });
                QVERIFY(panel != area.panels().end() && (*panel)->isVisible());
                QMenu menu;
                (*panel)->fillMenu(menu);
                QVERIFY(menu.actions().front()->menu());
                QCOMPARE(menu.actions().front()->menu()->actions().size(), bar->count());
                menu.actions().front()->menu()->actions().front()->trigger();
                QCOMPARE(bar->currentIndex(), 0);
            }
        }
        QVERIFY(stacks > 6);
    }
}

/// What was out of sight when the theme switched has its colours when it is seen, whatever its role has become.
void WindowFeelTest::whatIsHiddenSwitchesToo() {
    Desk desk;
    ThemeSource& theme = desk.workbench.theme();
    theme.setDark(true);
    QStackedWidget window;
    std::vector<QLabel*> labels;
    for (int page = 0; page < 3; ++page) {
        labels.push_back(child<QLabel>(QStringLiteral("page"), nullptr));
        setRole(*labels.back(), "dim");
        window.addWidget(labels.back());
    }
    window.show();
    for (const int page : {1, 2, 0}) window.setCurrentIndex(page);
    const auto colour = [&](int page) {
        return labels[static_cast<std::size_t>(page)]->palette().color(QPalette::WindowText);
    };
    for (const bool dark : {false, true, false}) {
        theme.setDark(dark);
        QCOMPARE(colour(0), theme.theme().dim);
    }
    setRole(*labels[2], "title");
    for (const int page : {1, 2}) window.setCurrentIndex(page);
    QCOMPARE(colour(1), theme.theme().dim);
    QCOMPARE(colour(2), theme.theme().text);
}

QTEST_MAIN(WindowFeelTest)
#include "window_feel_test.moc"
