// SPDX-License-Identifier: Apache-2.0
// Files of tokens, whichever program wrote them: what they hold, where documents begin, and what is refused. And texts
// in JSON Lines.
#include "engine/layout/data/token_format.h"

#include "engine/layout/data/json_lines.h"
#include "tests/support/seed.h"
#include "tests/support/token_files.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>
#include <random>

using namespace shardlab;
using namespace shardlab::test;

namespace {

MegatronData drawn(std::mt19937& random, std::int64_t most) {
    const auto among = [&](std::int64_t least, std::int64_t end) {
        return std::uniform_int_distribution(least, end)(random);
    };
    MegatronData data;
    data.documents.resize(std::size_t(among(1, 40)));
    for (Sequences& document : data.documents) {
        document.resize(std::size_t(among(0, 3)));
        for (auto& sequence : document) {
            sequence.resize(std::size_t(among(0, 30)));
            for (std::int64_t& token : sequence) token = among(0, most);
        }
    }
    return data;
}

}  // namespace

class TokenFormatTest : public QObject {
    Q_OBJECT
private:
    std::filesystem::path at(const char* name) const { return folder_.filePath(name).toStdString(); }

    Result<TokenFile> only() const {
        Result<std::vector<TokenFile>> files = findTokenFiles(at("tokens.bin"));
        if (!files) return fail(files.error());
        return std::move(files->front());
    }
    static std::vector<std::int64_t> read(const TokenFile& file, std::uint64_t first, std::size_t count) {
        std::vector<std::int64_t> tokens(count);
        DiskFileSystem disk;
        const auto opened = disk.open(file.path, OpenMode::Read);
        const Status done = readTokens(**opened, file, first, tokens);
        return done ? tokens : std::vector<std::int64_t>{};
    }
    /// What is said of an index beside ten tokens of 16 bits.
    QString refusal(const std::string& index) const {
        writeBytes(at("tokens.bin"), std::string(20, '\1'));
        writeBytes(at("tokens.idx"), index);
        const auto file = only();
        const auto documents = file ? documentsOf(*file) : Result<std::vector<std::int64_t>>(fail(file.error()));
        return documents ? QString() : QString::fromStdString(documents.error().text());
    }

    QTemporaryDir folder_;

private Q_SLOTS:
    void cleanup() const { std::filesystem::remove(at("tokens.idx")); }

