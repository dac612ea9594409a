// SPDX-License-Identifier: Apache-2.0
// The gpt2 tokenizer against Hugging Face's, on a vocabulary trained for the test; and what it refuses. Needs a Python
// with tokenizers for the comparison: python3, or the one SHARDLAB_TORCH_PYTHON names.
#include "engine/train/run/gpt2_tokenizer.h"
#include "tests/support/places.h"

#include "engine/train/run/corpus.h"
#include "engine/train/run/token_files.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace shardlab::test;

namespace {

void write(const QString& path, const QByteArray& content) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write %s", qPrintable(path));
}

template <class T>
QByteArray numbers(const std::vector<T>& tokens) {
    return {reinterpret_cast<const char*>(tokens.data()), qsizetype(tokens.size() * sizeof(T))};
}

/// As llm.c writes before its tokens.
QByteArray header(std::int32_t version, std::int32_t count, std::int32_t magic = 20240520) {
    std::vector<std::int32_t> words(256);
    words[0] = magic;
    words[1] = version;
    words[2] = count;
    return {reinterpret_cast<const char*>(words.data()), 1024};
}

/// The 256 bytes as tokens 0 … 255 in the order of the written characters, then `merges`.
void writeTokenizer(const QString& folder, const QList<std::pair<QString, QString>>& merges) {
    QJsonObject vocabulary;
    QList<QChar> characters;
    for (int byte = 0; byte < 256; ++byte)
        if ((byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae) characters << QChar(byte);
    for (int next = 0x100; characters.size() < 256; ++next) characters << QChar(next);
    for (int i = 0; i < 256; ++i) vocabulary[QString(characters[i])] = i;
    QString lines = "#version: 0.2\n";
    int next = 256;
    for (const auto& [left, right] : merges) {
        vocabulary[left + right] = next++;
        lines += left + " " + right + "\n";
    }
    write(folder + "/vocab.json", QJsonDocument(vocabulary).toJson());
    write(folder + "/merges.txt", lines.toUtf8());
}

}  // namespace

