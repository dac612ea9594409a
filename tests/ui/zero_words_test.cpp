// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of which 0, or an empty text or list, stands for something show the word of the table of fields in its place.
#include "desktop_fixture.h"

#include "engine/layout/fields.h"
#include "tests/support/wings.h"
#include "ui/core/text.h"
#include "ui/views/layout_form/field_editor.h"
#include "ui/views/layout_form/field_row.h"
#include "ui/views/layout_form/layout_form.h"
#include "ui/views/layout_form/unit_line.h"

#include <QLineEdit>
#include <QSpinBox>
#include <QtTest>

using namespace shardlab::test;

class ZeroWordsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aZeroThatStandsForSomethingShowsItsWord_data();
    void aZeroThatStandsForSomethingShowsItsWord();
    void anEmptyLineSaysWhatItStandsFor();

private:
    Desk desk_;
};

void ZeroWordsTest::aZeroThatStandsForSomethingShowsItsWord_data() {
    QTest::addColumn<QByteArray>("pointer");
    for (const Field& field : fields()) {
        const bool whole = std::holds_alternative<IntegerField>(field.access);
        const bool number =
            std::holds_alternative<NumberField>(field.access) || std::holds_alternative<LongField>(field.access);
        QVERIFY2(field.zero.empty() || ((whole || number) && field.limits.least <= 0), field.pointer.data());
        if (!field.zero.empty()) QTest::newRow(field.pointer.data()) << QByteArray(field.pointer.data());
    }
}

/// Windows, caps and limits that are off showed a bare 0.
void ZeroWordsTest::aZeroThatStandsForSomethingShowsItsWord() {
    QFETCH(QByteArray, pointer);
    const Field& field = *findField(pointer.toStdString());
    LayoutForm form(desk_.workbench.context(Workspace::Design), nullptr);
    form.resize(320, 700);
    form.show();
    auto& row = *form.row(QString::fromLatin1(pointer));
    const auto set = [&](double number) {
        Layout layout = desk_.document().layout();
        if (!layout.cluster.pace) layout.cluster.pace.emplace();
        std::visit(
            [&](const auto& access) {
                using Access = std::decay_t<decltype(access)>;
                if constexpr (std::is_same_v<Access, IntegerField>) access(layout) = static_cast<int>(number);
                else if constexpr (std::is_same_v<Access, LongField>)
                    access(layout) = static_cast<std::int64_t>(number);
                else if constexpr (std::is_same_v<Access, NumberField>) access(layout) = number;
            },
            field.access);
        desk_.document().change(layout, QStringLiteral("set"));
    };
    const auto* integer = std::get_if<IntegerField>(&field.access);
    QWidget& control = row.editor().control();
    auto* box = qobject_cast<QSpinBox*>(&control);
    auto* line = qobject_cast<QLineEdit*>(&control);
    QCOMPARE(box != nullptr, integer != nullptr);
    const auto shown = [&] { return box ? box->text() : line->text(); };
    const QString word = QString::fromStdString(std::string(field.zero));
    set(3);
    QVERIFY2(shown().startsWith(QLatin1Char('3')), qPrintable(shown()));
    set(0);
    QCOMPARE(shown(), word);
    QVERIFY(box || static_cast<UnitLine*>(line)->unit().isEmpty());
    QVERIFY(control.toolTip().contains(QStringLiteral("0: ") + word));
    // A click chooses the word whole, and a number takes its place; 0 is the word again.
    QVERIFY(QTest::qWaitForWindowExposed(&form));
    QWidget* editor = box ? box->findChild<QLineEdit*>() : line;
    QTest::mouseClick(editor, Qt::LeftButton, {}, editor->rect().center());
    const auto selected = [&] { return static_cast<QLineEdit*>(editor)->selectedText(); };
    if (control.hasFocus()) QTRY_COMPARE(selected(), word);
    else box ? box->selectAll() : line->selectAll();
    QTest::keyClicks(editor, QStringLiteral("4"));
    QVERIFY2(shown().startsWith(QLatin1Char('4')), qPrintable(shown()));
    QVERIFY(row.faultText().isEmpty() || !row.faultText().contains("is not"));
    box ? box->selectAll() : line->selectAll();
    QTest::keyClicks(editor, QStringLiteral("0"));
    QTest::keyClick(editor, Qt::Key_Return);
    QCOMPARE(shown(), word);
    Layout layout = desk_.document().layout();
    set(0);
    QVERIFY(desk_.document().layout() == layout);
}

/// "Feed-forward" and "Start from" were empty boxes.
void ZeroWordsTest::anEmptyLineSaysWhatItStandsFor() {
    LayoutForm form(desk_.workbench.context(Workspace::Design), nullptr);
    int empty = 0;
    for (const Field& field : fields()) {
        auto& row = *form.row(text(field.pointer));
        const auto* line = qobject_cast<QLineEdit*>(&row.editor().control());
        if (!line || !line->text().isEmpty()) continue;
        QVERIFY2(!field.empty.empty(), field.pointer.data());
        QCOMPARE(line->placeholderText(), text(field.empty));
        ++empty;
    }
    QVERIFY(empty >= 6);
    QCOMPARE(findField("/model/feed_forward")->empty, "4 × hidden");
}

QTEST_MAIN(ZeroWordsTest)
#include "zero_words_test.moc"
