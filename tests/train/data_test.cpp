// SPDX-License-Identifier: Apache-2.0
// Text, its split, and which windows make which batch.
#include "engine/train/corpus.h"
#include "engine/train/sampler.h"
#include "engine/train/text_generator.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <random>
#include <regex>
#include <set>

using namespace shardlab;

namespace {

/// A text in which every window is different: numbers, four digits each.
std::string numbered(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += QString::asprintf("%04d ", i).toStdString();
    return text;
}

Layout layoutOf(int sequence, double validation, int global, int micro, int data) {
    Layout layout;
    layout.model.sequence = sequence;
    layout.data.validation = validation;
    layout.batch = {global, micro};
    layout.parallel.data = data;
    return layout;
}

std::vector<std::vector<std::int32_t>> samplesOf(const MicrobatchTokens& made, int sequence) {
    std::vector<std::vector<std::int32_t>> samples;
    for (std::size_t at = 0; at < made.tokens.size(); at += static_cast<std::size_t>(sequence))
        samples.emplace_back(made.tokens.begin() + static_cast<std::ptrdiff_t>(at),
                             made.tokens.begin() + static_cast<std::ptrdiff_t>(at) + sequence);
    return samples;
}

}  // namespace

class DataTest : public QObject {
    Q_OBJECT

private slots:
    void generatorIsAFunctionOfTheSeed() {
        const std::int64_t seed = std::random_device{}();
        const std::string text = generateText(seed, 20'000);
        QCOMPARE(text.size(), std::size_t{20'000});
        QVERIFY(text == generateText(seed, 20'000));
        QVERIFY(text != generateText(seed + 1, 20'000));
        QVERIFY2(text == generateText(seed, 30'000).substr(0, 20'000), "a longer text begins like a shorter one");
    }

    /// What is claimed to be learnable is true: sums, counts that follow trades, agreement of number.
    void generatedTextIsConsistent() {
        const std::int64_t seed = std::random_device{}();
        const std::string text = generateText(seed, 200'000);
        for (const char byte : text) QVERIFY((byte >= ' ' && byte <= '~') || byte == '\n');

        int sums = 0;
        const std::regex sum(R"((\d+)\+(\d+)=(\d+)\.)");
        for (std::sregex_iterator at(text.begin(), text.end(), sum), end; at != end; ++at, ++sums)
            QVERIFY2(std::stoi((*at)[1]) + std::stoi((*at)[2]) == std::stoi((*at)[3]), at->str().c_str());
        QVERIFY(sums > 100);

        int scenes = 0, trades = 0;
        std::istringstream lines(text.substr(0, text.rfind('\n')));
        for (std::string line; std::getline(lines, line); ++scenes) {
            std::smatch has, now;
            QVERIFY2(std::regex_search(line, has, std::regex(R"( has (\d+) )")), line.c_str());
            QVERIFY2(std::regex_search(line, now, std::regex(R"(Now \w+ has (\d+) )")), line.c_str());
            int count = std::stoi(has[1]);
            const std::regex trade(R"((buys|gives) (\d+) )");
            for (std::sregex_iterator at(line.begin(), line.end(), trade), end; at != end; ++at, ++trades)
                count += (*at)[1] == "buys" ? std::stoi((*at)[2]) : -std::stoi((*at)[2]);
            QVERIFY2(count == std::stoi(now[1]), (std::to_string(seed) + ": " + line).c_str());
        }
        QVERIFY(scenes > 100 && trades > 100);
        QVERIFY(!std::regex_search(text, std::regex(R"((dogs|cats|birds|geese|mice) (runs|sleeps|waits|is) )")));
        QVERIFY(!std::regex_search(text, std::regex(R"((dog|cat|bird|goose|mouse) (run|sleep|wait|are) )")));
    }

    void splitIsByPosition() {
        const std::string text = numbered(1000);  // 5000 bytes
        const auto corpus = Corpus::fromText(text, layoutOf(9, 0.2, 4, 1, 1), "text");
        QVERIFY(corpus.has_value());
        QCOMPARE(corpus->trainWindows(), 400);
        QCOMPARE(corpus->validationWindows(), 100);
        const auto bytes = [](std::span<const std::uint16_t> tokens) { return std::string(tokens.begin(), tokens.end()); };
        QCOMPARE(bytes(corpus->trainWindow(3)), text.substr(30, 10));
        QCOMPARE(bytes(corpus->validationWindow(99)), text.substr(4990, 10));
        QCOMPARE(bytes(corpus->validationWindow(0)), text.substr(4000, 10));
    }

    void errorsSayWhatIsWrong_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<int>("vocabulary");
        QTest::addColumn<QString>("part");
        QTest::newRow("empty") << QByteArray() << 256 << "empty";
        QTest::newRow("too short") << QByteArray("short") << 256 << "one window needs 129 B";
        QTest::newRow("validation too short") << QByteArray(1000, 'a') << 256 << "validation part has 100 B";
        QTest::newRow("outside") << QByteArray(5000, 'a') + "\xC3" << 128 << "byte 5000 is 195";
    }
    void errorsSayWhatIsWrong() {
        QFETCH(QByteArray, content);
        QFETCH(int, vocabulary);
        QFETCH(QString, part);
        QTemporaryDir folder;
        Layout layout;
        layout.data.kind = "text";
        layout.data.path = folder.filePath("corpus.txt").toStdString();
        layout.model.vocabulary = vocabulary;
        std::ofstream(layout.data.path, std::ios::binary) << content.toStdString();
        const auto corpus = Corpus::load(layout);
        QVERIFY(!corpus.has_value());
        const QString text = QString::fromStdString(corpus.error().text());
        QVERIFY2(text.contains(part), qPrintable(text));
        QVERIFY2(text.contains("corpus.txt"), qPrintable(text));
    }

    void missingFileIsAnError() {
        Layout layout;
        layout.data.kind = "text";
        layout.data.path = "/nowhere/corpus.txt";
        const auto corpus = Corpus::load(layout);
        QVERIFY(!corpus.has_value());
        QVERIFY(corpus.error().text().find("/nowhere/corpus.txt") != std::string::npos);
    }

    /// Over an epoch every window comes exactly once, in an order that changes from epoch to epoch.
    void epochsAreShuffledWithoutRepetition() {
        const std::int64_t seed = std::random_device{}();
        Layout layout = layoutOf(9, 0, 6, 2, 1);
        layout.run.seed = seed;
        const auto corpus = Corpus::fromText(numbered(500), layout, "text");
        QVERIFY(corpus.has_value());
        Sampler sampler(*corpus, layout, 0);
        const std::int64_t windows = corpus->trainWindows();
        std::vector<std::vector<std::int64_t>> epochs(3);
        for (std::int64_t sample = 0; sample < 3 * windows; ++sample)
            epochs[static_cast<std::size_t>(sample / windows)].push_back(sampler.trainWindowOf(sample));
        for (const auto& epoch : epochs) {
            const std::set<std::int64_t> distinct(epoch.begin(), epoch.end());
            QVERIFY2(distinct.size() == static_cast<std::size_t>(windows) && *distinct.rbegin() == windows - 1,
                     qPrintable(QString("seed %1").arg(seed)));
        }
        QVERIFY(epochs[0] != epochs[1] && epochs[1] != epochs[2]);
    }

    /// The replicas' microbatches, put together, are the one-rank batch, in its order; training and validation alike.
    void sharesMakeUpTheGlobalBatch_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("micro");
        for (const int data : {1, 2, 4})
            for (const int micro : {1, 3}) QTest::addRow("data %d micro %d", data, micro) << data << micro;
    }
    void sharesMakeUpTheGlobalBatch() {
        QFETCH(int, data);
        QFETCH(int, micro);
        constexpr int sequence = 9, global = 12;
        const std::int64_t seed = std::random_device{}();
        Layout whole = layoutOf(sequence, 0.3, global, global, 1);
        whole.run.seed = seed;
        whole.run.validationBatches = 2;
        Layout split = whole;
        split.batch.micro = micro;
        split.parallel.data = data;
        const auto corpus = Corpus::fromText(numbered(100), whole, "text");
        QVERIFY(corpus.has_value());
        Sampler reference(*corpus, whole, 0);
        for (const std::int64_t step : {0, 1, 7}) {
            std::vector<std::vector<std::int32_t>> gathered;
            for (int rank = 0; rank < data; ++rank) {
                Sampler sampler(*corpus, split, rank);
                for (int j = 0; j < global / data / micro; ++j)
                    for (auto& sample : samplesOf(sampler.train(step, j), sequence)) gathered.push_back(sample);
            }
            QVERIFY2(gathered == samplesOf(reference.train(step, 0), sequence),
                     qPrintable(QString("seed %1 step %2").arg(seed).arg(step)));
        }
        std::multiset<std::vector<std::int32_t>> all, gathered;
        for (int j = 0; j < reference.validationMicrobatches(); ++j)
            for (auto& sample : samplesOf(reference.validation(j), sequence)) all.insert(sample);
        for (int rank = 0; rank < data; ++rank) {
            const Sampler sampler(*corpus, split, rank);
            for (int j = 0; j < sampler.validationMicrobatches(); ++j)
                for (auto& sample : samplesOf(sampler.validation(j), sequence)) gathered.insert(sample);
        }
        QCOMPARE(all.size(), std::size_t{2 * global});
        QVERIFY(all == gathered);
    }

    void targetsAreTheNextTokens() {
        const Layout layout = layoutOf(9, 0, 2, 2, 1);
        const auto corpus = Corpus::fromText(numbered(40), layout, "text");
        Sampler sampler(*corpus, layout, 0);
        const MicrobatchTokens made = sampler.train(5, 0);
        QCOMPARE(made.tokens.size(), std::size_t{18});
        for (std::size_t i = 0; i < made.tokens.size(); ++i)
            if (i % 9 != 8) QCOMPARE(made.targets[i], made.tokens[i + 1]);
    }
};

QTEST_GUILESS_MAIN(DataTest)
#include "data_test.moc"
