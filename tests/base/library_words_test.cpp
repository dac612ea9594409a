// SPDX-License-Identifier: Apache-2.0
// What the JSON parser says of damaged texts becomes a sentence of ours.
#include "engine/base/library_words.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <random>

using namespace shardlab::test;
using namespace shardlab::base;

namespace {

/// What the parser says of a text; empty where it takes it.
std::string messageOf(const std::string& text) {
    try {
        const auto ignored = nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class LibraryWordsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void causesThatAreKnownHaveOurWords_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("reason");
        const QString end = "the text ends before the value does";
        QTest::newRow("open object") << QByteArray("{\"a\": ") << end;
        QTest::newRow("open list") << QByteArray("[1, 2") << end;
        QTest::newRow("open text") << QByteArray("[\"abc") << end;
        QTest::newRow("nothing") << QByteArray("") << end;
        QTest::newRow("comma") << QByteArray("[1,, 2]") << "unexpected ','";
        QTest::newRow("bracket") << QByteArray("{]") << "unexpected ']'";
        QTest::newRow("two values") << QByteArray("1 2") << "unexpected number literal";
        QTest::newRow("letter") << QByteArray("[x]") << "no value begins with the character there";
        QTest::newRow("byte") << QByteArray("[\"\xff\"]") << "its text is not UTF-8";
        QTest::newRow("mark") << QByteArray("\xef{}") << "its text is not UTF-8";
        QTest::newRow("line") << QByteArray("[\"a\nb\"]") << "a text has a control character in it that is not escaped";
        QTest::newRow("number") << QByteArray("[-x]") << "a number is not written as JSON has it";
        QTest::newRow("escape") << QByteArray("[\"\\q\"]") << "a text is not written as JSON has it";
    }
    void causesThatAreKnownHaveOurWords() {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, reason);
        const std::string message = messageOf(text.toStdString());
        QVERIFY(!message.empty());
        QCOMPARE(QString::fromStdString(jsonReason(message).english()), reason);
    }

    void valuesOfAnotherKindHaveOurWordsToo() {
        const nlohmann::json object{{"a", "text"}};
        try {
            static_cast<void>(object.at("b"));
            QFAIL("it is not there");
        } catch (const nlohmann::json::exception& error) {
            QCOMPARE(jsonReason(error.what()).english(), std::string("it has no 'b'"));
        }
        try {
            static_cast<void>(object.at("a").get<int>());
            QFAIL("it is no number");
        } catch (const nlohmann::json::exception& error) {
            QCOMPARE(jsonReason(error.what()).english(), std::string("a value has the wrong type: string"));
        }
    }

    /// Whatever the text, the parser's own words, its exceptions' names and numbers, are not shown unquoted.
    void noDamageShowsTheParsersWords() {
        std::mt19937_64 random(freshSeed());
        const std::string whole = R"({"name": "x", "list": [1, 2.5e3, true, null, "\u00e9"], "deep": {"a": {}}})";
        int damaged = 0;
        for (int round = 0; round < 2000; ++round) {
            std::string text = whole;
            for (auto changes = 1 + random() % 3; changes > 0; --changes)
                text[random() % text.size()] = static_cast<char>(random());
            if (random() % 4 == 0) text.resize(random() % text.size());
            const std::string message = messageOf(text);
            if (message.empty()) continue;
            ++damaged;
            const std::string told = jsonReason(message).english();
            QVERIFY2(told.find("json.exception") == told.npos && told.find("parse error") == told.npos &&
                         told.find("last read") == told.npos && told.find("syntax error") == told.npos,
                     told.c_str());
        }
        QVERIFY(damaged > 500);
    }

    void otherWordsAreQuoted() {
        QCOMPARE(saidByLibrary("SQLite", "out of cheese").english(), std::string("SQLite says “out of cheese”"));
        QVERIFY(saidByLibrary("SQLite", std::string(5000, 'x')).english().size() < 300);
    }
};

QTEST_GUILESS_MAIN(LibraryWordsTest)
#include "library_words_test.moc"
