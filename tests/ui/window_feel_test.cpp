// SPDX-License-Identifier: GPL-3.0-or-later
// What every view of the window has in common: tooltips of a width that is read, and a frame that says where the
// keyboard is.
#include "desktop_fixture.h"

#include "ui/core/tip_width.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QHash>
#include <QImage>
#include <QLabel>
#include <QScreen>
#include <QToolButton>
#include <QToolTip>
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
    void theViewWithTheKeyboardIsFramed();
    void iconsOfTheFileDialogAreSeen();
    void otherColoursPolishFewTimes();
};

namespace {

/// How often each widget was told of another style.
class StyleChanges : public QObject {
public:
    StyleChanges() { qApp->installEventFilter(this); }
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::StyleChange) ++counts[watched];
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
        StyleChanges changes;
        QElapsedTimer timer;
        timer.start();
        desk.workbench.theme().setDark(dark);
        qInfo("%lld widgets in other colours after %lld ms", static_cast<long long>(widgets.size()),
              static_cast<long long>(timer.elapsed()));
        qsizetype polished = 0;
        for (QWidget* widget : widgets) polished += changes.counts.value(widget);
        QVERIFY2(polished >= widgets.size() && polished <= 4 * widgets.size(), qPrintable(QString::number(polished)));
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
        }
    }
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

QTEST_MAIN(WindowFeelTest)
#include "window_feel_test.moc"
