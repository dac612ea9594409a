// SPDX-License-Identifier: Apache-2.0
// HSDP: ZeRO within groups of data ranks, each of which holds a copy. Losses, norms and weights are those of one rank,
// memory is the ledger's to the byte, and what copies send each other is what the plan says.
#include "engine/base/random.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/validate.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/metrics/sent_bytes.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/train/one_rank.h"
#include "tests/train/told_of_host.h"

#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <map>

using namespace shardlab::test;

namespace {

constexpr int steps = 6;

/// A step's bytes that all ranks together sent in exchanges of this kind.
double sent(const Plan& plan, std::span<const Event> events, EventKind kind, int step) {
    const SentBytes count(plan.layout);
    double sum = 0;
    for (const Event& event : events)
        if (event.kind == kind && event.step == step) sum += static_cast<double>(count(event));
    return sum;
}

}  // namespace

class HybridShardTest : public QObject {
    Q_OBJECT

private:
    /// zero 4: 3 with whole layers, each one replica's of a copy.
    Layout layoutOf(int zero, int data, int shard, int pipeline = 1, const std::string& schedule = "1f1b") {
        Layout layout;
        layout.name = "copies";
        layout.model = {ModelKind::Gpt, 4, 18, 3, 15, 256, 0.0};  // nothing divides by 2, 3 and 4
        layout.cluster.hosts = {{"localhost", data * pipeline}};
        layout.parallel.data = data;
        layout.parallel.shard = shard;
        layout.parallel.pipeline = pipeline;
        layout.parallel.zero = std::min(zero, 3);
        if (zero == 4) layout.parallel.partition = PartitionKind::Layers;
        layout.parallel.bucket = 0.02;
        layout.schedule.kind = schedule;
        layout.schedule.chunks = std::max(1, findScheduleMethod(schedule)->minChunks);
        layout.model.layers = std::max(4, pipeline * layout.schedule.chunks);
        layout.batch = {24, 1};
        layout.optimizer.clip = 0.5;
        layout.run = {steps, seed_, 3, 1};
        return layout;
    }

    /// Empty: what goes between copies, and within each, is what the plan says, and the simulator's events too. Parts
    /// differ by an element for each unit that does not divide.
    static QString trafficDiffers(const Plan& plan, const RunOutcome& run) {
        const int copies = plan.mesh.copies();
        for (const EventKind kind :
             {EventKind::ScatterGradients, EventKind::ReduceParts, EventKind::GatherParameters, EventKind::RingHop}) {
            double measured = 0, told = 0;
            int pieces = 0;
            for (const RankOutcome& rank : run.ranks) {
                measured += sent(plan, rank.events, kind, 1);
                for (const Event& event : rank.events) pieces += event.kind == kind && event.step == 1;
            }
            for (const Event& event : plan.simulation.events)
                if (event.kind == kind) told += static_cast<double>(SentBytes(plan.layout)(event));
            if (std::abs(measured - told) > 16.0 * pieces)
                return QString("%1: %2 bytes sent, %3 predicted").arg(name(kind).data()).arg(measured).arg(told);
            if (kind == EventKind::ReduceParts && (pieces > 0) != (copies > 1)) return "copies do not sum";
        }
        return {};
    }

    std::int64_t seed_ = 0;
    OneRank oneRank_;

private Q_SLOTS:
    void initTestCase() { seed_ = freshSeed(); }

