// SPDX-License-Identifier: Apache-2.0
// The corpus that files make: tokens of other programs, with documents and without, JSON Lines, text of a tokenizer;
// and that files larger than memory stay where they are.
#include "engine/layout/data/corpus.h"
#include "engine/layout/data/sampler.h"
#include "tests/support/sample_tokenizer.h"
#include "tests/support/seed.h"
#include "tests/support/token_files.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <unistd.h>

using namespace shardlab::test;

namespace {

std::string numbers(const std::vector<std::uint16_t>& tokens) { return bytesOf(tokens); }

/// Memory of this process, in bytes.
std::int64_t resident() {
    std::int64_t all = 0, held = 0;
    std::ifstream("/proc/self/statm") >> all >> held;
    return held * sysconf(_SC_PAGESIZE);
}

}  // namespace

class CorpusFilesTest : public QObject {
    Q_OBJECT
private:
    Layout layoutOf(DataKind kind, const char* name, int sequence, int vocabulary) const {
        Layout layout;
        layout.model.sequence = sequence;
        layout.model.vocabulary = vocabulary;
        layout.data.kind = kind;
        layout.data.path = at(name).string();
        layout.data.validation = 0;
        return layout;
    }
    std::filesystem::path at(const QString& name) const { return folder_->filePath(name).toStdString(); }
    static QString why(const Result<Corpus>& corpus) {
        return corpus ? QString() : QString::fromStdString(corpus.error().text());
    }
    static std::vector<std::vector<std::int32_t>> windows(const Corpus& corpus) {
        std::vector<std::vector<std::int32_t>> all;
        for (std::int64_t i = 0; i < corpus.trainWindows(); ++i) all.push_back(corpus.trainWindow(i));
        for (std::int64_t i = 0; i < corpus.validationWindows(); ++i) all.push_back(corpus.validationWindow(i));
        return all;
    }
    std::unique_ptr<QTemporaryDir> folder_;

private Q_SLOTS:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void textBecomesTokensOfTheCorpus() {
        writeTokenizer(folder_->path(), {{"a", "b"}});
        Layout layout = layoutOf(DataKind::Generator, "", 3, 257);
        layout.data.tokenizer = TokenizerKind::Gpt2;
        layout.data.tokenizerPath = folder_->path().toStdString();
        const auto corpus = Corpus::fromText("ababababab", layout, "text");
        QVERIFY2(corpus.has_value(), qPrintable(why(corpus)));
        QVERIFY(windows(*corpus) == (std::vector<std::vector<std::int32_t>>{{256, 256, 256, 256}}));
        layout.model.vocabulary = 256;
        const QString outside = why(Corpus::fromText("ababababab", layout, "text"));
        QVERIFY2(outside.contains("token 0 is 256, model.vocabulary is 256"), qPrintable(outside));
    }

