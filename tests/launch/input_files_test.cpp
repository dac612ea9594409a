// SPDX-License-Identifier: Apache-2.0
// The files that a layout names are looked for before any rank starts, and what is missing is said by its field.
#include "engine/launch/job/input_files.h"

#include "tests/support/named.h"
#include "tests/support/sample_tokenizer.h"
#include "tests/support/sample_weights.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

class InputFilesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsMissingIsNamedByItsField_data();
    void whatIsMissingIsNamedByItsField();
    void whatIsThereOrUnusedIsNoFault();
    void allAreSaidAtOnce();
    void weightsOfAnotherModelAreRefused();
    void whatHoldsNoTokensIsRefused_data();
    void whatHoldsNoTokensIsRefused();
    void tokenizersAndTextsAreJudged();

private:
    void write(const QString& name, const QByteArray& content) const {
        QFile file(folder_.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }
    QString at(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }
    QTemporaryDir folder_;
};

void InputFilesTest::whatIsMissingIsNamedByItsField_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("said");
    QTest::newRow("text") << "text"
                          << "/data/path: the text cannot be read: there is no %1. Legal: the path of a UTF-8 file, or "
                             "data.kind generator";
    QTest::newRow("folder as text") << "folder"
                                    << "/data/path: the text cannot be read: %1 is a folder. Legal: ";
    QTest::newRow("tokens") << "tokens"
                            << "/data/path: the tokens cannot be read: there is no %1. Legal: ";
    QTest::newRow("tokenizer") << "tokenizer"
                               << "/data/tokenizer_path: the tokenizer cannot be read: there is no %1. Legal: ";
    QTest::newRow("jsonl") << "jsonl"
                           << "/data/path: the text cannot be read: there is no %1. Legal: the path of a file with a "
                              "JSON object a line";
    QTest::newRow("tokenizer.json") << "tokenizer.json"
                                    << "/data/tokenizer_path: the tokenizer cannot be read: there is no %1. Legal: a "
                                       "tokenizer.json";
    QTest::newRow("weights") << "weights"
                             << "/model/weights: the weights cannot be read: there is no %1. Legal: ";
}

void InputFilesTest::whatIsMissingIsNamedByItsField() {
    QFETCH(QString, kind);
    QFETCH(QString, said);
    const QString path = kind == "folder" ? folder_.path() : at("nowhere");
    Layout layout;
    if (kind == "weights") {
        layout.model.weights = path.toStdString();
    } else if (kind.startsWith("tokenizer")) {
        layout.data.tokenizer = kind == "tokenizer" ? TokenizerKind::Gpt2 : TokenizerKind::Json;
        layout.data.tokenizerPath = path.toStdString();
    } else {
        layout.data.kind = named(kind == "folder" ? QStringLiteral("text") : kind);
        layout.data.path = path.toStdString();
    }
    const Status there = canReadFiles(layout, false);
    QVERIFY(!there);
    const QString error = QString::fromStdString(there.error().text());
    QVERIFY2(error.contains(said.arg(path)) && !error.contains('\n'), qPrintable(error));
    // The ranks on a machine that cannot be asked here are nobody's fault here.
    layout.cluster.hosts = {{"203.0.113.7", 4}};
    QVERIFY(canReadFiles(layout, false));
}

void InputFilesTest::whatIsThereOrUnusedIsNoFault() {
    QVERIFY(canReadFiles(Layout{}, false));
    Layout layout;
    layout.data.path = at("nowhere").toStdString();  // of another kind of data
    QVERIFY(canReadFiles(layout, false));
    layout.data.kind = DataKind::Text;
    layout.data.path = at("text").toStdString();
    QFile text(at("text"));
    QVERIFY(text.open(QIODevice::WriteOnly));
    QVERIFY(canReadFiles(layout, false));
    layout.data.kind = DataKind::Tokens;
    layout.data.path = folder_.path().toStdString();
    write("train.bin", "abab");
    layout.model.vocabulary = 256 * 'b' + 'a' + 1;
    QVERIFY(canReadFiles(layout, false));
    layout.model.weights = at("nowhere").toStdString();  // a checkpoint has its own
    QVERIFY(canReadFiles(layout, true));
}

void InputFilesTest::allAreSaidAtOnce() {
    Layout layout;
    layout.data = {DataKind::Text, at("a").toStdString(), TokenizerKind::Gpt2, 0.1};
    layout.data.tokenizerPath = at("b").toStdString();
    layout.model.weights = at("c").toStdString();
    const Status there = canReadFiles(layout, false);
    QVERIFY(!there);
    for (const char* pointer : {"/data/path", "/data/tokenizer_path", "/model/weights"})
        QVERIFY(there.error().text().find(pointer) != std::string::npos);
}

void InputFilesTest::weightsOfAnotherModelAreRefused() {
    for (test::SampleWeights weights : {test::SampleWeights::gpt2(), test::SampleWeights::llama()}) {
        const std::string folder = at("weights").toStdString();
        weights.write(folder);
        Layout layout;
        layout.model = weights.model;
        layout.model.weights = folder;
        QVERIFY(canReadFiles(layout, false));
        layout.model.heads = 1;
        layout.model.block.kvHeads = 1;
        const std::vector<Fault> faults = misfits(layout, false);
        QCOMPARE(faults.size(), std::size_t(1));
        QCOMPARE(faults[0].pointer, std::string("/model/weights"));
        const Status there = canReadFiles(layout, false);
        QVERIFY(!there);
        for (const std::string& text : {toText(faults[0]), there.error().text()})
            QVERIFY2(text.find("model.heads is 1") != std::string::npos, text.c_str());
        QVERIFY(canReadFiles(layout, true));  // a checkpoint has its own
        layout.cluster.hosts = {{"203.0.113.7", 4}};
        QVERIFY(misfits(layout, false).empty());
        layout.cluster.hosts = {{}};
        layout.model.weights = at("nowhere").toStdString();
        QVERIFY(misfits(layout, false).empty());  // the layout may be meant for another machine
    }
}

