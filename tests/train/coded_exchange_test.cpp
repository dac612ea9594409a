// SPDX-License-Identifier: Apache-2.0
// Gradients in 8 bits or less with error feedback: real ranks do what a serial re-enactment does, to the bit, and
// nothing is lost but what remainders hold.
#include "engine/base/random.h"
#include "engine/predict/search/nearest_legal.h"
#include "tests/support/seed.h"
#include "tests/train/coded_runs.h"
#include "tests/train/serial_codes.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <cmath>

using namespace shardlab::test;

class CodedExchangeTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(const QString& model, const QString& format, int data, double bucket = 0.02) const {
        return codedLayout(seed_, model, format, data, bucket);
    }

    /// Weights and remainders of all ranks are those of one process, and nothing else is lost.
    static void requireReenacted(Layout layout) {
        const int data = layout.parallel.data;
        if (layout.parallel.zero > 0) layout.optimizer.clip = 0;  // the norm is summed in another order
        layout.checkpoint.every = layout.run.steps;
        const QTemporaryDir folder;
        const RunOutcome run = trainCoded(layout, folder);
        requireEqualReplicas(run);
        const ReenactedCodes wanted = reenactCodes(layout);
        SerialModel names(layout);
        if (layout.parallel.zero < 3)
            for (const RankOutcome& rank : run.ranks) QVERIFY(sameBits(weightsOf(rank, layout), wanted.weights));
        const auto whole = wholeWeights(run);
        Numbers weights;
        for (const Parameter& parameter : names.parameters())
            weights.insert(weights.end(), whole.at(parameter.name).begin(), whole.at(parameter.name).end());
        QVERIFY(sameBits(weights, wanted.weights));

        // What ranks kept, as a checkpoint has it.
        const StateSource source = checkpointSource(newestCheckpoint(folder));
        const std::map<std::string, Numbers> kept = wanted.kept();
        QCOMPARE(source.has("remainder of sums"), kept.contains("remainder of sums"));
        for (const auto& [kind, remainders] : kept) {
            Numbers found;
            for (const Parameter& parameter : names.parameters()) {
                Numbers values(parameter.value.size());
                const Status filled = source.fill(parameter.name, kind, parameter.slice, 0, values);
                QVERIFY2(filled, filled ? "" : filled.error().text().c_str());
                found.insert(found.end(), values.begin(), values.end());
            }
            QVERIFY2(sameBits(found, remainders), kind.c_str());
        }

        // Nothing else is lost. Each number that was added up is rounded a few times.
        for (std::size_t i = 0; i < wanted.given.size(); ++i) {
            double all = wanted.applied[i];
            for (const auto& [kind, remainders] : kept) all += remainders[i];
            const double off = std::abs(all - wanted.given[i]);
            QVERIFY2(off <= 4 * data * 0x1p-24 * wanted.touched[i],
                     qPrintable(QString("element %1: %2 of %3").arg(i).arg(off).arg(wanted.touched[i])));
        }
    }

    std::int64_t seed_ = 0;

