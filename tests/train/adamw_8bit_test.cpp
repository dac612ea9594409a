// SPDX-License-Identifier: Apache-2.0
// Runs of AdamW with moments in 8 bits: they learn as with moments in fp32; layouts that cut no block train as one rank
// does, others but for what codes round; memory is the plan's to the byte; and checkpoints lose nothing.
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/layout/moment_blocks.h"
#include "engine/train/optim/coded_moments.h"
#include "engine/layout/data/text_generator.h"
#include "kernels/moment_codes.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/loss_curves.h"
#include "tests/kernels/random_inputs.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>

using namespace shardlab::test;

namespace {

constexpr int steps = 12;

struct Split {
    const char* name = "one rank";
    int data = 1, pipeline = 1, tensor = 1;
    int zero = 0;
    const char* partition = "flat";
    const char* exchange = "allreduce";
    const char* compute = "fp32";

    /// Every parameter lies whole on the rank that updates it.
    bool cutsBlocks() const { return tensor > 1 || (zero > 0 && std::string(partition) == "flat"); }
};

constexpr Split splits[] = {
    {"data 2", 2, 1, 1},
    {"pipeline 2", 1, 2, 1},
    {"data 2 × pipeline 2", 2, 2, 1},
    {"data 2, server", 2, 1, 1, 0, "flat", "server"},
    {"data 2, ZeRO 3 by layers", 2, 1, 1, 3, "layers"},
    {"tensor 2", 1, 1, 2},
    {"pipeline 2 × tensor 4", 1, 2, 4},
    {"data 2, ZeRO 1", 2, 1, 1, 1},
    {"data 3, ZeRO 2", 3, 1, 1, 2},
    {"data 2 × pipeline 2, ZeRO 3", 2, 2, 1, 3},
    {"data 2 × tensor 2, ZeRO 3", 2, 1, 2, 3},
};

}  // namespace

class AdamW8BitTest : public QObject {
    Q_OBJECT

    Layout layoutOf(const std::string& model, const Split& split, const char* optimizer = "adamw-8bit") const {
        Layout layout;
        layout.model = {named(model), 2, 32, 4, 16, 259, 0};
        layout.data.kind = DataKind::Text;
        layout.data.path = folder_.filePath("text.txt").toStdString();
        layout.cluster.hosts = {{"localhost", split.data * split.pipeline * split.tensor}};
        layout.parallel.data = split.data;
        layout.parallel.pipeline = split.pipeline;
        layout.parallel.tensor = split.tensor;
        layout.parallel.zero = split.zero;
        layout.parallel.partition = named(split.partition);
        layout.parallel.exchange = named(split.exchange);
        layout.parallel.bucket = 0.05;  // several of them
        layout.schedule.kind = split.pipeline > 1 ? "1f1b" : "naive";
        layout.batch = {12, 1};
        layout.precision.compute = named(split.compute);
        layout.optimizer.kind = named(optimizer);
        layout.optimizer.learningRate = 1e-3;
        layout.optimizer.warmup = 4;
        layout.run = {steps, seed_, 6, 1};
        return layout;
    }

    const RunOutcome& reference(const std::string& model) {
        auto [entry, added] = references_.try_emplace(model);
        if (added) {
            Layout layout = layoutOf(model, {});
            layout.batch.micro = 12;
            entry->second = runInProcess(planOf(layout));
        }
        return entry->second;
    }

    static double largestDifference(const std::vector<double>& one, const std::vector<double>& other) {
        double most = one.size() == other.size() && !one.empty() ? 0 : 1e9;
        for (std::size_t i = 0; most < 1e9 && i < one.size(); ++i)
            most = std::max(most, std::abs(one[i] / other[i] - 1));
        return most;
    }

    void requireNear(const std::vector<double>& got, const std::vector<double>& wanted, double tolerance,
                     const char* what) const {
        QVERIFY(!wanted.empty());
        const QString wrong = difference(got, wanted, tolerance);
        QVERIFY2(wrong.isEmpty(), qPrintable(QString("seed %1, %2: %3").arg(seed_).arg(what, wrong)));
    }

    static std::int64_t largest(const RankOutcome& rank, EventKind kind) {
        std::int64_t bytes = 0;
        for (const Event& event : rank.events)
            if (event.kind == kind) bytes = std::max(bytes, event.bytes);
        return bytes;
    }

    RunOutcome keep(const Layout& layout, const QTemporaryDir& folder, const std::filesystem::path& resume = {}) const {
        return runInProcess(planOf(layout), {}, [&](int, TrainerServices& services) {
            services.checkpoints = folder.path().toStdString();
            services.resume = resume;
        });
    }

