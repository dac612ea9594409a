// SPDX-License-Identifier: Apache-2.0
// Text, its split, and which windows make which batch.
#include "engine/layout/data/corpus.h"
#include "engine/layout/data/sampler.h"
#include "engine/layout/data/text_generator.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <map>
#include <regex>
#include <set>

using namespace shardlab::test;

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

private Q_SLOTS:
    void generatorIsAFunctionOfTheSeed() {
        const std::int64_t seed = freshSeed();
        const std::string text = generateText(seed, 20'000);
        QCOMPARE(text.size(), std::size_t{20'000});
        QVERIFY(text == generateText(seed, 20'000));
        QVERIFY(text != generateText(seed + 1, 20'000));
        QVERIFY2(text == generateText(seed, 30'000).substr(0, 20'000), "a longer text begins like a shorter one");
    }

    /// What is claimed to be learnable is true: sums, counts that follow trades, agreement of number.
    void generatedTextIsConsistent() {
        const std::int64_t seed = freshSeed();
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
        const auto bytes = [](const std::vector<std::int32_t>& tokens) {
            return std::string(tokens.begin(), tokens.end());
        };
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
        layout.data.kind = DataKind::Text;
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
        layout.data.kind = DataKind::Text;
        layout.data.path = "/nowhere/corpus.txt";
        const auto corpus = Corpus::load(layout);
        QVERIFY(!corpus.has_value());
        QVERIFY(corpus.error().text().find("/nowhere/corpus.txt") != std::string::npos);
    }

    /// Over an epoch every window comes exactly once, in an order that changes from epoch to epoch.
    void epochsAreShuffledWithoutRepetition() {
        const std::int64_t seed = freshSeed();
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
        const std::int64_t seed = freshSeed();
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

    /// The shards of all replicas, put together, over an epoch and over the next one: every window of the data set,
    /// except for what the last batch repeats or leaves out.
    void shardsMakeUpTheDataSet_data() {
        QTest::addColumn<QString>("lastBatch");
        QTest::addColumn<int>("data");
        for (const QByteArray& lastBatch : {QByteArray("carry"), QByteArray("pad"), QByteArray("drop")})
            for (const int data : {1, 2, 3})
                QTest::addRow("%s, data %d", lastBatch.constData(), data) << QString(lastBatch) << data;
    }
    void shardsMakeUpTheDataSet() {
        QFETCH(QString, lastBatch);
        QFETCH(int, data);
        constexpr int global = 12;
        Layout layout = layoutOf(9, 0, global, 2, data);
        layout.run.seed = freshSeed();
        layout.data.lastBatch = named(lastBatch);
        const int windows = global + 1 + static_cast<int>(freshSeed() % 60);  // 2 numbers each
        const auto corpus = Corpus::fromText(numbered(2 * windows), layout, "text");
        QVERIFY(corpus.has_value());
        QCOMPARE(corpus->trainWindows(), windows);
        // Where the rest is carried on, only as many epochs as a batch has samples end with a batch.
        const bool pad = lastBatch == "pad", carry = lastBatch == "carry";
        const int steps = carry ? windows : (windows + (pad ? global - 1 : 0)) / global;
        for (const int epoch : {0, 1}) {
            std::map<std::vector<std::int32_t>, int> drawn;
            for (int rank = 0; rank < data; ++rank) {
                Sampler sampler(*corpus, layout, rank);
                for (int step = epoch * steps; step < (epoch + 1) * steps; ++step)
                    for (int j = 0; j < global / data / 2; ++j)
                        for (auto& sample : samplesOf(sampler.train(step, j), 9)) ++drawn[sample];
            }
            int missing = windows - static_cast<int>(drawn.size()), twice = 0;
            for (const auto& [window, times] : drawn) {
                QVERIFY(carry ? times == global : times <= 2);
                if (times == 2) ++twice;
            }
            const auto context = qPrintable(QString("seed %1, %2 windows").arg(layout.run.seed).arg(windows));
            if (lastBatch == "drop") QVERIFY2(twice == 0 && missing == windows % global, context);
            if (pad) QVERIFY2(missing == 0 && twice == (global - windows % global) % global, context);
            if (carry) QVERIFY2(missing == 0, context);
        }
    }

    /// Two parts of a run, the second with any other batch: until the end of the epoch nothing comes again and nothing
    /// is skipped; with the same batch it is the run in one part.
    void aRunGoesOnWithinAnEpoch_data() {
        QTest::addColumn<QString>("lastBatch");
        for (const char* lastBatch : {"carry", "pad", "drop"}) QTest::newRow(lastBatch) << lastBatch;
    }
    void aRunGoesOnWithinAnEpoch() {
        QFETCH(QString, lastBatch);
        constexpr int windows = 101;
        for (const int global : {4, 6, 20}) {
            Layout layout = layoutOf(9, 0, 6, 1, 1);
            layout.run.seed = freshSeed();
            layout.data.lastBatch = named(lastBatch);
            const auto corpus = Corpus::fromText(numbered(2 * windows), layout, "text");
            QVERIFY(corpus.has_value());
            const int epochSteps = lastBatch == "drop" ? windows / 6 : (windows + 5) / 6;
            const std::int64_t done = epochSteps + 3;  // within the second epoch
            Sampler first(*corpus, layout, 0);
            layout.batch.global = global;
            Sampler second(*corpus, layout, 0);
            second.continueAt(done, first.samplesBefore(done));
            const auto batch = [](Sampler& sampler, std::int64_t step, int samples) {
                std::vector<std::vector<std::int32_t>> all;
                for (int j = 0; j < samples; ++j) all.push_back(samplesOf(sampler.train(step, j), 9).front());
                return all;
            };
            if (global == 6)
                for (std::int64_t step = done; step < done + 40; ++step)
                    QVERIFY(batch(second, step, 6) == batch(first, step, 6));
            // What of the epoch's windows is drawn before and after, while whole batches are left.
            std::set<std::vector<std::int32_t>> drawn;
            std::int64_t count = 0;
            const std::int64_t end = first.samplesBefore(done) - first.samplesBefore(done) % windows + windows;
            for (std::int64_t sample = end - windows; sample < first.samplesBefore(done); ++sample, ++count) {
                const auto window = corpus->trainWindow(first.trainWindowOf(sample));
                drawn.emplace(window.begin(), window.end() - 1);
            }
            std::int64_t step = done;
            for (; second.samplesBefore(step) + global <= end; ++step)
                for (auto& sample : batch(second, step, global)) ++count, drawn.insert(sample);
            QCOMPARE(static_cast<std::int64_t>(drawn.size()), count);
            QVERIFY(end - second.samplesBefore(step) < global || lastBatch != "carry");
            QVERIFY(count > windows - global);
        }
    }

    void droppingNeedsAWholeBatch() {
        Layout layout = layoutOf(9, 0, 12, 1, 1);
        layout.data.lastBatch = LastBatch::Drop;
        QVERIFY(Corpus::fromText(numbered(24), layout, "text").has_value());
        const auto corpus = Corpus::fromText(numbered(23), layout, "text");
        QVERIFY(!corpus.has_value());
        QVERIFY2(corpus.error().text().find("11 windows, a global batch takes 12") != std::string::npos,
                 corpus.error().text().c_str());
    }

    void targetsAreTheNextTokens() {
        const Layout layout = layoutOf(9, 0, 2, 2, 1);
        const auto corpus = Corpus::fromText(numbered(40), layout, "text");
        Sampler sampler(*corpus, layout, 0);
        const MicrobatchTokens made = sampler.train(5, 0);
        QCOMPARE(made.tokens.size(), std::size_t{18});
        for (std::size_t i = 0; i < made.tokens.size(); ++i)
            if (i % 9 != 8) QCOMPARE(made.targets[i], made.tokens[i + 1]);
        QVERIFY(made.further.empty());
    }

    /// Whichever member of a context group has a token: the one so many places behind, as long as the sample has it.
    void modulesPredictTokensFurtherAhead() {
        Layout layout = layoutOf(8, 0, 2, 2, 1);
        layout.model.predictedTokens = 2;
        const auto corpus = Corpus::fromText(numbered(60), layout, "text");
        const MicrobatchTokens whole = Sampler(*corpus, layout, 0).train(3, 0);
        QCOMPARE(whole.further.size(), std::size_t{2});
        for (std::size_t i = 0; i < whole.targets.size(); ++i)
            for (std::size_t module = 0; module < 2; ++module)
                QCOMPARE(whole.further[module][i],
                         i % 8 + module + 1 < 8 ? whole.targets[i + module + 1] : std::int32_t{noToken});
        layout.parallel.context = 2;
        for (const int member : {0, 1}) {
            const MicrobatchTokens part = Sampler(*corpus, layout, 0, 1, member).train(3, 0);
            std::size_t at = 0;
            for (std::size_t sample = 0; sample < 2; ++sample)
                for (const TokenRun& run : contextRuns(8, 2, member))
                    for (int i = run.first; i < run.first + run.count; ++i, ++at)
                        for (std::size_t module = 0; module < 2; ++module)
                            QCOMPARE(part.further[module][at], whole.further[module][sample * 8 + std::size_t(i)]);
        }
    }
};

QTEST_GUILESS_MAIN(DataTest)
#include "data_test.moc"
