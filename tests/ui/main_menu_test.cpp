// SPDX-License-Identifier: GPL-3.0-or-later
// The menus hold every command once and fit a small screen; the palette says why a command is not possible now.
#include "desktop_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/wings.h"

#include "ui/window/command_palette.h"
#include "ui/window/command_reasons.h"
#include "ui/window/file_actions.h"
#include "ui/window/main_menu.h"
#include "ui/window/main_window.h"
#include "ui/window/top_bar.h"

#include "engine/layout/presets.h"

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QtTest>

#include <algorithm>

using namespace shardlab::test;

namespace {

/// Every menu below a list of actions, filled as it is when it opens.
void menusOf(const QList<QAction*>& actions, QList<QMenu*>& all) {
    for (QAction* action : actions) {
        QMenu* menu = action->menu();
        if (!menu) continue;
        Q_EMIT menu->aboutToShow();
        all.append(menu);
        menusOf(menu->actions(), all);
    }
}

}  // namespace

class MainMenuTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyCommandIsInOneMenu() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.resize(1280, 720);
        window.show();
        auto* bar = window.findChild<MainMenu*>();
        QVERIFY(bar && bar->isVisible());
        QStringList titles;
        for (const QAction* action : bar->actions()) titles << QString(action->text()).remove('&');
        QCOMPARE(titles, QStringList({"File", "Edit", "Run", "View", "Help"}));
        QVERIFY2(bar->width() >= bar->sizeHint().width(), "the menus are cut");
        QList<QMenu*> menus;
        menusOf(bar->actions(), menus);
        for (const CommandSpec& spec : commandSpecs()) {
            int times = 0;
            for (const QMenu* menu : menus)
                times += static_cast<int>(menu->actions().count(&window.commands()[spec.id]));
            QVERIFY2(times == 1, spec.id);
        }
        for (const QMenu* menu : menus)
            QVERIFY2(menu->sizeHint().height() < 640,
                     qPrintable(menu->title() + QString::number(menu->sizeHint().height())));
    }

    void presetsAreInSubmenusByFamily() {
        Desk desk;
        MainWindow window(desk.workbench);
        QList<QMenu*> menus;
        menusOf(window.findChild<MainMenu*>()->actions(), menus);
        const auto known = presets();
        QVERIFY(known.has_value());
        for (const Preset& preset : *known) {
            QAction* found = nullptr;
            for (const QMenu* menu : menus) {
                if (menu->title() != QString::fromStdString(preset.family)) continue;
                for (QAction* action : menu->actions())
                    if (action->text() == QString::fromStdString(preset.name)) found = action;
            }
            QVERIFY2(found, preset.name.c_str());
            if (preset.name != "gpipe-8") continue;
            found->trigger();
            QVERIFY(desk.document().layout() == preset.layout);
        }
    }

    void theKeyboardOpensTheFirstMenu() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTimer::singleShot(50, &window, [] {
            if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
        });
        QSignalSpy opened(window.findChild<MainMenu*>()->actions().constFirst()->menu(), &QMenu::aboutToShow);
        QTest::keyClick(&window, Qt::Key_F10);
        QTRY_COMPARE(opened.count(), 1);
    }

    void thePaletteFindsLessonsByTheirTitles() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.showWorkspace(Workspace::Home);
        window.commands()["help.palette"].trigger();
        auto* palette = window.findChild<CommandPalette*>();
        auto* list = palette->findChild<QListWidget*>();
        auto* query = palette->findChild<QLineEdit*>();
        QTest::keyClicks(query, QStringLiteral("nothing like it"));
        QVERIFY(!list->isVisible());
        const auto labels = palette->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) { return label->isVisible(); }));
        const auto found = [&] {  // once they have been read
            query->clear();
            QTest::keyClicks(query, QStringLiteral("lesson recomput"));
            return list->count();
        };
        QTRY_COMPARE_WITH_TIMEOUT(found(), 1, patience);
        QTest::keyClick(query, Qt::Key_Return);
        QVERIFY(desk.workbench.lessons().lesson());
        QCOMPARE(desk.workbench.lessons().lesson()->name, std::string("recompute"));
    }

    /// A run that ended behind the open palette left a command that looked possible and did nothing.
    void thePaletteSaysWhatIsPossibleNoMore() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.show();
        window.showWorkspace(Workspace::Design);
        window.commands()["help.palette"].trigger();
        auto* palette = window.findChild<CommandPalette*>();
        auto* list = palette->findChild<QListWidget*>();
        auto* query = palette->findChild<QLineEdit*>();
        QAction& possible = window.commands()["plan.search"];
        QVERIFY(possible.isEnabled());
        QTest::keyClicks(query, possible.text());
        const auto said = [&] { return list->currentItem()->data(Qt::AccessibleTextRole).toString(); };
        QVERIFY2(said().startsWith(possible.text()) && !said().contains("not now"), qPrintable(said()));
        possible.setEnabled(false);
        QTest::keyClick(query, Qt::Key_Return);
        QVERIFY(palette->isVisible());
        QVERIFY2(said().startsWith(possible.text()) && said().contains("not now"), qPrintable(said()));
    }

    void thePaletteSaysWhyNot() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.show();
        const auto everyDisabledCommandSaysWhy = [&](const char* state) {
            for (const Workspace workspace : workspaces) {
                window.showWorkspace(workspace);
                for (const CommandSpec& spec : commandSpecs()) {
                    if (window.commands()[spec.id].isEnabled()) continue;
                    const QString why = whyNot(QString::fromLatin1(spec.id), desk.workbench, workspace);
                    QVERIFY2(!why.isEmpty() && why != QStringLiteral("not possible now"),
                             qPrintable(QString::fromLatin1(spec.id) + " while " + state));
                }
            }
        };
        everyDisabledCommandSaysWhy("nothing runs");
        window.showWorkspace(Workspace::Design);
        QVERIFY(whyNot("run.stop", desk.workbench, Workspace::Design).contains(QStringLiteral("no run")));
        window.commands()["help.palette"].trigger();
        auto* palette = window.findChild<CommandPalette*>();
        auto* list = palette->findChild<QListWidget*>();
        auto* query = palette->findChild<QLineEdit*>();
        QTest::keyClicks(query, QStringLiteral("stop"));
        int row = -1;
        for (int each = 0; each < list->count(); ++each)
            if (list->item(each)->text() == QStringLiteral("Stop")) row = each;
        QVERIFY(row >= 0);
        QVERIFY2(list->item(row)
                     ->data(Qt::AccessibleTextRole)
                     .toString()
                     .endsWith(QStringLiteral("not now: no run is under way")),
                 qPrintable(list->item(row)->data(Qt::AccessibleTextRole).toString()));
        list->setCurrentRow(row);
        QTest::keyClick(query, Qt::Key_Return);
        QVERIFY(palette->isVisible());  // nothing was done, and the reason can be read
        query->clear();
        // What is possible stands first.
        QTest::keyClicks(query, QStringLiteral("run"));
        bool grey = false;
        for (int each = 0; each < list->count(); ++each) {
            const bool now = list->item(each)->data(Qt::AccessibleTextRole).toString().contains("not now");
            QVERIFY(!grey || now);
            grey = now;
        }
        QVERIFY(grey);
        QTest::keyClick(query, Qt::Key_Escape);

        QVERIFY(desk.workbench.startRun());
        QTRY_COMPARE(desk.workbench.run().state(), std::optional(RunState::Running));
        everyDisabledCommandSaysWhy("a run goes on");
        QVERIFY(whyNot("run.start", desk.workbench, Workspace::Run).contains(QStringLiteral("under way")));
        QVERIFY(whyNot("run.kill", desk.workbench, Workspace::Run).contains(QStringLiteral("no rank is selected")));
        desk.jobs->end("stopped");
        QTRY_VERIFY(!desk.workbench.run().active());
        everyDisabledCommandSaysWhy("a run has ended");
    }

    void theNameLeadsHome() {
        Desk desk;
        MainWindow window(desk.workbench);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.showWorkspace(Workspace::Run);
        QTest::mouseClick(&window.findChild<TopBar*>()->homeButton(), Qt::LeftButton);
        QCOMPARE(window.workspace(), Workspace::Home);
        QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(window.workspace(), Workspace::Design);
        QTest::keyClick(&window, Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(window.workspace(), Workspace::Home);
    }

    /// It looked like a button that exports at once, with room for a sign that was missing.
    void aButtonWithAMenuHasItsSign() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        desk.workbench.theme().setDark(false);
        window.show();
        auto* button = window.findChild<QPushButton*>(QStringLiteral("top.export"));
        QVERIFY(button && button->isVisible());
        const QImage picture = button->grab().toImage().convertToFormat(QImage::Format_RGB32);
        const QRect sign(picture.width() - 24, 5, 18, picture.height() - 10);
        int drawn = 0;
        for (int y = sign.top(); y <= sign.bottom(); ++y)
            for (int x = sign.left(); x <= sign.right(); ++x)
                drawn += picture.pixel(x, y) != picture.pixel(sign.topLeft()) ? 1 : 0;
        QVERIFY2(drawn > 8 && drawn < 120, QByteArray::number(drawn));
    }
};

QTEST_MAIN(MainMenuTest)
#include "main_menu_test.moc"