    QTemporaryDir folder_;
    std::int64_t seed_ = 0;
    std::map<std::string, RunOutcome> references_;

private Q_SLOTS:
    void initTestCase() {
        seed_ = freshSeed();
        std::ofstream(folder_.filePath("text.txt").toStdString()) << generateText(seed_, 40'000);
    }

    /// A longer run: what the codes round does not add up.
    void learnsAsWithMomentsInFp32() {
        std::map<std::string, std::vector<double>> losses;
        for (const char* optimizer : {"adamw", "adamw-8bit"}) {
            Layout layout = layoutOf("gpt", {}, optimizer);
            layout.batch = {6, 6};
            layout.run.steps = 80;
            layout.run.validateEvery = 0;
            const RunOutcome run = runInProcess(planOf(layout));
            QVERIFY2(run.error.empty(), run.error.c_str());
            losses[optimizer] = run.counter(EventKind::Loss);
            QCOMPARE(losses[optimizer].size(), std::size_t{80});
        }
        const std::vector<double>&exact = losses["adamw"], &coded = losses["adamw-8bit"];
        const auto tail = [](const std::vector<double>& all) {
            return std::accumulate(all.end() - 10, all.end(), 0.0) / 10;
        };
        const double fallen = exact.front() - tail(exact);
        qInfo("fell by %.4f with fp32, %.4f with 8 bits; largest difference of a step %.2e", fallen,
              coded.front() - tail(coded), largestDifference(coded, exact));
        QVERIFY(fallen > 0.5);
        // Other texts move it by some tenths of a percent, up or down.
        QVERIFY(std::abs(tail(coded) - tail(exact)) < 0.02 * fallen);
        QVERIFY(coded != exact);
    }

    void everyLayoutTrainsAsOneRank_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("split");
        for (const char* model : {"gpt", "mlp"})
            for (int i = 0; i < int(std::size(splits)); ++i)
                if (std::string_view(model) == "gpt" || splits[i].cutsBlocks())
                    QTest::addRow("%s %s", model, splits[i].name) << model << i;
    }
    void everyLayoutTrainsAsOneRank() {
        QFETCH(QString, model);
        QFETCH(int, split);
        const Plan plan = planOf(layoutOf(model.toStdString(), splits[split]));
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        const RunOutcome& wanted = reference(model.toStdString());
        const std::vector<double> losses = run.counter(EventKind::Loss);
        // Sums in another order move one code in 100 000 to its neighbour, which is less than 1e-6 of a loss; other
        // blocks round each moment by up to 0.9/128 of their largest, by chance up or down: 1e-5 of a loss.
        const double tolerance = splits[split].cutsBlocks() ? 1e-3 : 2e-5;
        qInfo("off by %.2e", largestDifference(losses, wanted.counter(EventKind::Loss)));
        requireNear(losses, wanted.counter(EventKind::Loss), tolerance, "loss");
        requireNear(run.counter(EventKind::ValidationLoss), wanted.counter(EventKind::ValidationLoss), tolerance,
                    "validation loss");
        // Memory to the byte, of every rank: shards differ.
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
            QCOMPARE(largest(run.ranks[rank], peakKind(MemoryCategory::Optimizer)),
                     plan.memory[rank].bytes[std::size_t(MemoryCategory::Optimizer)]);
    }

    /// 2 codes a parameter and a scale for each block of each: by hand for one rank of the gpt.
    void memoryIsThatOfCodesAndScales() {
        const std::int64_t h = 32, s = 16, v = 259;
        std::vector<std::int64_t> sizes{v * h, s * h, h, h};
        for (int block = 0; block < 2; ++block)
            for (const std::int64_t size : {h, h, 3 * h * h, 3 * h, h * h, h, h, h, 4 * h * h, 4 * h, 4 * h * h, h})
                sizes.push_back(size);
        std::int64_t wanted = 0;
        for (const std::int64_t size : sizes) wanted += 2 * size + 2 * 4 * ((size + 255) / 256);
        const auto bytes = [&](const char* optimizer) {
            return planOf(layoutOf("gpt", {}, optimizer)).memory[0].bytes[std::size_t(MemoryCategory::Optimizer)];
        };
        QCOMPARE(bytes("adamw-8bit"), wanted);
        QVERIFY(bytes("adamw-8bit") * 3.8 < bytes("adamw"));
    }

