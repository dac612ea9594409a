// SPDX-License-Identifier: Apache-2.0
// Runs whose gradients travel in codes: memory and traffic are what was planned, checkpoints keep remainders, and a
// step that is skipped spoils none.
#include "engine/base/random.h"
#include "tests/support/seed.h"
#include "tests/train/coded_runs.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <cmath>

using namespace shardlab::test;

class CodedRunsTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(const QString& model, const QString& format, int data) const {
        return codedLayout(seed_, model, format, data);
    }

    std::int64_t seed_ = 0;

private Q_SLOTS:
    void initTestCase() { seed_ = freshSeed(); }

    /// Memory is the ledger's to the byte, and what is sent the simulator's.
    void memoryAndTrafficAreAsPlanned_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("format");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("expert");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("compute");
        QTest::addColumn<int>("context");
        QTest::addColumn<int>("shard");
        const auto row = [](const char* model, const char* format, int d, int p, int e, int zero, const char* compute,
                            int c = 1, int shard = 0) {
            QTest::addRow("%s %s data %d pipeline %d expert %d zero %d %s context %d shard %d", model, format, d, p, e,
                          zero, compute, c, shard)
                << model << format << d << p << e << zero << compute << c << shard;
        };
        row("gpt", "8-bit", 3, 1, 1, 0, "fp32");
        row("gpt", "1-bit", 3, 2, 1, 0, "fp32");
        row("gpt", "4-bit", 2, 2, 1, 1, "bf16");
        row("gpt-moe", "8-bit", 4, 1, 2, 0, "fp32");
        row("gpt-moe", "1-bit", 4, 1, 2, 1, "fp16");
        row("gpt-moe", "4-bit", 2, 1, 2, 0, "fp32");
        row("mlp", "1-bit", 4, 1, 1, 0, "bf16");
        row("gpt", "1-bit", 1, 1, 1, 0, "fp32", 3);
        row("gpt", "8-bit", 2, 1, 1, 1, "fp32", 2);
        row("gpt", "8-bit", 3, 1, 1, 2, "fp16");
        row("gpt", "1-bit", 2, 2, 1, 3, "bf16");
        row("gpt-moe", "4-bit", 4, 1, 2, 2, "fp32");
        row("gpt-moe", "8-bit", 4, 1, 2, 3, "bf16");
        row("gpt", "4-bit", 2, 1, 1, 3, "fp32", 2);
        row("gpt", "4-bit", 6, 1, 1, 1, "fp32", 1, 2);
        row("gpt", "8-bit", 4, 2, 1, 2, "bf16", 1, 2);
        row("gpt", "1-bit", 2, 1, 1, 3, "fp32", 3, 1);
        row("gpt-moe", "8-bit", 6, 1, 2, 3, "bf16", 1, 2);
        row("gpt-moe", "1-bit", 4, 1, 2, 1, "fp16", 1, 2);
    }
    void memoryAndTrafficAreAsPlanned() {
        QFETCH(QString, model);
        QFETCH(QString, format);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, expert);
        QFETCH(int, zero);
        QFETCH(QString, compute);
        QFETCH(int, context);
        QFETCH(int, shard);
        RandomStream random(seed_, QTest::currentDataTag());
        for (const int every : {0, 3}) {
            Layout layout = layoutOf(model, format, data);
            layout.model.layers = 4;
            layout.model.experts.count = 4;
            layout.cluster.hosts[0].devices = data * pipeline * context;
            layout.parallel.pipeline = pipeline;
            layout.parallel.expert = expert;
            layout.parallel.context = context;
            layout.parallel.shard = shard;
            if (context > 1) layout.model.sequence = 24;
            layout.parallel.bucket = every > 0 ? 0 : 0.1 * random.uniform() + 0.001;
            layout.parallel.zero = zero;
            layout.precision.compute = named(compute);
            layout.batch = {12, 1};
            layout.run.steps = 3;
            layout.checkpoint.every = every;
            const Plan plan = planOf(layout);
            const QTemporaryDir folder;
            const RunOutcome run = trainCoded(layout, folder);
            requireEqualReplicas(run);
            const auto sends = [&](const Event& event) {
                return event.kind == (zero == 0 ? EventKind::ReduceBuckets : EventKind::ScatterGradients) ||
                       event.kind == EventKind::ReduceParts;
            };
            for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
                MemoryBytes peaks{};
                std::vector<std::int64_t> sent, planned;
                for (const Event& event : run.ranks[rank].events) {
                    if (const auto category = memoryCategory(event.kind, EventKind::CategoryPeak))
                        peaks[std::size_t(*category)] = std::max(peaks[std::size_t(*category)], event.bytes);
                    if (sends(event) && event.step == 1) sent.push_back(event.bytes);
                }
                for (const Event& event : plan.simulation.events)
                    if (sends(event) && event.rank == int(rank) && event.step == 0) planned.push_back(event.bytes);
                QVERIFY(!sent.empty());
                QCOMPARE(sent, planned);
                for (const auto category : {MemoryCategory::Parameters, MemoryCategory::Gradients,
                                            MemoryCategory::Optimizer, MemoryCategory::Buffers}) {
                    if (category == MemoryCategory::Buffers && pipeline > 1) continue;  // messages may leave sooner
                    QCOMPARE(peaks[std::size_t(category)], plan.memory[rank].bytes[std::size_t(category)]);
                }
            }
        }
    }

    /// A run in two parts is the run in one, to the bit.
    void goesOnWhereItStood_data() {
        QTest::addColumn<int>("shard");
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("format");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("expert");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("compute");
        QTest::newRow("8-bit") << 0 << "gpt"
                               << "8-bit" << 1 << 1 << 0 << "fp32";
        QTest::newRow("a tied embedding") << 0 << "gpt"
                                          << "1-bit" << 2 << 1 << 0 << "fp32";
        QTest::newRow("ZeRO 1") << 0 << "gpt"
                                << "4-bit" << 2 << 1 << 1 << "fp32";
        QTest::newRow("ZeRO 2") << 0 << "gpt"
                                << "8-bit" << 1 << 1 << 2 << "fp32";
        QTest::newRow("ZeRO 3, experts") << 0 << "gpt-moe"
                                         << "1-bit" << 1 << 2 << 3 << "bf16";
        QTest::newRow("experts") << 0 << "gpt-moe"
                                 << "1-bit" << 1 << 2 << 0 << "fp32";
        QTest::newRow("experts, ZeRO 1, bf16") << 0 << "gpt-moe"
                                               << "1-bit" << 1 << 2 << 1 << "bf16";
        QTest::newRow("a loss scale") << 0 << "mlp"
                                      << "1-bit" << 1 << 1 << 0 << "fp16";
        QTest::newRow("copies, ZeRO 3, experts") << 2 << "gpt-moe"
                                                 << "4-bit" << 1 << 2 << 3 << "bf16";
        QTest::newRow("copies, a tied embedding") << 2 << "gpt"
                                                  << "8-bit" << 2 << 1 << 1 << "fp32";
    }
    void goesOnWhereItStood() {
        QFETCH(int, shard);
        QFETCH(QString, model);
        QFETCH(QString, format);
        QFETCH(int, pipeline);
        QFETCH(int, expert);
        QFETCH(int, zero);
        QFETCH(QString, compute);
        Layout layout = layoutOf(model, format, 4);
        layout.model.layers = 4;
        layout.model.experts.count = 4;
        layout.cluster.hosts[0].devices = 4 * pipeline;
        layout.parallel.pipeline = pipeline;
        layout.parallel.expert = expert;
        layout.parallel.zero = zero;
        layout.parallel.shard = shard;
        layout.precision.compute = named(compute);
        if (compute == "fp16") {
            layout.precision.lossScale = LossScaling::Dynamic;
            layout.precision.scaleWindow = 2;
        }
        layout.checkpoint.every = 6;
        const QTemporaryDir whole, first, second;
        const RunOutcome once = trainCoded(layout, whole);
        requireEqualReplicas(once);
        layout.run.steps = 4;
        layout.checkpoint.every = 4;
        requireEqualReplicas(trainCoded(layout, first));
        layout.run.steps = 6;
        layout.checkpoint.every = 6;
        std::vector<std::string> said;
        const RunOutcome rest = trainCoded(layout, second, newestCheckpoint(first), &said);
        requireEqualReplicas(rest);
        QVERIFY(std::ranges::none_of(
            said, [](const std::string& text) { return text.find("begin at 0") != std::string::npos; }));
        const auto a = wholeState(newestCheckpoint(whole)), b = wholeState(newestCheckpoint(second));
        QCOMPARE(a.size(), b.size());
        for (const auto& [name, values] : a) QVERIFY2(sameBits(values, b.at(name)), name.c_str());
        QVERIFY(std::ranges::any_of(
            a, [](const auto& each) { return each.first.find("remainder 3") != std::string::npos; }));
    }

    /// Other replicas begin anew, and people are told.
    void otherReplicasBeginAnew() {
        Layout layout = layoutOf("gpt", "1-bit", 4);
        layout.checkpoint.every = 3;
        layout.run.steps = 3;
        const QTemporaryDir first, second, third;
        requireEqualReplicas(trainCoded(layout, first));
        layout.cluster.hosts[0].devices = layout.parallel.data = 2;
        layout.run.steps = 6;
        std::vector<std::string> said;
        requireEqualReplicas(trainCoded(layout, second, newestCheckpoint(first), &said));
        QVERIFY(std::ranges::any_of(
            said, [](const std::string& text) { return text.find("begin at 0") != std::string::npos; }));
        layout.precision.exchange = ExchangeFormat::Full;
        layout.run.steps = 9;
        requireEqualReplicas(trainCoded(layout, third, newestCheckpoint(second), &said));
        for (const auto& [name, values] : wholeState(newestCheckpoint(third)))
            QVERIFY2(name.find("remainder") == std::string::npos, name.c_str());
    }

    /// A skipped step leaves nothing behind that is not finite, and later steps update.
    void aSkippedStepLeavesRemaindersFinite() {
        for (const char* format : {"8-bit", "1-bit"})
            for (const int zero : {0, 1, 2, 3, 4}) {
                Layout layout = layoutOf("gpt", format, zero < 4 ? 2 : 4);
                layout.parallel.zero = std::min(zero, 3);
                layout.parallel.shard = zero < 4 ? 0 : 2;
                layout.precision.compute = NumberFormat::Fp16;
                layout.precision.lossScale = LossScaling::Dynamic;
                layout.precision.scale = 16777216;  // far too large at first
                layout.run.steps = 20;
                layout.checkpoint.every = 20;
                const QTemporaryDir folder;
                const RunOutcome run = trainCoded(layout, folder);
                requireEqualReplicas(run);
                const std::vector<double> scales = run.counter(EventKind::LossScale);
                QVERIFY(scales.back() < scales.front() / 2);
                QVERIFY(run.counter(EventKind::GradientNorm).size() > 5);
                QVERIFY(run.counter(EventKind::GradientNorm).size() < 20);
                for (const auto& [name, values] : wholeState(newestCheckpoint(folder)))
                    QVERIFY2(std::ranges::all_of(values, [](float each) { return std::isfinite(each); }), name.c_str());
            }
    }

    /// Remainders are in the units of the gradients, which the loss scale changes.
    void remaindersFollowTheLossScale() {
        Layout layout = layoutOf("mlp", "1-bit", 2);
        layout.run.steps = 8;
        layout.checkpoint.every = 8;
        const QTemporaryDir plain, scaled;
        layout.precision.lossScale = LossScaling::Static;
        layout.precision.scale = 64;
        requireEqualReplicas(trainCoded(layout, plain));
        layout.precision.lossScale = LossScaling::Dynamic;  // doubles after each two steps
        layout.precision.scaleWindow = 2;
        const RunOutcome run = trainCoded(layout, scaled);
        requireEqualReplicas(run);
        QCOMPARE(run.counter(EventKind::LossScale).back(), 64.0 * 8);
        // Powers of two change no bit of fp32.
        const auto a = wholeState(newestCheckpoint(plain)), b = wholeState(newestCheckpoint(scaled));
        for (const auto& [name, values] : a) {
            const float factor = name.find("remainder") == std::string::npos ? 1 : 16;
            Numbers wanted = values;
            for (float& each : wanted) each *= factor;
            QVERIFY2(sameBits(b.at(name), wanted), name.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(CodedRunsTest)
#include "coded_runs_test.moc"
