// SPDX-License-Identifier: Apache-2.0
// Tokenizers against Hugging Face's, on vocabularies trained for the test, as GPT-2's files and as the tokenizer.json
// that transformers writes; and what is refused. Needs a Python with transformers for the comparison: python3, or the
// one that SHARDLAB_TORCH_PYTHON names.
#include "engine/layout/data/tokenizer.h"

#include "tests/support/places.h"
#include "tests/support/reference_python.h"
#include "tests/support/sample_tokenizer.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

using namespace shardlab::test;

class TokenizerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wordsAreThoseOfTheRegularExpression() {
        const auto words = [](const char* text) {
            QStringList list;
            for (const std::string_view word : gpt2Words(text))
                list << QString::fromUtf8(word.data(), qsizetype(word.size()));
            return list;
        };
        QCOMPARE(words("Hello world, it's 42!"), QStringList({"Hello", " world", ",", " it", "'s", " 42", "!"}));
        QCOMPARE(words("a  b"), QStringList({"a", " ", " b"}));
        QCOMPARE(words("a\n\nb "), QStringList({"a", "\n", "\n", "b", " "}));
        QCOMPARE(words("they'LL 's"), QStringList({"they", "'", "LL", " '", "s"}));
        QCOMPARE(words("naïve東京 ½x"), QStringList({"naïve東京", " ½", "x"}));
    }

    void tokensAreThoseOfHuggingFace() {
        if (const QString missing = whyWithout("tokenizers"); !missing.isEmpty()) QSKIP(qPrintable(missing));
        QTemporaryDir folder;
        const quint32 seed = freshSeed();
        QCOMPARE(QProcess::execute(referencePython(), {SHARDLAB_SOURCE_DIR "/tests/layout/gpt2_tokens.py",
                                                       folder.path(), QString::number(seed)}),
                 0);
        const auto tokenizer = Tokenizer::ofGpt2Files(folder.path().toStdString());
        QVERIFY2(tokenizer.has_value(), tokenizer ? "" : tokenizer.error().text().c_str());
        compare(*tokenizer, folder.filePath("cases.json"));
    }

    void mergesGoByRank() {
        QTemporaryDir folder;
        writeTokenizer(folder.path(), {{"b", "c"}, {"a", "b"}, {"a", "bc"}});
        const auto tokenizer = Tokenizer::ofGpt2Files(folder.path().toStdString());
        QVERIFY(tokenizer.has_value());
        const auto a = std::uint32_t('a' - '!'), b = std::uint32_t('b' - '!');
        QVERIFY((*tokenizer->encode("abcab", "text") == Tokens{258, 257}));
        QVERIFY((*tokenizer->encode("ba", "text") == Tokens{b, a}));
        QCOMPARE(tokenizer->vocabulary(), 259);
    }

    void whatIsWrongIsSaid() {
        QTemporaryDir folder;
        const auto why = [&] {
            const auto loaded = Tokenizer::ofGpt2Files(folder.path().toStdString());
            return loaded ? QString() : QString::fromStdString(loaded.error().text());
        };
        QVERIFY(why().contains("vocab.json"));
        write(folder.filePath("vocab.json"), QByteArray(17 << 20, '['));
        QVERIFY(why().contains("vocab.json") && why().contains("16.0 MiB"));
        write(folder.filePath("vocab.json"), "[1]");
        QVERIFY(why().contains("no JSON object of tokens"));
        write(folder.filePath("vocab.json"), R"({"a": 1})");
        QVERIFY(why().contains("byte 0 has no token"));
        writeTokenizer(folder.path(), {{"a", "b"}});
        write(folder.filePath("merges.txt"), "a b\nq z\n");
        QVERIFY2(why().contains("line 2"), qPrintable(why()));
        writeTokenizer(folder.path(), {});
        const auto tokenizer = Tokenizer::ofGpt2Files(folder.path().toStdString());
        const auto malformed = tokenizer->encode("ab\xff", "text");
        QVERIFY(!malformed && malformed.error().text().find("byte 2 begins no character") != std::string::npos);
    }

    /// Texts and tokens of the reference, against ours of the same file.
    static void compare(const Tokenizer& tokenizer, const QString& path) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray cases = QJsonDocument::fromJson(file.readAll()).array();
        QVERIFY(cases.size() > 900);
        for (const auto& each : cases) {
            const QString text = each.toObject()["text"].toString();
            Tokens wanted;
            for (const auto& token : each.toObject()["tokens"].toArray())
                wanted.push_back(std::uint32_t(token.toInt()));
            const auto tokens = tokenizer.encode(text.toStdString(), "case");
            QVERIFY2(tokens.has_value(), tokens ? "" : tokens.error().text().c_str());
            QVERIFY2(*tokens == wanted,
                     qPrintable("differs: " + QString::fromUtf8(QJsonDocument(QJsonArray{text}).toJson())));
        }
    }

    void tokenizerJsonIsReadAsTransformersReadsIt_data() {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"gpt2", "llama3", "qwen2", "deepseek", "o200k"}) QTest::newRow(kind) << kind;
    }
    void tokenizerJsonIsReadAsTransformersReadsIt() {
        if (const QString missing = whyWithout("transformers"); !missing.isEmpty()) QSKIP(qPrintable(missing));
        QFETCH(QString, kind);
        QTemporaryDir folder;
        QCOMPARE(QProcess::execute(referencePython(), {SHARDLAB_SOURCE_DIR "/tests/layout/json_tokens.py",
                                                       folder.path(), QString::number(freshSeed()), kind}),
                 0);
        const auto tokenizer = Tokenizer::ofJson(folder.path().toStdString());
        QVERIFY2(tokenizer.has_value(), tokenizer ? "" : tokenizer.error().text().c_str());
        QVERIFY(tokenizer->endOfText().has_value());
        compare(*tokenizer, folder.filePath("cases.json"));
    }

    void whatATokenizerJsonDoesIsHonouredOrRefused_data() {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QString>("said");
        QTest::newRow("as it is") << QByteArray("{}") << "";
        QTest::newRow("another model") << QByteArray(R"({"model": {"type": "Unigram"}})")
                                       << "its model is of type \"Unigram\"";
        QTest::newRow("bytes by name") << QByteArray(R"({"model": {"byte_fallback": true}})")
                                       << "byte_fallback is true";
        QTest::newRow("dropout") << QByteArray(R"({"model": {"dropout": 0.1}})") << "dropout is 0.1";
        QTest::newRow("ends of words") << QByteArray(R"({"model": {"end_of_word_suffix": "</w>"}})")
                                       << "end_of_word_suffix is \"</w>\"";
        QTest::newRow("another normal form")
            << QByteArray(R"({"normalizer": {"type": "NFKC"}})") << "its normalizer is";
        QTest::newRow("no pre-tokenizer") << QByteArray(R"({"pre_tokenizer": null})") << "its pre_tokenizer is null";
        QTest::newRow("another pre-tokenizer")
            << QByteArray(R"({"pre_tokenizer": {"type": "Metaspace"}})") << "its pre_tokenizer is {";
        QTest::newRow("a blank before") << QByteArray(R"({"pre_tokenizer": {"add_prefix_space": true}})")
                                        << "adds a blank before texts";
        QTest::newRow("an expression that is none")
            << QByteArray(
                   R"({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a{2,1}"}, "behavior": "Isolated", "invert": false}})")
            << "its expression a{2,1} is not known";
        QTest::newRow("matches that go away")
            << QByteArray(
                   R"({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Removed", "invert": false}})")
            << "its pre_tokenizer is {";
        QTest::newRow("whole words alone")
            << QByteArray(R"({"added_tokens": [{"id": 300, "content": "<x>", "single_word": true}]})")
            << "single_word of its added token \"<x>\" is true";
        QTest::newRow("a merge without a token")
            << QByteArray(R"({"model": {"merges": ["a q"]}})") << "merge 0 does not join";
        QTest::newRow("a token beyond counting")
            << QByteArray(R"({"model": {"vocab": {"ab": 99999999999}}})") << "the token of \"ab\" is no number below";
    }
    void whatATokenizerJsonDoesIsHonouredOrRefused() {
        QFETCH(QByteArray, change);
        QFETCH(QString, said);
        QTemporaryDir folder;
        writeTokenizer(folder.path(), {{"a", "b"}, {"ab", "c"}});
        QFile vocabulary(folder.filePath("vocab.json"));
        QVERIFY(vocabulary.open(QIODevice::ReadOnly));
        nlohmann::json file = nlohmann::json::parse(
            R"({"added_tokens": [{"id": 258, "content": "<|end_of_text|>", "normalized": false}], "normalizer": null,
                "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
                "model": {"type": "BPE", "merges": [["a", "b"], "ab c"]}})");
        file["model"]["vocab"] = nlohmann::json::parse(vocabulary.readAll().toStdString());
        file.merge_patch(nlohmann::json::parse(change.toStdString()));
        if (change.contains("null")) file["pre_tokenizer"] = nullptr;
        write(folder.filePath("tokenizer.json"), QByteArray::fromStdString(file.dump()));
        const auto tokenizer = Tokenizer::ofJson(folder.filePath("tokenizer.json").toStdString());
        const QString why = tokenizer ? QString() : QString::fromStdString(tokenizer.error().text());
        QVERIFY2(said.isEmpty() ? why.isEmpty() : why.contains(said) && why.contains("tokenizer.json"),
                 qPrintable(why));
        if (!tokenizer) return;
        QCOMPARE(tokenizer->vocabulary(), 259);
        QVERIFY(tokenizer->endOfText() == 258u);
        QVERIFY((*tokenizer->encode("abc<|end_of_text|>ab", "text") == Tokens{257, 258, 256}));
    }
};

QTEST_GUILESS_MAIN(TokenizerTest)
#include "tokenizer_test.moc"