    /// What is read of codes and written again is the same codes, in whatever pieces it was read.
    void readingAndWritingChangesNothing() {
        RandomInputs in;
        Arena arena;
        const std::int64_t begin = in.whole(0, 600);
        const auto count = static_cast<std::size_t>(in.whole(1, 1500));
        std::vector<float> values = in.floats(count), gradient = in.floats(count);
        std::vector<Parameter> parameters(1);
        parameters[0].value = ArraySpan(values);
        parameters[0].gradient = ArraySpan(gradient);
        parameters[0].flatBegin = begin;
        OptimizerSpec spec;
        spec.kind = OptimizerKind::AdamW8Bit;
        const auto optimizer = makeOptimizer({spec, 10}, parameters, arena),
                   other = makeOptimizer({spec, 10}, parameters, arena);
        for (int step = 1; step <= 3; ++step) {
            std::ranges::copy(in.floats(count), gradient.begin());
            optimizer->update(parameters, step, 1);
        }
        const auto from = optimizer->state(parameters), to = other->state(parameters);
        QCOMPARE(from.size(), std::size_t{2});
        for (std::size_t kind = 0; kind < 2; ++kind) {
            QCOMPARE(from[kind].kind, kind == 0 ? std::string_view("first moment") : std::string_view("second moment"));
            std::vector<float> whole(count);
            const auto middle = static_cast<std::size_t>(in.whole(0, int(count)));
            readMoments(arena.device(), from[kind], begin, 0, std::span(whole).first(middle));
            readMoments(arena.device(), from[kind], begin, middle, std::span(whole).subspan(middle));
            writeMoments(arena.device(), to[kind], begin, whole);
            QVERIFY(std::memcmp(from[kind].values.data().data, to[kind].values.data().data, count) == 0);
            const auto blocks = static_cast<std::size_t>(momentBlocks(begin, std::int64_t(count)));
            QVERIFY(std::memcmp(from[kind].codes.scales, to[kind].codes.scales, blocks * sizeof(float)) == 0);
        }
    }

    /// The same layout goes on as if nothing had been: to the bit. Another one has other blocks where it cuts some.
    void checkpointsGoOn_data() {
        QTest::addColumn<QString>("compute");
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        const int one = -1;
        const auto row = [](const char* compute, int from, int to) {
            const auto name = [](int split) { return split < 0 ? "one rank" : splits[split].name; };
            QTest::addRow("%s %s to %s", compute, name(from), name(to)) << compute << from << to;
        };
        for (const int same : {one, 2, 6, 8}) row("fp32", same, same);
        row("bf16", 10, 10);
        for (const auto& [from, to] : {std::pair(one, 8), std::pair(6, one), std::pair(10, 2), std::pair(9, 5)})
            row("fp32", from, to);
    }
    void checkpointsGoOn() {
        QFETCH(QString, compute);
        QFETCH(int, from);
        QFETCH(int, to);
        const auto layoutAt = [&](int split) {
            Layout layout = layoutOf("gpt", split < 0 ? Split{} : splits[split]);
            layout.precision.compute = named(compute);
            layout.run.validateEvery = 0;
            return layout;
        };
        QTemporaryDir folder, rest;
        Layout layout = layoutAt(from);
        const RunOutcome straight = runInProcess(planOf(layout));
        layout.run.steps = steps / 2;
        layout.checkpoint.every = steps / 2;
        const RunOutcome first = keep(layout, folder);
        QVERIFY2(straight.error.empty() && first.error.empty(), (straight.error + first.error).c_str());
        const auto newest = findCheckpoint(folder.path().toStdString());
        QVERIFY(newest.has_value());
        const RunOutcome second = keep(layoutAt(to), rest, *newest);
        QVERIFY2(second.error.empty(), second.error.c_str());
        const std::vector<double> all = straight.counter(EventKind::Loss);
        const std::vector<double> wanted(all.begin() + steps / 2, all.end()), got = second.counter(EventKind::Loss);
        if (from == to)
            QVERIFY2(got == wanted, qPrintable(QString("seed %1: %2").arg(seed_).arg(largestDifference(got, wanted))));
        else requireNear(got, wanted, 1e-3, "after the checkpoint");
    }

    /// A step that is left out leaves codes and scales as they were.
    void overflowsAreLeftOut() {
        const auto trained = [&](double scale, const Split& split) {
            Layout layout = layoutOf("gpt", split);
            layout.precision = {NumberFormat::Fp16,
                                WeightStorage::Master,
                                GradientFormat::Compute,
                                ProductFormat::Compute,
                                LossScaling::Dynamic,
                                scale,
                                200};
            return runInProcess(planOf(layout));
        };
        const RunOutcome left = trained(16777216, {"", 1, 2, 2});
        QVERIFY2(left.error.empty(), left.error.c_str());
        QVERIFY(left.count(EventKind::Overflow) > 0);
        const std::vector<double> losses = left.counter(EventKind::Loss);
        QVERIFY(std::ranges::all_of(losses, [](double loss) { return std::isfinite(loss); }));
        QVERIFY(losses.back() < losses.front() - 0.05);
    }
};

QTEST_GUILESS_MAIN(AdamW8BitTest)
#include "adamw_8bit_test.moc"
