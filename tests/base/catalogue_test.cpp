// SPDX-License-Identifier: Apache-2.0
// Programs without Qt read the same translations as the desktop.
#include "engine/base/catalogue.h"
#include "engine/base/language.h"
#include "tests/support/translations.h"
#include "tests/support/wings.h"

#include <QTest>

using namespace shardlab::test;
using shardlab::base::Catalogue;

class CatalogueTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itHasWhatQtReads() {
        for (const std::string_view language : languages) {
            if (language == languages.front()) continue;
            const Catalogue catalogue = Catalogue::of(language);
            int messages = 0;
            for (const auto& [source, message] : readTranslations(translationsFile(language))) {
                if (!source.startsWith("tables\n")) continue;
                const std::string pattern = source.section(QLatin1Char('\n'), 1).toStdString();
                QCOMPARE(QString::fromStdString(catalogue(pattern)), message.translation);
                ++messages;
            }
            QVERIFY(messages > 1000);
        }
    }

    void englishAndWhatIsMissingStayAsTheyAre() {
        QCOMPARE(Catalogue::of("en")("{} heads"), std::string("{} heads"));
        QCOMPARE(Catalogue::of("xx")("{} heads"), std::string("{} heads"));
        const Catalogue catalogue("<context><name>other</name><message><source>a</source><translation>0</translation>"
                                  "</message></context><context><name>tables</name><message><source>a</source>"
                                  "<translation type=\"unfinished\">1</translation></message><message><source>{} &lt; b"
                                  "</source><translation>&quot;{}&quot; &amp;lt;</translation></message><message>"
                                  "<source>c</source><translation></translation></message></context>");
        QCOMPARE(catalogue("a"), std::string("a"));
        QCOMPARE(catalogue("c"), std::string("c"));
        QCOMPARE(catalogue.told(say("{} < b", 7)), std::string("\"7\" &lt;"));
    }

    void brokenFilesAreNoTranslations() {
        for (const char* text : {"", "<name>tables</name>", "<name>tables</name><message><source>a",
                                 "<name>tables</name><message></message>", "<message><name>tables</name></message>"})
            QCOMPARE(Catalogue(text)("a"), std::string("a"));
    }
};

QTEST_GUILESS_MAIN(CatalogueTest)
#include "catalogue_test.moc"