class Gpt2TokenizerTest : public QObject {
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
        const QString python = qEnvironmentVariable("SHARDLAB_TORCH_PYTHON", QStringLiteral("python3"));
        if (QProcess::execute(python,
                              {"-c", "import importlib.util as u, sys; sys.exit(u.find_spec('tokenizers') is None)"}))
            QSKIP("no tokenizers for python3 (or SHARDLAB_TORCH_PYTHON): the comparison is left out");
        QTemporaryDir folder;
        const quint32 seed = freshSeed();
        QCOMPARE(QProcess::execute(
                     python, {SHARDLAB_SOURCE_DIR "/tests/train/gpt2_tokens.py", folder.path(), QString::number(seed)}),
                 0);
        const auto tokenizer = Gpt2Tokenizer::load(folder.path().toStdString());
        QVERIFY2(tokenizer.has_value(), tokenizer ? "" : tokenizer.error().text().c_str());
        QFile file(folder.filePath("cases.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray cases = QJsonDocument::fromJson(file.readAll()).array();
        QVERIFY(cases.size() > 2000);
        for (const auto& each : cases) {
            const QString text = each.toObject()["text"].toString();
            Tokens wanted;
            for (const auto& token : each.toObject()["tokens"].toArray())
                wanted.push_back(std::uint16_t(token.toInt()));
            const auto tokens = tokenizer->encode(text.toStdString(), "case");
            QVERIFY2(tokens.has_value(), qPrintable(text));
            QVERIFY2(*tokens == wanted,
                     qPrintable("differs: " + QString::fromUtf8(QJsonDocument(QJsonArray{text}).toJson())));
        }
    }

    void mergesGoByRank() {
        QTemporaryDir folder;
        writeTokenizer(folder.path(), {{"b", "c"}, {"a", "b"}, {"a", "bc"}});
        const auto tokenizer = Gpt2Tokenizer::load(folder.path().toStdString());
        QVERIFY(tokenizer.has_value());
        const auto a = std::uint16_t('a' - '!'), b = std::uint16_t('b' - '!');
        QVERIFY((*tokenizer->encode("abcab", "text") == Tokens{258, 257}));
        QVERIFY((*tokenizer->encode("ba", "text") == Tokens{b, a}));
        QCOMPARE(tokenizer->vocabulary(), 259);
    }

    void whatIsWrongIsSaid() {
        QTemporaryDir folder;
        const auto why = [&] {
            const auto loaded = Gpt2Tokenizer::load(folder.path().toStdString());
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
        const auto tokenizer = Gpt2Tokenizer::load(folder.path().toStdString());
        const auto malformed = tokenizer->encode("ab\xff", "text");
        QVERIFY(!malformed && malformed.error().text().find("byte 2 begins no character") != std::string::npos);
    }

    void textBecomesTokensOfTheCorpus() {
        QTemporaryDir folder;
        writeTokenizer(folder.path(), {{"a", "b"}});
        Layout layout;
        layout.model.sequence = 3;
        layout.model.vocabulary = 257;
        layout.data.tokenizer = TokenizerKind::Gpt2;
        layout.data.tokenizerPath = folder.path().toStdString();
        layout.data.validation = 0;
        const auto corpus = Corpus::fromText("ababababab", layout, "text");
        QVERIFY2(corpus.has_value(), corpus ? "" : corpus.error().text().c_str());
        QCOMPARE(corpus->trainWindows(), 1);
        const auto window = corpus->trainWindow(0);
        QVERIFY((Tokens(window.begin(), window.end()) == Tokens{256, 256, 256, 256}));
        layout.model.vocabulary = 256;
        const auto outside = Corpus::fromText("ababababab", layout, "text");
        QVERIFY(!outside &&
                outside.error().text().find("token 0 is 256, model.vocabulary is 256") != std::string::npos);
    }

    void binFilesAsNanoGptAndLlmCWriteThem() {
        QTemporaryDir folder;
        const Tokens train{1, 2, 3, 4, 5, 6, 7, 8}, more{9, 10, 11, 12}, validation{20, 21, 22, 23};
        const auto read = [&](const QString& name) { return readTokenFiles(folder.filePath(name).toStdString(), 100); };
        write(folder.filePath("train.bin"), numbers(train));
        QVERIFY(read("train.bin")->train == train);
        write(folder.filePath("train_0.bin"), header(1, 4) + numbers(more));
        QVERIFY(read("train_0.bin")->train == more);
        write(folder.filePath("val.bin"), numbers(validation));
        const auto all = read("");
        QVERIFY2(all.has_value(), all ? "" : all.error().text().c_str());
        Tokens joined = train;
        joined.insert(joined.end(), more.begin(), more.end());
        QVERIFY(all->train == joined && all->validation == validation);

        Layout layout;
        layout.model.sequence = 3;
        layout.model.vocabulary = 100;
        layout.data.kind = DataKind::Tokens;
        layout.data.path = folder.path().toStdString();
        const auto corpus = Corpus::load(layout);
        QVERIFY2(corpus.has_value(), corpus ? "" : corpus.error().text().c_str());
        QCOMPARE(corpus->trainWindows(), 3);
        QCOMPARE(corpus->validationWindows(), 1);
        QCOMPARE(int(corpus->validationWindow(0)[2]), 22);

        const auto why = [&](const QByteArray& content, int vocabulary = 100) {
            write(folder.filePath("wrong.bin"), content);
            const auto files = readTokenFiles(folder.filePath("wrong.bin").toStdString(), vocabulary);
            return files ? QString() : QString::fromStdString(files.error().text());
        };
        QVERIFY(why(numbers(Tokens{1, 2, 300})).contains("token 2 is 300, model.vocabulary is 100"));
        QVERIFY(why(numbers(Tokens{1, 2}) + "x").contains("odd number of bytes"));
        QVERIFY(why(header(7, 2) + numbers(Tokens{1, 2})).contains("version is 7"));
        QVERIFY(why(header(1, 3) + numbers(Tokens{1, 2})).contains("counts 3 tokens and 2 follow"));
        QVERIFY(why({}).contains("no tokens"));
    }

    void tokensOf32BitsAreReadWhereAHeaderSaysSo() {
        QTemporaryDir folder;
        const QString path = folder.filePath("llama3.bin");
        const auto read = [&](const std::vector<std::uint32_t>& tokens, int vocabulary, std::int32_t version = 7) {
            write(path, header(version, std::int32_t(tokens.size()), 20240801) + numbers(tokens));
            return readTokenFiles(path.toStdString(), vocabulary);
        };
        const auto why = [](const Result<TokenFiles>& files) {
            return files ? QString() : QString::fromStdString(files.error().text());
        };
        // More than is read at once.
        std::vector<std::uint32_t> tokens(70000);
        Tokens expected(tokens.size());
        for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = expected[i] = std::uint16_t(i * 31 % 65536);
        const auto files = read(tokens, 128256);
        QVERIFY2(files.has_value(), qPrintable(why(files)));
        QVERIFY(files->train == expected);
        QVERIFY(why(read(tokens, 60000)).contains("is 60016, model.vocabulary is 60000. model.vocabulary above 65535"));
        tokens[69000] = 65536;
        QVERIFY2(why(read(tokens, 128256)).contains("token 69000 is 65536, and tokens are held in 16 bits"),
                 qPrintable(why(read(tokens, 128256))));
        QVERIFY(why(read({1, 70000}, 100)).contains("token 1 is 70000, model.vocabulary is 100"));
        QVERIFY(why(read({1, 2}, 100, 1)).contains("version is 1. version 7, tokens of 32 bits"));
    }
};

QTEST_GUILESS_MAIN(Gpt2TokenizerTest)
#include "gpt2_tokenizer_test.moc"
