// SPDX-License-Identifier: Apache-2.0
// What the page about safety promises is shown by tests that there are.
#include "tests/support/places.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

class ThreatModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyPromiseHasATest() {
        const QString root = QStringLiteral(SHARDLAB_SOURCE_DIR);
        QSet<QString> tests;
        QDirIterator sources(root + "/tests", {"*_test.cpp", "*_target.cpp"}, QDir::Files,
                             QDirIterator::Subdirectories);
        while (sources.hasNext()) {
            QString name = QFileInfo(sources.next()).completeBaseName();
            tests.insert(name.endsWith("_target") ? name.replace("_target", "_replay_test") : name);
        }
        QFile page(root + "/resources/manual/56-safety.md");
        QVERIFY(page.open(QIODevice::ReadOnly));
        static const QRegularExpression named("`(\\w+_test)`");
        QSet<QString> told;
        int promises = 0;
        for (const QString& line : QString::fromUtf8(page.readAll()).split('\n')) {
            QStringList here;
            auto matches = named.globalMatch(line);
            while (matches.hasNext()) here << matches.next().captured(1);
            for (const QString& test : here) QVERIFY2(tests.contains(test), qPrintable("there is no " + test));
            told.unite(QSet<QString>(here.begin(), here.end()));
            const bool promise = line.startsWith("| ") && !line.contains("| test |");
            if (promise) QVERIFY2(!here.isEmpty(), qPrintable("no test shows: " + line));
            promises += promise;
        }
        QVERIFY(promises > 15);
        // Tests of faults that the page does not know show promises that it does not make.
        for (const QString& wing : QDir(root + "/tests").entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            for (const QString& file : QDir(root + "/tests/" + wing + "/fault").entryList({"*_test.cpp"}))
                if (const QString name = QFileInfo(file).completeBaseName(); !told.contains(name))
                    qInfo("%s is on no line of the page", qPrintable(name));
    }
};

QTEST_GUILESS_MAIN(ThreatModelTest)
#include "threat_model_test.moc"
