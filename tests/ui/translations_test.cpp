// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop in other languages: nothing that it says lacks a translation, and no translation is cut off. With
// SHARDLAB_REGENERATE=1 resources/translations take in what is new, for somebody to translate.
#include "desktop_fixture.h"
#include "table_words.h"
#include "tests/support/translations.h"

#include "engine/base/language.h"
#include "ui/core/words.h"
#include "ui/views/layout_form/field_editor.h"
#include "ui/views/layout_form/field_row.h"
#include "ui/views/layout_form/layout_form.h"
#include "ui/window/dock_panel.h"
#include "ui/window/language.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QFile>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QTranslator>
#include <QtTest>

using namespace shardlab::test;

namespace {

/// A translation of the words of the engine's tables is asked for by a source like those of the desktop.
bool writeTables(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return false;
    for (std::string word : tableWords()) {
        for (std::size_t at = 0; (at = word.find_first_of("\"\\", at)) != word.npos; at += 2) word.insert(at, "\\");
        file.write(QByteArray::fromStdString("QT_TRANSLATE_NOOP(\"tables\", \"" + word + "\");\n"));
    }
    return true;
}

/// Places of Qt's sentences, and those of the engine's with their numbers, which a translation may have in its own
/// order.
QStringList placesOf(const QString& text) {
    static const QRegularExpression place(QStringLiteral("%[1-9]|\\{([0-9]?)(:[^}]*)?\\}"));
    QStringList places;
    int next = 0;
    for (auto each = place.globalMatch(text); each.hasNext();) {
        const QRegularExpressionMatch found = each.next();
        if (found.captured().startsWith(QLatin1Char('%'))) places += found.captured();
        else places += found.captured(1).isEmpty() ? QString::number(next++) : found.captured(1);
    }
    places.sort();
    return places;
}

bool isChinese(const QString& text) {
    static const QRegularExpression han(QStringLiteral("\\p{Han}"));
    return text.contains(han);
}

}  // namespace

class TranslationsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingIsMissing_data();
    void nothingIsMissing();
    void placesStayInTranslations();
    void theWindowSpeaksChinese();
    void fieldsAreFoundInBothLanguages();
};

void TranslationsTest::nothingIsMissing_data() {
    QTest::addColumn<QString>("file");
    for (const std::string_view language : languages)
        if (language != languages.front()) QTest::newRow(std::string(language).c_str()) << translationsFile(language);
}

void TranslationsTest::nothingIsMissing() {
    QFETCH(const QString, file);
    const Translations kept = readTranslations(file);
    QString program = QStandardPaths::findExecutable(QStringLiteral("lupdate"), {QStringLiteral("/usr/lib/qt6/bin")});
    if (program.isEmpty())
        for (const std::string& word : tableWords())
            QVERIFY2(kept.contains(QStringLiteral("tables\n") + QString::fromStdString(word)), word.c_str());
    if (program.isEmpty()) QSKIP("there is no lupdate (qt6-l10n-tools): what is new is not looked for");
    const QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("copy.ts")),
                  tables = folder.filePath(QStringLiteral("tables.cpp"));
    QVERIFY(QFile::copy(file, copy) && writeTables(tables));
    QProcess process;
    process.setWorkingDirectory(QStringLiteral(SHARDLAB_SOURCE_DIR));
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, {"-I", ".", "-locations", "none", "-no-obsolete", "ui", tables, "-ts", copy});
    QVERIFY(process.waitForFinished(-1) && process.exitCode() == 0);
    // A class without the macro asks for its texts under the name of another one.
    static const QRegularExpression unlike(QStringLiteral("Class 'shardlab::ui::\\w+' lacks Q_OBJECT macro"));
    const QString told = QString::fromUtf8(process.readAll());
    QVERIFY2(!told.contains(unlike), qPrintable(told));
    for (const auto& [source, message] : readTranslations(copy))
        QVERIFY2(source.startsWith("shardlab::ui") || source.startsWith("tables\n"), qPrintable(source));
    const Translations now = readTranslations(copy);
    QVERIFY(!now.empty());
    if (qEnvironmentVariableIntValue("SHARDLAB_REGENERATE") == 1)
        QVERIFY(QFile::remove(file) && QFile::copy(copy, file));
    for (const auto& [source, message] : now)
        QVERIFY2(message.finished && !message.translation.isEmpty(), qPrintable("not translated: " + source));
    for (const auto& [source, message] : kept)
        QVERIFY2(now.contains(source), qPrintable("nothing says this any more: " + source));
}

void TranslationsTest::placesStayInTranslations() {
    for (const auto& [source, message] : readTranslations(translationsFile("zh_CN"))) {
        const QString said = source.section(QLatin1Char('\n'), 1);
        QVERIFY2(placesOf(said) == placesOf(message.translation), qPrintable(said + "\n" + message.translation));
        for (const char part : {'\t', '\n'})
            QVERIFY2(said.count(QLatin1Char(part)) == message.translation.count(QLatin1Char(part)), qPrintable(said));
    }
}

void TranslationsTest::theWindowSpeaksChinese() {
    Desk desk;
    speak(QStringLiteral("zh_CN"));
    QCOMPARE(language(), std::string_view("zh_CN"));
    desk.workbench.theme().setDark(true);
    MainWindow window(desk.workbench);
    window.resize(1600, 1000);
    window.show();
    int panels = 0;
    for (const Workspace workspace : workspaces) {
        window.showWorkspace(workspace);
        for (const DockPanel* panel : window.findChildren<DockPanel*>()) {
            QVERIFY2(isChinese(panel->windowTitle()), qPrintable(panel->windowTitle()));
            ++panels;
        }
        QTest::qWait(0);
        for (const auto* button : window.findChildren<QPushButton*>())
            if (button->isVisible() && !button->text().isEmpty())
                QVERIFY2(button->width() >= button->fontMetrics().horizontalAdvance(button->text()),
                         qPrintable(button->text()));
    }
    QVERIFY(panels >= static_cast<int>(viewKinds().size()));
    QSet<QString> reasons;
    for (const auto* row : window.findChildren<shardlab::ui::FieldRow*>()) {
        const QStringList lines = row->editor().control().toolTip().split(QLatin1Char('\n'));
        QVERIFY2(isChinese(lines.front()), qPrintable(lines.front()));
        if (lines.size() == 1) continue;
        const QString reason = lines.back().section(QStringLiteral("："), 1);
        QVERIFY2(isChinese(reason), qPrintable(lines.back()));
        reasons += reason;
    }
    QVERIFY(reasons.size() > 10);
    for (const QAction* action : window.findChildren<QAction*>())
        if (!action->property("help").toString().isEmpty())
            QVERIFY2(isChinese(action->property("help").toString()), qPrintable(action->property("help").toString()));
}

void TranslationsTest::fieldsAreFoundInBothLanguages() {
    Desk desk;
    speak(QStringLiteral("zh_CN"));
    LayoutForm form(desk.workbench.context(Workspace::Design), nullptr);
    auto* wanted = form.findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
    QVERIFY(wanted);
    for (const char* help : {"优化器状态", "optimizer state"}) {
        wanted->setText(QString::fromUtf8(help));
        QVERIFY2(form.row("/parallel/zero")->isVisibleTo(&form), help);
        QVERIFY2(!form.row("/model/layers")->isVisibleTo(&form), help);
    }
}

QTEST_MAIN(TranslationsTest)
#include "translations_test.moc"
