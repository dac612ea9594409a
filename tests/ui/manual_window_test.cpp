// SPDX-License-Identifier: GPL-3.0-or-later
// The manual: its pages as files, in the window that F1 opens, and the links between them.
#include "engine/base/pages.h"
#include "tests/support/places.h"
#include "tests/ui/desktop_fixture.h"
#include "tests/support/wings.h"
#include "ui/core/markdown_page.h"
#include "ui/window/main_window.h"
#include "ui/window/manual_window.h"

#include <QListWidget>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace shardlab::test;

class ManualWindowTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pagesStandInTheOrderOfTheirNumbers() {
        const QTemporaryDir folder;
        const std::filesystem::path place = folder.path().toStdString();
        std::ofstream(place / "20-second.md") << "# Two\ntext\n";
        std::ofstream(place / "10-first-page.md") << "# One";
        std::ofstream(place / "notes.txt") << "no page";
        const auto pages = readPages(place);
        QVERIFY(pages.has_value());
        QCOMPARE(pages->size(), std::size_t(2));
        QCOMPARE(pages->front().name, std::string("first-page"));
        QCOMPARE(pages->front().title, std::string("One"));
        QCOMPARE(pages->back().name, std::string("second"));
        QCOMPARE(pages->back().text, std::string("# Two\ntext\n"));
        const auto none = readPages(place / "nowhere");
        QVERIFY(!none.has_value());
        QVERIFY(none.error().text().find("nowhere") != std::string::npos);
    }

    void everyPageHasATitleOfItsOwn() {
        const auto pages = manualPages();
        QVERIFY(pages.has_value());
        QVERIFY(pages->size() > 2);
        QStringList titles;
        for (const Page& page : *pages) {
            QVERIFY2(page.text.starts_with("# "), page.name.c_str());
            titles.append(QString::fromStdString(page.title));
        }
        QCOMPARE(titles.removeDuplicates(), qsizetype(0));
    }

    void f1OpensItAndItsTopicsAreRead() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_F1);
        auto* manual = window.findChild<ManualWindow*>();
        QVERIFY(manual && manual->isVisible());
        const auto pages = manualPages();
        QCOMPARE(manual->topics().count(), static_cast<int>(pages->size()));
        QSet<QString> texts;
        for (int topic = 0; topic < manual->topics().count(); ++topic) {
            manual->topics().setCurrentRow(topic);
            const QString shown = manual->page().toPlainText();
            QVERIFY2(shown.startsWith(QString::fromStdString((*pages)[static_cast<std::size_t>(topic)].title)),
                     qPrintable(shown.left(80)));
            texts.insert(shown);
        }
        QCOMPARE(texts.size(), qsizetype(manual->topics().count()));
        window.commands()["help.manual"].trigger();
        QCOMPARE(window.findChildren<ManualWindow*>().size(), qsizetype(1));
    }

    /// The heading of the first page was scrolled away when the window appeared.
    void aPageBeginsAtItsHeading() {
        Desk desk;
        ManualWindow manual(desk.workbench.theme(), nullptr);
        manual.resize(700, 300);
        manual.show();
        QVERIFY(QTest::qWaitForWindowExposed(&manual));
        QTest::qWait(50);
        QVERIFY(manual.page().verticalScrollBar()->maximum() > 0);
        QCOMPARE(manual.page().verticalScrollBar()->value(), 0);
    }

    void linksLeadToOtherPages() {
        Desk desk;
        ManualWindow manual(desk.workbench.theme(), nullptr);
        const auto pages = manualPages();
        const auto glossary = std::ranges::find(*pages, "glossary", &Page::name);
        QVERIFY(glossary != pages->end());
        manual.topics().setCurrentRow(0);
        Q_EMIT manual.page().anchorClicked(QUrl(QStringLiteral("61-glossary.md")));
        QCOMPARE(manual.topics().currentRow(), static_cast<int>(glossary - pages->begin()));
        Q_EMIT manual.page().anchorClicked(QUrl(QStringLiteral("https://example.org/")));  // stays where it is
        QCOMPARE(manual.topics().currentRow(), static_cast<int>(glossary - pages->begin()));
    }
};

QTEST_MAIN(ManualWindowTest)
#include "manual_window_test.moc"
