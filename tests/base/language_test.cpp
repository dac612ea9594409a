// SPDX-License-Identifier: Apache-2.0
// Which language pages are shown in, and where they come from.
#include "engine/base/language.h"
#include "engine/base/pages.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace shardlab::test;

class LanguageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        for (const char* name : {"SHARDLAB_LANGUAGE", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"}) qunsetenv(name);
    }

    void localesNameLanguages() {
        for (const char* chinese : {"zh_CN", "zh_CN.UTF-8", "zh-Hans-SG", "zh", "zh_SG.GB18030"})
            QCOMPARE(languageOf(chinese).value_or("none"), std::string_view("zh_CN"));
        for (const char* english : {"en", "en_GB.UTF-8", "C", "C.UTF-8", "POSIX"})
            QCOMPARE(languageOf(english).value_or("none"), std::string_view("en"));
        for (const char* none : {"zh_TW.UTF-8", "zh-Hant", "zh_HK", "de_DE.UTF-8", "", "enm", "Chinese"})
            QVERIFY(!languageOf(none));
    }

    void theEnvironmentDecides_data() {
        QTest::addColumn<QStringList>("set");
        QTest::addColumn<QString>("expected");
        QTest::newRow("nothing") << QStringList{} << "en";
        QTest::newRow("the locale") << QStringList{"LANG=zh_CN.UTF-8"} << "zh_CN";
        QTest::newRow("of messages") << QStringList{"LANG=de_DE.UTF-8", "LC_MESSAGES=zh_CN.UTF-8"} << "zh_CN";
        QTest::newRow("all goes first") << QStringList{"LANG=zh_CN.UTF-8", "LC_ALL=en_US.UTF-8"} << "en";
        QTest::newRow("an unknown one") << QStringList{"LANG=de_DE.UTF-8"} << "en";
        QTest::newRow("a list") << QStringList{"LANG=en_US.UTF-8", "LANGUAGE=de:zh_CN:en"} << "zh_CN";
        QTest::newRow("a list of unknown ones") << QStringList{"LANG=zh_CN.UTF-8", "LANGUAGE=de::fr"} << "zh_CN";
        QTest::newRow("no list for C") << QStringList{"LANG=C.UTF-8", "LANGUAGE=zh_CN"} << "en";
        QTest::newRow("what was chosen") << QStringList{"LC_ALL=C", "SHARDLAB_LANGUAGE=zh_CN"} << "zh_CN";
        QTest::newRow("nonsense chosen") << QStringList{"LANG=zh_CN", "SHARDLAB_LANGUAGE=klingon"} << "zh_CN";
    }

    void theEnvironmentDecides() {
        QFETCH(const QStringList, set);
        QFETCH(const QString, expected);
        for (const QString& one : set) qputenv(qPrintable(one.section('=', 0, 0)), one.section('=', 1).toUtf8());
        QCOMPARE(QString::fromStdString(std::string(language())), expected);
        chooseLanguage("en");
        QCOMPARE(language(), std::string_view("en"));
    }

    void pagesAreTranslatedOneByOne() {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkdir("zh_CN"));
        const auto write = [&](const char* name, const char* text) {
            QFile file(folder.filePath(name));
            return file.open(QIODevice::WriteOnly) && file.write(text) > 0;
        };
        QVERIFY(write("10-one.md", "# One\n") && write("20-two.md", "# Two\n") && write("zh_CN/20-two.md", "# 二\n"));
        const auto titles = [&] {
            std::string all;
            const auto pages = readPages(folder.path().toStdString());
            for (const Page& page : *pages) all += page.name + " " + page.title + ";";
            return all;
        };
        QCOMPARE(titles(), std::string("one One;two Two;"));
        chooseLanguage("zh_CN");
        QCOMPARE(titles(), std::string("one One;two 二;"));
    }
};

QTEST_GUILESS_MAIN(LanguageTest)
#include "language_test.moc"