private Q_SLOTS:
    void initTestCase() { seed_ = freshSeed(); }

    void ranksDoWhatOneProcessDoes_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("format");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("zero");
        QTest::addColumn<double>("bucket");
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<int>("shard");
        const auto row = [](const char* model, const char* format, int d, int zero, double bucket,
                            const char* optimizer, int shard = 0) {
            QTest::addRow("%s %s data %d zero %d bucket %g %s shard %d", model, format, d, zero, bucket, optimizer,
                          shard)
                << model << format << d << zero << bucket << optimizer << shard;
        };
        for (const char* format : {"8-bit", "4-bit", "1-bit"})
            for (const int d : {2, 4})
                for (const int zero : {0, 1, 2, 3}) row("gpt", format, d, zero, 0.02, "adamw");
        row("llama", "8-bit", 2, 0, 25, "adamw");
        row("llama", "4-bit", 4, 0, 0, "adamw");
        row("llama", "1-bit", 4, 0, 0.003, "sgd");
        row("mlp", "4-bit", 4, 1, 25, "sgd");
        row("mlp", "1-bit", 2, 0, 0.01, "adamw");
        row("cnn", "8-bit", 4, 0, 25, "sgd");
        row("cnn", "1-bit", 2, 1, 0.001, "adamw");
        row("cnn", "4-bit", 4, 2, 25, "sgd");
        row("llama", "8-bit", 2, 3, 25, "sgd");
        for (const char* format : {"8-bit", "4-bit", "1-bit"})
            for (const int zero : {1, 2, 3}) row("gpt", format, 4, zero, 0.02, "adamw", 2);
        row("mlp", "8-bit", 8, 2, 25, "sgd", 2);
        row("cnn", "1-bit", 8, 1, 0.003, "adamw", 4);
    }
    void ranksDoWhatOneProcessDoes() {
        QFETCH(QString, model);
        QFETCH(QString, format);
        QFETCH(int, data);
        QFETCH(int, zero);
        QFETCH(double, bucket);
        QFETCH(QString, optimizer);
        QFETCH(int, shard);
        Layout layout = layoutOf(model, format, data, bucket);
        layout.parallel.zero = zero;
        layout.parallel.shard = shard;
        layout.optimizer.kind = named(optimizer);
        if (optimizer == "sgd") layout.optimizer.learningRate = 0.02;
        layout.batch.micro = data == 2 ? 2 : 1;
        requireReenacted(layout);
    }

    void drawnLayoutsToo() {
        RandomStream random(seed_, "drawn layouts");
        for (int round = 0; round < 6; ++round) {
            const char* const models[]{"gpt", "mlp", "llama", "cnn"};
            const char* const formats[]{"8-bit", "4-bit", "1-bit"};
            const char* const optimizers[]{"sgd", "adamw", "adafactor", "sm3", "adamw-8bit"};
            Layout layout = layoutOf(models[random.below(4)], formats[random.below(3)], 2 << random.below(2),
                                     random.below(4) == 0 ? 0 : std::exp(6 * random.uniform() - 7));
            layout.model.layers = 1 + int(random.below(4));
            layout.model.hidden = 12 * (1 + int(random.below(4)));
            layout.optimizer.kind = named(optimizers[random.below(5)]);
            const bool divisible =
                traits(layout.optimizer.kind).plainDescent || layout.optimizer.kind == OptimizerKind::AdamW;
            layout.parallel.zero = divisible ? int(random.below(4)) : 0;
            if (layout.parallel.zero > 0 && layout.parallel.data == 4 && random.below(2) == 0)
                layout.parallel.shard = 2;
            layout.batch.global = layout.parallel.data << random.below(3);
            layout.run.steps = 2 + int(random.below(5));
            requireReenacted(layout);
            if (QTest::currentTestFailed()) {
                qInfo("round %d: %s", round, toText(LegalLayout{layout, changesBetween({}, layout)}).c_str());
                return;
            }
        }
    }

    /// Signs alone lead astray, and what is kept of them leads back.
    void feedbackIsWhatLearns() {
        Layout layout = layoutOf("mlp", "1-bit", 2, 25);
        layout.optimizer.kind = OptimizerKind::Sgd;
        layout.optimizer.learningRate = 0.05;
        layout.optimizer.weightDecay = 0;
        layout.optimizer.clip = 0;
        layout.optimizer.warmup = 0;
        layout.run.steps = 60;
        const auto last = [](const std::vector<double>& losses) {
            double sum = 0;
            for (std::size_t i = losses.size() - 10; i < losses.size(); ++i) sum += losses[i] / 10;
            return sum;
        };
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY2(run.error.empty(), run.error.c_str());
        const double with = last(run.counter(EventKind::Loss)), without = last(reenactCodes(layout, false).losses);
        layout.precision.exchange = ExchangeFormat::Full;
        const double full = last(reenactCodes(layout).losses), first = reenactCodes(layout).losses.front();
        const QString all =
            QString("first %1, full %2, with %3, without %4").arg(first).arg(full).arg(with).arg(without);
        QVERIFY2(full < first - 1, qPrintable(all));
        QVERIFY2(with < full + 0.3 * (first - full), qPrintable(all));
        QVERIFY2(!(without < full + 0.5 * (first - full)), qPrintable(all));
    }
};

QTEST_GUILESS_MAIN(CodedExchangeTest)
#include "coded_exchange_test.moc"
