// SPDX-License-Identifier: Apache-2.0
// Every page is there in every language and says what the English one says: as far as a program can tell.
#include "engine/base/language.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QtTest>

#include <ranges>

using namespace shardlab::test;

namespace {

struct Skeleton {
    QList<int> headings;  ///< their depths, in order
    QStringList blocks;   ///< of code, without what is said about it within; those with a name are the lessons' own
    QStringList links;    ///< the files that they lead to, sorted: languages have their own order of words
};

Skeleton skeletonOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    static const QRegularExpression link(QStringLiteral("\\]\\(([^)\\s]+)\\)"));
    static const QRegularExpression comment(QStringLiteral("(^|\\s+)(#|//)\\s.*$"));
    static const QRegularExpression ofLanguage(QStringLiteral("/[a-z]{2}_[A-Z]{2}(?=/)"));
    const QDir folder = QFileInfo(path).dir();
    Skeleton skeleton;
    bool code = false, named = false;
    for (QString line : QString::fromUtf8(file.readAll()).split('\n')) {
        if (line.startsWith("```")) {
            code = !code;
            named = code && line.contains(' ');
            if (code && !named) skeleton.blocks += line;
        } else if (code) {
            if (!named) skeleton.blocks.back() += '\n' + line.remove(comment).trimmed();
        } else if (line.startsWith('#')) {
            skeleton.headings += static_cast<int>(line.indexOf(' '));
        }
        if (!code)
            for (auto each = link.globalMatch(line); each.hasNext();) {
                // Headings are translated, and so are the links to them.
                const QString target = each.next().captured(1).section('#', 0, 0);
                if (target.isEmpty()) continue;
                skeleton.links += target.contains("://") ? target : folder.absoluteFilePath(target);
                skeleton.links.back() = QDir::cleanPath(skeleton.links.back()).remove(ofLanguage);
            }
    }
    skeleton.links.sort();
    return skeleton;
}

}  // namespace

class TranslatedPagesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pagesAreAlike_data() {
        QTest::addColumn<QString>("original");
        QTest::addColumn<QString>("translated");
        for (const char* folder : {"manual", "lessons"})
            for (const std::string_view language : languages | std::views::drop(1)) {
                const QDir pages(QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/%1").arg(folder));
                const QString name = QString::fromStdString(std::string(language));
                QStringList names = pages.entryList({"*.md"}) + QDir(pages.filePath(name)).entryList({"*.md"});
                names.removeDuplicates();
                QVERIFY(!names.isEmpty());
                for (const QString& page : names)
                    QTest::newRow(qPrintable(QStringList({folder, name, page}).join('/')))
                        << pages.filePath(page) << pages.filePath(name + '/' + page);
            }
    }

    void pagesAreAlike() {
        QFETCH(const QString, original);
        QFETCH(const QString, translated);
        QVERIFY2(QFile::exists(original), "there is no English page of this name");
        QVERIFY2(QFile::exists(translated), "the page is not translated");
        const Skeleton expected = skeletonOf(original), actual = skeletonOf(translated);
        QCOMPARE(actual.headings, expected.headings);
        QCOMPARE(actual.blocks, expected.blocks);
        QCOMPARE(actual.links, expected.links);
    }
};

QTEST_GUILESS_MAIN(TranslatedPagesTest)
#include "translated_pages_test.moc"