    void copiesTrainAsOneRank_data() {
        QTest::addColumn<int>("zero");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("shard");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<QString>("schedule");
        for (const int zero : {1, 2, 3, 4}) {
            const auto add = [&](int data, int shard, int pipeline, const char* schedule) {
                QTest::addRow("zero %d data %d shard %d pipeline %d %s", zero, data, shard, pipeline, schedule)
                    << zero << data << shard << pipeline << schedule;
            };
            add(4, 2, 1, "1f1b");
            add(6, 2, 1, "1f1b");
            add(6, 3, 1, "gpipe");
            add(4, 2, 2, "1f1b");
            add(4, 2, 2, "zb-h1");
            add(4, 2, 2, "interleaved-1f1b");
        }
    }
    void copiesTrainAsOneRank() {
        QFETCH(int, zero);
        QFETCH(int, data);
        QFETCH(int, shard);
        QFETCH(int, pipeline);
        QFETCH(QString, schedule);
        const Plan plan = planOf(layoutOf(zero, data, shard, pipeline, schedule.toStdString()));
        const Status valid = validate(plan.lowered);
        QVERIFY2(valid.has_value(), valid ? "" : valid.error().text().c_str());
        const RunOutcome run = runInProcess(plan);
        oneRank_.requireEqual(plan.layout, run);
        for (const QString& wrong : {memoryDiffers(plan, run), trafficDiffers(plan, run)})
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// A stage of one layer has nothing between a microbatch's scatter and the sum of all.
    void aStageOfOneLayerToo() {
        for (const int zero : {1, 2, 3}) {
            Layout layout = layoutOf(zero, 4, 2, 2);
            layout.model.kind = ModelKind::Mlp;
            layout.model.layers = 2;
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            oneRank_.requireEqual(layout, run);
        }
    }

    /// All data ranks named are the same layout as none named, to the bit.
    void oneCopyIsPlainZero() {
        for (const int zero : {1, 3}) {
            const RunOutcome named = runInProcess(planOf(layoutOf(zero, 3, 3))),
                             unnamed = runInProcess(planOf(layoutOf(zero, 3, 0)));
            QVERIFY2(named.error.empty(), named.error.c_str());
            QVERIFY(named.counter(EventKind::Loss) == unnamed.counter(EventKind::Loss));
            QCOMPARE(named.count(EventKind::ReduceParts), 0);
        }
    }

    /// Whatever else a layout has: tensor and context groups, formats, recomputation, the optimizer on the host,
    /// checkpoints. In 16 bits sums round in another order than on one rank.
    void drawnLayoutsEqualOneRank() {
        RandomStream random(freshSeed(), "copies");
        const auto below = [&](int count) { return static_cast<int>(random.below(std::uint32_t(count))); };
        for (int round = 0; round < 12; ++round) {
            Layout layout = layoutOf(1 + below(4), 1, 0);
            ParallelSpec& p = layout.parallel;
            const int copies = 2 + below(2);
            p.context = 1 + below(2);
            if (below(2)) p.contextKind = ContextKind::Ulysses;
            p.shard = p.context == 2 ? 1 + below(2) : 2 + below(2);
            p.data = copies * p.shard;
            p.tensor = p.data * p.context <= 4 ? 1 + below(2) : 1;
            p.pipeline = p.data * p.context * p.tensor <= 6 ? 1 + below(2) : 1;
            p.bucket = below(2) ? 0.003 : 25;
            if (p.partition == PartitionKind::Flat && below(2)) p.allReduce = AllReduceKind::Ring;
            layout.cluster.hosts = {{"localhost", p.data * p.context * p.tensor * p.pipeline}};
            if (p.pipeline > 1) {
                const std::array kinds{"1f1b", "gpipe", "zb-h1", "zb-v", "interleaved-1f1b"};
                layout.schedule.kind = kinds[random.below(kinds.size())];
                layout.schedule.chunks = std::max(1, findScheduleMethod(layout.schedule.kind)->minChunks);
            }
            ModelSpec& model = layout.model;
            model = {below(2) ? ModelKind::Gpt : ModelKind::Llama, 4, 24, 4, 16, 256 + below(9), 0};
            p.sequence = p.tensor > 1 && below(2);
            layout.batch = {p.data * (1 + below(3)), 1};
            const std::array recomputes{"none", "full", "sqrt", "selective", "operations"};
            layout.memory.recompute = named(recomputes[random.below(recomputes.size())]);
            if (below(4) == 0) layout.memory.offload = OffloadKind::Optimizer;
            if (p.zero == 3 && p.partition == PartitionKind::Flat && below(2))
                layout.memory.offload = OffloadKind::Parameters;
            layout.optimizer.clip = below(2) ? 0.5 : 0;
            if (below(2)) {
                layout.optimizer.kind = OptimizerKind::Sgd;
                layout.optimizer.momentum = 0.9;
            }
            layout.run.validateEvery = below(2) ? 3 : 0;
            PrecisionSpec& precision = layout.precision;
            const std::array formats{"fp32", "bf16", "fp16"};
            precision.compute = named(formats[random.below(formats.size())]);
            const bool narrow = precision.compute != NumberFormat::Fp32;
            if (narrow && below(2)) precision.weights = WeightStorage::Fp32;
            else if (narrow && below(2)) precision.gradients = GradientFormat::Fp32;
            if (precision.compute == NumberFormat::Fp16) precision.lossScale = LossScaling::Dynamic;
            const CurveTolerance tolerance = narrow ? CurveTolerance{0.02, 0.2} : CurveTolerance{};
            const std::string text = writeLayout(layout);
            const auto plan = makePlan(layout);
            QVERIFY2(plan.has_value(), (text + (plan ? "" : plan.error().front().what.english())).c_str());
            const RunOutcome run = runInProcess(*plan), wanted = runInProcess(planOf(onOneRank(layout)));
            for (const QString& wrong :
                 {difference(run, wanted, tolerance), memoryDiffers(*plan, run), trafficDiffers(*plan, run)})
                QVERIFY2(wrong.isEmpty(), qPrintable(wrong + "\n" + text.c_str()));
            layout.checkpoint.every = 1;  // what is staged is in the ledger
            const Plan taking = planOf(layout);
            QVERIFY(taking.memory[0].peak > plan->memory[0].peak);
        }
    }

    /// A checkpoint of copies goes on as any other layout, and one of those as copies. Copies share the writing of each
    /// part, and have room for their share.
    void checkpointsGoAnyWay() {
        const auto train = [](const Layout& layout, const std::filesystem::path& folder,
                              const std::filesystem::path& resume) {
            return runInProcess(planOf(layout), {}, [&](int, TrainerServices& services) {
                services.checkpoints = folder;
                services.resume = resume;
            });
        };
        for (const int zero : {1, 2, 3}) {
            Layout copies = layoutOf(zero, 6, 2);
            copies.checkpoint.every = steps / 2;
            if (zero == 2) copies.precision.compute = NumberFormat::Bf16;  // with masters
            Layout one = copies;
            one.parallel.shard = 0;
            one.parallel.zero = 3;
            const CurveTolerance tolerance = zero == 2 ? CurveTolerance{0.02, 0.2} : CurveTolerance{};
            const RunOutcome wanted = runInProcess(planOf(one));
            for (const bool fromCopies : {true, false}) {
                QTemporaryDir folder, again;
                const Layout &from = fromCopies ? copies : one, &to = fromCopies ? one : copies;
                const RunOutcome first = train(from, folder.path().toStdString(), {});
                const QString held = memoryDiffers(planOf(from), first);
                QVERIFY2(held.isEmpty(), qPrintable(held));
                const auto places = listCheckpoints(folder.path().toStdString());
                QCOMPARE(places.size(), std::size_t{2});
                const RunOutcome rest = train(to, again.path().toStdString(), places.front().path);
                QVERIFY2(rest.error.empty(), rest.error.c_str());
                std::vector<double> last = wanted.counter(EventKind::Loss);
                last.erase(last.begin(), last.begin() + steps / 2);
                const QString wrong = difference(rest.counter(EventKind::Loss), last, tolerance.loss);
                QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            }
        }
    }

    /// In 16 bits each sum between copies rounds once more than one sum over all would.
    void formatsToo_data() {
        QTest::addColumn<QString>("compute");
        QTest::addColumn<QString>("weights");
        QTest::addColumn<QString>("gradients");
        QTest::addColumn<QString>("lossScale");
        QTest::newRow("bf16") << "bf16"
                              << "master"
                              << "compute"
                              << "none";
        QTest::newRow("bf16, gradients in fp32") << "bf16"
                                                 << "master"
                                                 << "fp32"
                                                 << "none";
        QTest::newRow("fp16, dynamic scale") << "fp16"
                                             << "master"
                                             << "compute"
                                             << "dynamic";
        QTest::newRow("bf16 alone") << "bf16"
                                    << "alone"
                                    << "compute"
                                    << "static";
    }
    void formatsToo() {
        QFETCH(QString, compute);
        QFETCH(QString, weights);
        QFETCH(QString, gradients);
        QFETCH(QString, lossScale);
        for (const int zero : {1, 2, 3}) {
            Layout layout = layoutOf(zero, 4, 2);
            layout.precision = {named(compute), named(weights), named(gradients), ProductFormat::Compute,
                                named(lossScale)};
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            Layout plain = layout;
            plain.parallel.shard = 0;
            const RunOutcome wanted = runInProcess(planOf(plain));
            const QString wrong = difference(run, wanted, {0.02, 0.2});
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            const QString held = memoryDiffers(plan, run);
            QVERIFY2(held.isEmpty(), qPrintable(held));
        }
    }

    /// Each copy has the same bits: what they sum, they get alike.
    void copiesStayAlike() {
        const Plan plan = planOf(layoutOf(3, 6, 2));
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
            const std::vector<int> alike = samePart(plan.mesh, rank);
            QCOMPARE(alike.size(), std::size_t{3});
            for (const int other : alike)
                QVERIFY(run.ranks[static_cast<std::size_t>(other)].parameters ==
                        run.ranks[static_cast<std::size_t>(rank)].parameters);
        }
        QVERIFY(run.ranks[0].parameters != run.ranks[1].parameters);
    }

    /// Between copies goes 1/s of the gradients a rank and step, however many microbatches the step has.
    void copiesSumOnceAStep() {
        for (const int microbatches : {1, 4}) {
            Layout layout = layoutOf(3, 4, 2);
            layout.batch.global = 4 * microbatches;
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            const double gradients = 4.0 * static_cast<double>(plan.parameters);
            for (const RankOutcome& rank : run.ranks) {
                const double between = sent(plan, rank.events, EventKind::ReduceParts, 1);
                QVERIFY2(std::abs(between / gradients - 0.5) < 0.01, qPrintable(QString::number(between / gradients)));
            }
        }
    }
};

QTEST_GUILESS_MAIN(HybridShardTest)
#include "hybrid_shard_test.moc"