    void megatronsDataIsReadWithItsDocuments_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("width");
        QTest::addColumn<qint64>("most");
        QTest::newRow("uint8") << 1 << 1 << qint64(255);
        QTest::newRow("int8") << 2 << 1 << qint64(127);
        QTest::newRow("int16") << 3 << 2 << qint64(32767);
        QTest::newRow("int32") << 4 << 4 << qint64(200000);
        QTest::newRow("int64") << 5 << 8 << qint64(200000);
        QTest::newRow("uint16") << 8 << 2 << qint64(65535);
    }
    void megatronsDataIsReadWithItsDocuments() {
        QFETCH(int, type);
        QFETCH(int, width);
        QFETCH(qint64, most);
        std::mt19937 random(freshSeed());
        for (int i = 0; i < 30; ++i) {
            const MegatronData data = drawn(random, most);
            const std::vector<std::int64_t> all = data.tokens();
            writeBytes(at("tokens.bin"), width == 1   ? data.bin<std::uint8_t>()
                                         : width == 2 ? data.bin<std::uint16_t>()
                                         : width == 4 ? data.bin<std::int32_t>()
                                                      : data.bin<std::int64_t>());
            std::string index = data.index(std::uint8_t(type), width);
            if (i % 2 == 1) {  // a mode for each sequence
                std::size_t sequences = 0;
                for (const Sequences& document : data.documents) sequences += document.size();
                index += std::string(sequences, '\0');
            }
            writeBytes(at("tokens.idx"), index);
            const auto file = only();
            QVERIFY2(file.has_value(), file ? "" : file.error().text().c_str());
            QCOMPARE(file->count, all.size());
            QVERIFY(read(*file, 0, all.size()) == all);
            QVERIFY(checkTokens(*file, int(most) + 1).has_value());
            const auto documents = documentsOf(*file);
            QVERIFY2(documents.has_value(), documents ? "" : documents.error().text().c_str());
            std::vector<std::int64_t> firsts;
            std::int64_t first = 0;
            for (const Sequences& document : data.documents) {
                firsts.push_back(first);
                for (const auto& sequence : document) first += std::int64_t(sequence.size());
            }
            QVERIFY(*documents == firsts);
        }
    }

    void anIndexThatDoesNotFitIsRefused() {
        const MegatronData data{{{{1, 2, 3}, {4}}, {{5, 6, 7, 8, 9, 10}}}};
        const std::string good = data.index(8, 2);
        QCOMPARE(refusal(good), QString());
        const auto with = [&](std::size_t at, std::int64_t value, std::size_t width) {
            std::string changed = good;
            changed.replace(at, width, reinterpret_cast<const char*>(&value), width);
            return changed;
        };
        // The header has 34 bytes, then come 3 lengths, 3 places and 3 document indices.
        const std::vector<std::pair<std::string, const char*>> wrong{
            {"MMIDIDX\0", "does not begin as one of Megatron's"},
            {good.substr(0, 20), "it ends within its header"},
            {with(9, 2, 8), "its version is 2"},
            {with(17, 7, 1), "its numbers are float32, which are no tokens"},
            {with(17, 9, 1), "tokens of type 9 are not known"},
            {with(17, 0, 1), "tokens of type 0 are not known"},
            {with(17, 4, 1), "sequence 1 lies at byte 6, and those before it end at 12"},
            {with(18, 4, 8), "take"},
            {with(18, -1, 8), "it counts 18446744073709551615 sequences"},
            {good + "xy", "document indices take 94 bytes, and it has 96"},
            {with(34, -1, 4), "sequence 0 has -1 tokens"},
            {with(34 + 12 + 8, 8, 8), "sequence 1 lies at byte 8, and those before it end at 6"},
            {with(34 + 12 + 24, 1, 8), "document index 0 is 1"},
            {with(34 + 12 + 24 + 8, 9, 8), "document index 1 is 9"},
            {with(34 + 12 + 24 + 16, 1, 8), "document index 2 is 1"},
            {with(34 + 12 + 24 + 16, 2, 8), "its last document index is not the number of its sequences"},
            {MegatronData{{{{1, 2, 3}}}}.index(8, 2), "counts 3 tokens of 2 bytes, and it has 20 bytes"},
        };
        for (const auto& [index, said] : wrong) {
            const QString why = refusal(index);
            QVERIFY2(why.contains(said) && why.contains("tokens."), qPrintable(QString(said) + " ← " + why));
        }
    }

    void negativeTokensAreRefused() {
        MegatronData data{{{{1, -2, 3}}}};
        for (const auto& [type, width] : {std::pair{2, 1}, {3, 2}, {4, 4}, {5, 8}}) {
            writeBytes(at("tokens.bin"), width == 1   ? data.bin<std::int8_t>()
                                         : width == 2 ? data.bin<std::int16_t>()
                                         : width == 4 ? data.bin<std::int32_t>()
                                                      : data.bin<std::int64_t>());
            writeBytes(at("tokens.idx"), data.index(std::uint8_t(type), width));
            const auto file = only();
            QVERIFY2(file.has_value(), file ? "" : file.error().text().c_str());
            const Status checked = checkTokens(*file, 1000000);
            QVERIFY(!checked);
            QVERIFY2(checked.error().text().find("token 1 is -2") != std::string::npos, checked.error().text().c_str());
        }
    }

    void theFirstTokenOutsideAndTheLargestAreNamed() {
        std::vector<std::uint32_t> tokens(70000);
        for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = std::uint32_t(i * 31 % 128256);
        writeBytes(at("tokens.bin"), llmcHeader(7, 70000, 20240801) + bytesOf(tokens));
        const auto file = only();
        QVERIFY2(file.has_value(), file ? "" : file.error().text().c_str());
        QVERIFY(checkTokens(*file, 128256).has_value());
        QVERIFY(read(*file, 69000, 2) == (std::vector<std::int64_t>{tokens[69000], tokens[69001]}));
        const Status checked = checkTokens(*file, 60000);
        QVERIFY(!checked);
        const std::string text = checked.error().text();
        QVERIFY2(text.find("token 1936 is 60016, model.vocabulary is 60000") != std::string::npos &&
                     text.find("model.vocabulary above 128255") != std::string::npos,
                 text.c_str());
    }

    void aFileThatShrankIsNamed() {
        writeBytes(at("tokens.bin"), std::string(20, '\1'));
        const auto file = only();
        writeBytes(at("tokens.bin"), std::string(10, '\1'));
        const Status checked = checkTokens(*file, 1000);
        QVERIFY(!checked && checked.error().text().find("it is shorter than it was") != std::string::npos);
    }

    void linesOfJsonGiveTheirTexts() {
        std::mt19937 random(freshSeed());
        for (int i = 0; i < 20; ++i) {
            std::vector<std::string> wanted, got;
            std::string file;
            std::vector<std::int64_t> numbers, seen;
            for (int line = 1; line <= 200; ++line) {
                if (random() % 5 == 0) {
                    file += random() % 2 ? "\n" : " \r\n";
                    continue;
                }
                std::string text(random() % 20000 * (random() % 3 == 0), char('a' + random() % 26));
                text += "é\n\"\\";
                file += nlohmann::json{{"n", line}, {"body", text}, {"text", 7}}.dump(-1, ' ', random() % 2) + "\n";
                wanted.push_back(text);
                numbers.push_back(line);
            }
            if (i % 2 == 0 && file.ends_with("}\n")) file.pop_back();
            writeBytes(at("lines.jsonl"), file);
            const Status done =
                eachJsonLine(at("lines.jsonl"), "body", file.size(), [&](std::string_view text, auto line) {
                    got.emplace_back(text);
                    seen.push_back(line);
                    return Status{};
                });
            QVERIFY2(done.has_value(), done ? "" : done.error().text().c_str());
            QVERIFY(got == wanted && seen == numbers);
        }
    }

    void linesThatHaveNoTextAreNamed() {
        for (const auto& [content, said] : {std::pair{"{\"text\": \"a\"}\n{\"text\": \"b\"", "line 2 is no JSON"},
                                            {"[\"a\"]\n", "line 1 is no JSON object"},
                                            {"\n{\"body\": \"a\"}\n", "line 2 has no text"},
                                            {"{\"text\": null}\n", "line 1 has a text that is no text"},
                                            {"\x7f\x45LF\x01\x02\xff\n", "line 1 is no JSON"}}) {
            writeBytes(at("lines.jsonl"), content);
            const Status done =
                eachJsonLine(at("lines.jsonl"), "text", 1000, [](std::string_view, std::int64_t) { return Status{}; });
            QVERIFY(!done);
            QVERIFY2(done.error().text().find(said) != std::string::npos, done.error().text().c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TokenFormatTest)
#include "token_format_test.moc"