    void binFilesAsNanoGptAndLlmCWriteThem() {
        const Layout layout = layoutOf(DataKind::Tokens, "", 3, 100);
        writeBytes(at("train.bin"), numbers({1, 2, 3, 4, 5, 6, 7, 8}));
        writeBytes(at("train_0.bin"), llmcHeader(1, 5) + numbers({9, 10, 11, 12, 13}));
        writeBytes(at("val.bin"), numbers({20, 21, 22, 23}));
        const auto corpus = Corpus::load(layout);
        QVERIFY2(corpus.has_value(), qPrintable(why(corpus)));
        QVERIFY(windows(*corpus) == (std::vector<std::vector<std::int32_t>>{
                                        {1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {20, 21, 22, 23}}));
        const auto said = [&](const std::string& content) {
            writeBytes(at("wrong.bin"), content);
            return why(Corpus::load(layoutOf(DataKind::Tokens, "wrong.bin", 1, 100)));
        };
        QVERIFY(said(numbers({1, 2, 300})).contains("token 2 is 300, model.vocabulary is 100"));
        QVERIFY(said(numbers({1, 2}) + "x").contains("odd number of bytes"));
        QVERIFY(said(llmcHeader(7, 2) + numbers({1, 2})).contains("version is 7"));
        QVERIFY(said(llmcHeader(1, 3) + numbers({1, 2})).contains("counts 3 tokens and 2 follow"));
        QVERIFY(said({}).contains("there is nothing to train on"));
    }

    void tokensOf32BitsKeepAllTheirBits() {
        std::mt19937 random(freshSeed());
        std::vector<std::uint32_t> tokens(140000);
        for (std::uint32_t& token : tokens) token = random() % 128256;
        writeBytes(at("llama3.bin"), llmcHeader(7, 140000, 20240801) + bytesOf(tokens));
        const Layout layout = layoutOf(DataKind::Tokens, "llama3.bin", 99, 128256);
        const auto corpus = Corpus::load(layout);
        QVERIFY2(corpus.has_value(), qPrintable(why(corpus)));
        QCOMPARE(corpus->trainWindows(), 1400);
        std::vector<std::int32_t> all;
        for (const auto& window : windows(*corpus)) all.insert(all.end(), window.begin(), window.end());
        QVERIFY(std::ranges::equal(all, tokens));
        Sampler sampler(*corpus, layout, 0);
        const MicrobatchTokens made = sampler.train(3, 1);
        QVERIFY(std::ranges::any_of(made.tokens, [](std::int32_t token) { return token > 65535; }));
    }

    /// Windows of documents apart are those of each document alone, whatever the files and documents.
    void samplesApartLieInOneDocument() {
        std::mt19937 random(freshSeed());
        for (int i = 0; i < 30; ++i) {
            const int sequence = 1 + int(random() % 6);
            std::vector<std::vector<std::int32_t>> wanted;
            std::filesystem::remove_all(at("data"));
            std::filesystem::create_directory(at("data"));
            const bool validates = random() % 2;
            for (const char* name : {"data/a", "data/b", "data/val"}) {
                if (name == std::string("data/val") && !validates) continue;
                MegatronData data;
                data.documents.resize(1 + random() % 10);
                for (Sequences& document : data.documents) {
                    document.resize(1 + random() % 2);
                    std::vector<std::int32_t> text;
                    for (auto& part : document) {
                        part.resize(random() % 20);
                        for (std::int64_t& token : part) text.push_back(int(token = std::int64_t(random() % 70000)));
                    }
                    for (std::size_t at = 0; at + std::size_t(sequence) < text.size(); at += std::size_t(sequence) + 1)
                        wanted.emplace_back(text.begin() + std::ptrdiff_t(at),
                                            text.begin() + std::ptrdiff_t(at) + sequence + 1);
                }
                data.documents.push_back({std::vector<std::int64_t>(20, 7)});  // each file has a window
                for (int k = 0; k < 20 / (sequence + 1); ++k) wanted.emplace_back(std::size_t(sequence) + 1, 7);
                writeBytes(at(QString(name) + ".bin"), data.bin<std::int32_t>());
                writeBytes(at(QString(name) + ".idx"), data.index(4, 4));
            }
            Layout layout = layoutOf(DataKind::Tokens, "data", sequence, 70000);
            layout.data.documents = DocumentBorders::Apart;
            const auto corpus = Corpus::load(layout);
            QVERIFY2(corpus.has_value(), qPrintable(why(corpus)));
            QVERIFY(windows(*corpus) == wanted);
            QCOMPARE(corpus->validationWindows() > 0, validates);
        }
    }

    void apartNeedsDocumentsAndRoom() {
        writeBytes(at("train.bin"), numbers({1, 2, 3, 4}));
        Layout layout = layoutOf(DataKind::Tokens, "train.bin", 1, 100);
        layout.data.documents = DocumentBorders::Apart;
        QVERIFY(why(Corpus::load(layout)).contains("no .idx beside the file says where they begin"));
        const MegatronData data{{{{1, 2}}, {{3, 4}}}};
        writeBytes(at("train.bin"), data.bin<std::uint16_t>());
        writeBytes(at("train.idx"), data.index(8, 2));
        QVERIFY2(Corpus::load(layout).has_value(), qPrintable(why(Corpus::load(layout))));
        layout.model.sequence = 2;
        QVERIFY(why(Corpus::load(layout)).contains("within one document (data.documents apart)"));
        layout.data.documents = DocumentBorders::Joined;
        QVERIFY(Corpus::load(layout).has_value());
    }

    void linesOfJsonAreDocuments() {
        writeTokenizer(folder_->path(), {{"a", "b"}});
        nlohmann::json vocabulary = nlohmann::json::parse(std::ifstream(at("vocab.json")));
        vocabulary["<|endoftext|>"] = 258;
        writeBytes(at("vocab.json"), vocabulary.dump());
        writeBytes(at("texts.jsonl"), "{\"body\": \"ababab\"}\n\n{\"body\": \"ab\"}\n{\"body\": \"abababab\"}\n");
        Layout layout = layoutOf(DataKind::JsonLines, "texts.jsonl", 1, 259);
        layout.data.textField = "body";
        layout.data.tokenizer = TokenizerKind::Gpt2;
        layout.data.tokenizerPath = folder_->path().toStdString();
        const auto joined = Corpus::load(layout);
        QVERIFY2(joined.has_value(), qPrintable(why(joined)));
        QVERIFY(windows(*joined) ==
                (std::vector<std::vector<std::int32_t>>{{256, 256}, {256, 258}, {256, 258}, {256, 256}, {256, 256}}));
        layout.data.documents = DocumentBorders::Apart;
        layout.model.sequence = 2;
        const auto apart = Corpus::load(layout);
        QVERIFY2(apart.has_value(), qPrintable(why(apart)));
        QVERIFY(windows(*apart) == (std::vector<std::vector<std::int32_t>>{{256, 256, 256}, {256, 256, 256}}));
        layout.data.tokenizer = TokenizerKind::Byte;
        const auto bytes = Corpus::load(layout);
        QVERIFY2(bytes.has_value(), qPrintable(why(bytes)));
        QVERIFY(bytes->trainWindow(0) == (std::vector<std::int32_t>{'a', 'b', 'a'}));
        layout.data.textField = "text";
        QVERIFY(why(Corpus::load(layout)).contains("line 1 has no text"));
    }

    /// A sparse file: more than the memory of most machines, and nothing of it is kept.
    void filesLargerThanMemoryStayWhereTheyAre() {
        constexpr std::uint64_t bytes = std::uint64_t{256} << 30;
        std::ofstream(at("large.bin"), std::ios::binary).close();
        std::error_code error;
        std::filesystem::resize_file(at("large.bin"), bytes, error);
        if (error) QSKIP("this file system has no files of 256 GiB");
        {
            std::fstream file(at("large.bin"), std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(std::streamoff(bytes - 2));
            file.write("\x39\x05", 2);
        }
        const Layout layout = layoutOf(DataKind::Tokens, "large.bin", 1023, 2000);
        const std::int64_t before = resident();
        const auto corpus = Corpus::load(layout);
        QVERIFY2(corpus.has_value(), qPrintable(why(corpus)));
        QCOMPARE(corpus->trainWindows(), std::int64_t(bytes / 2048));
        QCOMPARE(corpus->trainWindow(corpus->trainWindows() - 1).back(), 0x539);
        QVERIFY2(resident() - before < (std::int64_t{64} << 20), qPrintable(QString::number(resident() - before)));

        // What lies behind the tokens that are looked at before a run is looked at when it is drawn.
        const auto outside = Corpus::load(layoutOf(DataKind::Tokens, "large.bin", 1023, 0x539));
        QVERIFY(outside.has_value());
        try {
            outside->trainWindow(outside->trainWindows() - 1);
            QFAIL("a token outside the vocabulary was handed on");
        } catch (const std::runtime_error& refused) {
            QVERIFY2(std::string(refused.what()).find("is 1337, model.vocabulary is 1337") != std::string::npos,
                     refused.what());
        }
        std::filesystem::resize_file(at("large.bin"), 2048);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, corpus->trainWindow(corpus->trainWindows() - 1));
    }
};

QTEST_GUILESS_MAIN(CorpusFilesTest)
#include "corpus_files_test.moc"