void InputFilesTest::whatHoldsNoTokensIsRefused_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("said");
    const auto words = [](std::initializer_list<std::int32_t> first, int count) {
        std::vector<std::int32_t> all(first);
        all.resize(std::size_t(count));
        return QByteArray(reinterpret_cast<const char*>(all.data()), qsizetype(all.size() * 4));
    };
    QByteArray wide;
    for (std::int32_t i = 0; i < 100; ++i) wide += words({i % 7 + 2 + 65536 * (i % 2)}, 1);
    QTest::newRow("tokens of 32 bits without a header") << wide << "these are tokens of 32 bits, and no header says so";
    QTest::newRow("llm.c's weights") << words({20240326, 3, 1024}, 300) << "it begins with 20240326";
    QTest::newRow("llm.c's tokens, another version")
        << words({20240520, 2, 44}, 278) << "its header's version is 2. Legal: version 1";
    QTest::newRow("llm.c's Llama 3 tokens, cut")
        << words({20240801, 7, 44}, 270) << "its header counts 44 tokens and 14 follow";
    QTest::newRow("llm.c's Llama 3 tokens, outside")
        << words({20240801, 7, 2}, 256) + words({5, 70000}, 2)
        << "token 1 is 70000, model.vocabulary is 65000. Legal: model.vocabulary above 70000";
    QTest::newRow("outside") << QByteArray("ab\xff\xff")
                             << "token 1 is 65535, model.vocabulary is 65000. Legal: model.vocabulary above 65535";
    QTest::newRow("odd") << QByteArray("abc") << "odd number of bytes";
    QTest::newRow("an index") << QByteArray("MMIDIDX\0\0\1\0\0\0\0\0\0\0\4", 18)
                              << "the index of one of Megatron's data sets";
    QTest::newRow("NumPy") << QByteArray("\x93NUMPY\1\0", 8) << "an array of NumPy";
    QTest::newRow("weights of PyTorch") << QByteArray("PK\3\4abcd") << "a zip archive, as PyTorch saves weights";
    QTest::newRow("beside an index") << QByteArray("abcd")
                                     << "beside an index.idx beside it: it does not begin as one of Megatron's";
}

void InputFilesTest::whatHoldsNoTokensIsRefused() {
    QFETCH(QByteArray, content);
    QFETCH(QString, said);
    const QString name = QString::fromLatin1(QTest::currentDataTag()).remove('\'').remove(',').replace('.', '-');
    QDir(folder_.path()).mkdir(name);
    write(name + "/" + name + ".bin", content);
    if (name == "beside an index") write(name + "/" + name + ".idx", "MMIDIDX");
    Layout layout;
    layout.data.kind = DataKind::Tokens;
    layout.model.vocabulary = 65000;
    for (const QString& place : {folder_.filePath(name), folder_.filePath(name + "/" + name + ".bin")}) {
        layout.data.path = place.toStdString();
        const Status there = canReadFiles(layout, false);
        QVERIFY(!there);
        const QString error = QString::fromStdString(there.error().text());
        QVERIFY2(error.contains("/data/path: ") && error.contains(said) && error.contains(name + ".bin"),
                 qPrintable(error));
        QCOMPARE(misfits(layout, false).size(), std::size_t(1));
    }
}

void InputFilesTest::tokenizersAndTextsAreJudged() {
    writeTokenizer(folder_.path(), {{"a", "b"}});
    write("texts.jsonl", "{\"text\": \"a\"}\n{\"body\": \"b\"}\n");
    Layout layout;
    layout.data = {DataKind::JsonLines, at("texts.jsonl").toStdString(), TokenizerKind::Gpt2};
    layout.data.tokenizerPath = folder_.path().toStdString();
    const auto said = [&] {
        const Status there = canReadFiles(layout, false);
        return there ? QString() : QString::fromStdString(there.error().text());
    };
    QVERIFY2(said().contains("/data/path: ") && said().contains("line 2 has no text"), qPrintable(said()));
    QVERIFY2(said().contains("/data/tokenizer_path: ") &&
                 said().contains(
                     "its tokens go up to 256, model.vocabulary is 256. Legal: model.vocabulary of at least 257"),
             qPrintable(said()));
    layout.model.vocabulary = 257;
    write("texts.jsonl", "{\"text\": \"a\"}\n");
    QCOMPARE(said(), QString());
    layout.data.tokenizer = TokenizerKind::Json;
    write("tokenizer.json", R"({"model": {"type": "WordPiece"}})");
    QVERIFY2(said().contains("its model is of type \"WordPiece\". Legal: a tokenizer.json with a byte-level BPE"),
             qPrintable(said()));
}

QTEST_GUILESS_MAIN(InputFilesTest)
#include "input_files_test.moc"
