// SPDX-License-Identifier: Apache-2.0
// Under a Chinese locale the command line tells errors, faults and notes in Chinese, and what programs read in English.
#include "tests/support/command.h"

#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab::test;

namespace {

QStringList under(const QString& locale) {
    QStringList environment = QProcess::systemEnvironment();
    environment.removeIf([](const QString& each) {
        return each.startsWith("LC_") || each.startsWith("LANG") || each.startsWith("SHARDLAB_LANGUAGE=");
    });
    return environment << "LANG=" + locale;
}

/// Lines without a Chinese character.
QStringList notChinese(const QByteArray& text) {
    static const QRegularExpression han(QStringLiteral("\\p{Han}"));
    QStringList lines;
    for (const QString& line : QString::fromUtf8(text).split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        if (!line.contains(han)) lines += line;
    return lines;
}

}  // namespace

class ChineseCommandTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void errorsAndFaultsAreInTheLanguageOfTheLocale() {
        const QTemporaryDir folder;
        const QString broken = writeFile(folder.filePath("broken.json"), "{\"model\": "),
                      faulty = writeFile(folder.filePath("faulty.json"),
                                         QByteArray(smallLayout(1)).replace("\"heads\": 2", "\"heads\": 3"));
        const QStringList calls[]{
            {"run", broken}, {"run", faulty}, {"run", folder.filePath("none.json")}, {"info", broken}};
        for (const QStringList& call : calls) {
            const Answer chinese = run(call, folder.path(), under("zh_CN.UTF-8"));
            const Answer english = run(call, folder.path(), under("C.UTF-8"));
            QVERIFY(chinese.status == 1 && english.status == 1);
            QVERIFY2(!chinese.error.isEmpty() && notChinese(chinese.error).isEmpty(),
                     qPrintable(call.join(' ') + ": " + chinese.error));
            QVERIFY2(notChinese(english.error).join('\n') == QString::fromUtf8(english.error).trimmed(),
                     english.error.constData());
        }
        QVERIFY(run({"run", broken}, {}, under("zh_CN.UTF-8")).error.contains("文本在值结束之前就结束了"));
        QVERIFY(run({"run", broken}, {}, under("de_DE.UTF-8")).error.contains("the text ends before the value does"));
    }

    /// The same bytes whatever the locale.
    void whatProgramsReadIsEnglish() {
        for (const QStringList& call :
             {QStringList{"plan", "1f1b-4", "--json"},
              QStringList{"info", "--json", SHARDLAB_SOURCE_DIR "/tests/trace/runs/format-5.shardlab"}}) {
            const Answer chinese = run(call, {}, under("zh_CN.UTF-8")), english = run(call, {}, under("C.UTF-8"));
            QVERIFY2(english.status == 0 && !english.json().isEmpty(), english.error.constData());
            QCOMPARE(chinese.out, english.out);
        }
    }
};

QTEST_GUILESS_MAIN(ChineseCommandTest)
#include "chinese_command_test.moc"
