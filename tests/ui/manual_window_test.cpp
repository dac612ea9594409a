// SPDX-License-Identifier: GPL-3.0-or-later
// The manual: its pages as files, in the window that F1 opens, and the links between them.
#include "engine/base/pages.h"
#include "tests/support/places.h"
#include "tests/ui/desktop_fixture.h"
#include "tests/support/wings.h"
#include "ui/core/markdown_page.h"
#include "ui/core/text.h"
#include "ui/window/main_window.h"
#include "ui/window/manual_window.h"

#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QTextBlock>
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

    /// There was no search: what is looked for stands on one of twenty pages.
    void aWordIsFoundOnEveryPageAndMarkedThere() {
        Desk desk;
        ManualWindow manual(desk.workbench.theme(), nullptr);
        manual.show();
        QVERIFY(QTest::qWaitForWindowActive(&manual));
        const auto pages = manualPages();
        QTest::keyClick(&manual, Qt::Key_F, Qt::ControlModifier);
        QVERIFY(manual.query().hasFocus());
        QTest::keyClicks(&manual.query(), QStringLiteral("DEADline  seconds"));
        QVERIFY(manual.hits().isVisible() && !manual.topics().isVisible());
        // Titles of the pages that have both words in a paragraph, each followed by its lines.
        QStringList titles;
        int lines = 0;
        for (int row = 0; row < manual.hits().count(); ++row) {
            const QListWidgetItem* item = manual.hits().item(row);
            const bool hit = item->flags().testFlag(Qt::ItemIsSelectable);
            if (!hit) titles << item->text();
            lines += hit ? 1 : 0;
        }
        QVERIFY(titles.size() > 1 && lines >= titles.size());
        for (const QString& title : titles)
            QVERIFY(std::ranges::any_of(*pages, [&](const Page& page) { return text(page.title) == title; }));
        QVERIFY(!manual.hits().item(0)->flags().testFlag(Qt::ItemIsSelectable));
        QCOMPARE(manual.hits().currentRow(), 1);
        for (int hit = 1; hit < lines; ++hit) QTest::keyClick(&manual.query(), Qt::Key_Down);
        QTest::keyClick(&manual.query(), Qt::Key_Down);  // stays at the last
        QCOMPARE(manual.hits().currentRow(), manual.hits().count() - 1);
        QTest::keyClick(&manual.query(), Qt::Key_Return);
        QVERIFY(manual.isVisible());
        QCOMPARE(manual.topics().currentItem()->text(), titles.back());
        QSet<QString> marked;
        for (const auto& mark : manual.page().extraSelections()) {
            marked << mark.cursor.selectedText().toLower();
            QCOMPARE(mark.cursor.block(), manual.page().textCursor().block());
        }
        QCOMPARE(marked, (QSet<QString>{QStringLiteral("deadline"), QStringLiteral("seconds")}));
        QVERIFY(manual.page().viewport()->rect().contains(manual.page().cursorRect().center()));

        QTest::keyClick(&manual.query(), Qt::Key_Escape);
        QVERIFY(manual.isVisible() && manual.topics().isVisible() && !manual.hits().isVisible());
        manual.query().setText(QStringLiteral("rank xyzzy"));
        QCOMPARE(manual.hits().count(), 1);
        QVERIFY(!manual.hits().item(0)->flags().testFlag(Qt::ItemIsSelectable));
        QTest::keyClick(&manual.query(), Qt::Key_Return);
        manual.query().clear();
        QTest::keyClick(&manual.query(), Qt::Key_Escape);
        QVERIFY(!manual.isVisible());
    }

    /// Each line that is found is the one that is marked, on every page.
    void everyHitLeadsToItsLine() {
        Desk desk;
        ManualWindow manual(desk.workbench.theme(), nullptr);
        manual.show();
        manual.query().setText(QStringLiteral("rank"));
        QVERIFY(manual.hits().count() > 50);
        for (int row = 0; row < manual.hits().count(); ++row) {
            const QListWidgetItem* item = manual.hits().item(row);
            if (!item->flags().testFlag(Qt::ItemIsSelectable)) continue;
            manual.hits().setCurrentRow(row);
            QTest::keyClick(&manual.query(), Qt::Key_Return);
            const QString paragraph = manual.page().textCursor().block().text();
            QVERIFY2(item->data(Qt::AccessibleTextRole).toString().endsWith(paragraph), qPrintable(paragraph));
            QVERIFY(!manual.page().extraSelections().isEmpty());
        }
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
