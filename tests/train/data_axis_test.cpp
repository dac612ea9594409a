// SPDX-License-Identifier: Apache-2.0
// Buckets, ring and ZeRO: training equals plain data parallelism and one rank, and memory and traffic are what the
// definitions say.
#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/validate.h"
#include "engine/trace/event/event_payload.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/one_rank.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <array>
#include <cmath>
#include <map>

using namespace shardlab::test;

namespace {

constexpr int steps = 20;

/// Weights of a whole model put together from what all ranks hold, by "stage/name".
std::map<std::string, std::vector<float>> whole(const RunOutcome& run) {
    std::map<std::string, std::vector<float>> weights;
    for (const RankOutcome& rank : run.ranks)
        for (const auto& [name, values] : rank.parameters) weights[name] = values;
    return weights;
}

std::int64_t bytesOf(const RunOutcome& run, int rank, EventKind kind) {
    std::int64_t sum = 0;
    for (const Event& event : run.ranks[static_cast<std::size_t>(rank)].events)
        if (event.kind == kind && event.step == 1) sum += event.bytes;
    return sum;
}

}  // namespace

class DataAxisTest : public QObject {
    Q_OBJECT

private:
    /// zero 4: 3 with whole layers, each one replica's.
    Layout layoutOf(int zero, int data, int pipeline, const std::string& schedule, int chunks, int micro,
                    double bucket = 0.02) {
        Layout layout;
        layout.model = {ModelKind::Gpt, 4 * chunks, 18, 3, 15, 256, 0.0};  // nothing divides by 2, 3 and 4
        layout.model.layers = std::max(4, pipeline * chunks);
        layout.cluster.hosts = {{"localhost", data * pipeline}};
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.parallel.zero = std::min(zero, 3);
        if (zero == 4) layout.parallel.partition = PartitionKind::Layers;
        layout.parallel.bucket = bucket;
        layout.schedule.kind = schedule;
        layout.schedule.chunks = chunks;
        layout.batch = {12, micro};
        layout.run = {steps, seed_, 10, 1};
        return layout;
    }

    /// Largest bytes of each category, and of all, that a rank's arena held.
    void requireMemoryIsTheLedger(const Plan& plan, const RunOutcome& run) {
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            MemoryBytes peaks{};
            for (const Event& event : run.ranks[rank].events)
                if (const auto category = memoryCategory(event.kind, EventKind::CategoryPeak))
                    peaks[static_cast<std::size_t>(*category)] =
                        std::max(peaks[static_cast<std::size_t>(*category)], event.bytes);
            for (const auto category :
                 {MemoryCategory::Parameters, MemoryCategory::Gradients, MemoryCategory::Optimizer}) {
                const auto i = static_cast<std::size_t>(category);
                QVERIFY2(peaks[i] == plan.memory[rank].bytes[i],
                         qPrintable(QString("rank %1, category %2: %3 allocated, %4 predicted")
                                        .arg(rank)
                                        .arg(i)
                                        .arg(peaks[i])
                                        .arg(plan.memory[rank].bytes[i])));
            }
            if (plan.layout.parallel.pipeline > 1) continue;  // a message may leave sooner than the ledger has it
            const auto buffers = static_cast<std::size_t>(MemoryCategory::Buffers);
            QCOMPARE(peaks[buffers], plan.memory[rank].bytes[buffers]);
        }
    }

    std::int64_t seed_ = 0;
    OneRank oneRank_;

private Q_SLOTS:
    void initTestCase() { seed_ = freshSeed(); }

    void everyWayEqualsOneRank_data() {
        QTest::addColumn<int>("zero");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<int>("micro");
        for (const int zero : {0, 1, 2, 3, 4}) {
            const auto add = [&](int data, int pipeline, const char* schedule, int chunks, int micro) {
                QTest::addRow("zero %d data %d pipeline %d %s %d micro %d", zero, data, pipeline, schedule, chunks,
                              micro)
                    << zero << data << pipeline << schedule << chunks << micro;
            };
            add(2, 1, "naive", 1, 6);
            add(3, 1, "1f1b", 1, 2);
            add(4, 1, "gpipe", 1, 1);
            add(2, 2, "1f1b", 1, 1);
            add(3, 2, "gpipe", 1, 2);
            add(2, 2, "interleaved-1f1b", 2, 1);
            add(2, 2, "zb-h1", 1, 1);
            add(2, 2, "zb-v", 2, 1);
            add(2, 2, "dualpipe-v", 2, 1);
        }
    }
    void everyWayEqualsOneRank() {
        QFETCH(int, zero);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(QString, schedule);
        QFETCH(int, chunks);
        QFETCH(int, micro);
        const Plan plan = planOf(layoutOf(zero, data, pipeline, schedule.toStdString(), chunks, micro));
        const Status valid = validate(plan.lowered);
        QVERIFY2(valid.has_value(), valid ? "" : valid.error().text().c_str());
        const RunOutcome run = runInProcess(plan);
        oneRank_.requireEqual(plan.layout, run);
        requireMemoryIsTheLedger(plan, run);
    }

    /// Each member of a tensor group reduces, and shares out, its part of the weights over its own replicas. The
    /// vocabulary does not divide: members hold tables of different sizes.
    void tensorGroupsToo_data() {
        QTest::addColumn<int>("zero");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<bool>("sequence");
        for (const int zero : {0, 1, 2, 3}) {
            QTest::addRow("zero %d, pipeline 1", zero) << zero << 1 << "naive" << false;
            QTest::addRow("zero %d, pipeline 1, tokens split", zero) << zero << 1 << "naive" << true;
            QTest::addRow(zero == 0 ? "ring, pipeline 2, tokens split" : "zero %d, pipeline 2, tokens split", zero)
                << zero << 2 << "zb-h1" << true;
        }
    }
    void tensorGroupsToo() {
        QFETCH(int, zero);
        QFETCH(int, pipeline);
        QFETCH(QString, schedule);
        QFETCH(bool, sequence);
        Layout layout = layoutOf(zero, 2, pipeline, schedule.toStdString(), 1, 1);
        layout.parallel.tensor = 3;
        layout.parallel.sequence = sequence;
        if (zero == 0 && pipeline == 2) layout.parallel.allReduce = AllReduceKind::Ring;
        layout.cluster.hosts[0].devices *= 3;
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        oneRank_.requireEqual(layout, run);
        requireMemoryIsTheLedger(plan, run);
    }

    /// Every category and the sum, to the byte, of random layouts. Of one stage: with neighbours a message may leave
    /// sooner than the ledger has it.
    void ledgerIsTheArenaToTheByte() {
        RandomStream random(seed_, "ledger");
        const auto below = [&](int most) { return static_cast<int>(random.below(static_cast<std::uint32_t>(most))); };
        const auto kindAt = [&](const auto& kinds) {
            return kinds[static_cast<std::size_t>(below(int(std::size(kinds))))];
        };
        for (int round = 0; round < 60; ++round) {
            const int data = 2 + below(3), micro = 1 + below(3), heads = 1 + below(3);
            Layout layout =
                layoutOf(below(4), data, 1, kindAt(std::array{"naive", "1f1b", "gpipe"}), 1, micro, 0.001 * below(60));
            layout.model = {below(2) ? ModelKind::Gpt : ModelKind::Mlp,
                            1 + below(5),
                            heads * (2 + below(6)),
                            heads,
                            2 + below(9),
                            256 + below(9),
                            0};
            layout.model.dropout = below(2) ? 0.1 : 0;
            for (int layer = 0; below(3) == 0 && layer < layout.model.layers; ++layer)
                layout.model.feedForward.assign(static_cast<std::size_t>(layout.model.layers), 1 + below(60));
            if (const int t = 1 + below(2); t > 1) {
                layout.parallel.tensor = t;
                layout.cluster.hosts[0].devices *= t;
                layout.parallel.sequence = below(2);
                for (int* each : {&layout.model.heads, &layout.model.hidden, &layout.model.sequence}) *each *= t;
                for (int& width : layout.model.feedForward) width *= t;
            }
            layout.batch.global = data * micro * (1 + below(4));
            layout.optimizer.kind = named(kindAt(std::array{"adamw", "sgd"}));
            layout.optimizer.momentum = below(2) ? 0.9 : 0;
            layout.memory.recompute = named(kindAt(std::array{"none", "selective", "full", "sqrt", "every"}));
            layout.memory.recomputeEvery = 1 + below(3);
            layout.data.validation = 0;
            layout.run.steps = 3;
            const auto plan = makePlan(layout);
            if (!plan) continue;  // recomputation that the model does not have
            const RunOutcome run = runInProcess(*plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
                const RankMemory& predicted = plan->memory[rank];
                MemoryBytes bytes{};
                std::int64_t peak = 0;
                for (const Event& event : run.ranks[rank].events) {  // told where they change
                    if (event.kind == EventKind::MemoryPeak) peak = event.bytes;
                    if (const auto category = memoryCategory(event.kind, EventKind::CategoryPeak))
                        bytes[static_cast<std::size_t>(*category)] = event.bytes;
                }
                const QString where = QString("rank %1 of %2").arg(rank).arg(writeLayout(layout).c_str());
                for (std::size_t i = 0; i < bytes.size(); ++i)
                    QVERIFY2(bytes[i] == predicted.bytes[i],
                             qPrintable(QString("category %1: %2 allocated, %3 predicted, %4")
                                            .arg(i)
                                            .arg(bytes[i])
                                            .arg(predicted.bytes[i])
                                            .arg(where)));
                QVERIFY2(
                    peak == predicted.peak,
                    qPrintable(QString("%1 allocated, %2 predicted, %3").arg(peak).arg(predicted.peak).arg(where)));
            }
        }
    }

    /// Gathers follow the segments that are computed again; what else there is follows the gathers.
    void segmentsComputedAgainToo_data() {
        QTest::addColumn<int>("zero");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<QString>("recompute");
        for (const int zero : {2, 3, 4})
            for (const char* recompute : {"full", "sqrt", "every"}) {
                const auto add = [&](int data, int pipeline, int tensor, const char* schedule, int chunks) {
                    QTest::addRow("zero %d data %d pipeline %d tensor %d %s, %s", zero, data, pipeline, tensor,
                                  schedule, recompute)
                        << zero << data << pipeline << tensor << schedule << chunks << recompute;
                };
                add(3, 1, 1, "naive", 1);
                add(2, 2, 1, "1f1b", 1);
                add(2, 2, 1, "zb-h1", 1);
                add(2, 2, 1, "interleaved-1f1b", 2);
                add(2, 2, 1, "dualpipe-v", 2);
                if (zero < 4) add(2, 1, 3, "gpipe", 1);
            }
    }
    void segmentsComputedAgainToo() {
        QFETCH(int, zero);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(QString, schedule);
        QFETCH(int, chunks);
        QFETCH(QString, recompute);
        Layout layout = layoutOf(zero, data, pipeline, schedule.toStdString(), chunks, 1);
        layout.model.layers = 8;
        layout.parallel.tensor = tensor;
        layout.parallel.sequence = tensor > 1;
        layout.cluster.hosts[0].devices *= tensor;
        layout.memory.recompute = named(recompute);
        layout.memory.recomputeEvery = 3;
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        oneRank_.requireEqual(layout, run);
        requireMemoryIsTheLedger(plan, run);
        layout.memory.recompute = RecomputeKind::None;
        const RunOutcome kept = runInProcess(planOf(layout));
        QVERIFY2(run.counter(EventKind::Loss) == kept.counter(EventKind::Loss), "not to the bit");
        QVERIFY(run.count(EventKind::Recompute) > 0);
        if (zero < 3) return;
        QCOMPARE(bytesOf(run, 0, EventKind::GatherParameters), bytesOf(kept, 0, EventKind::GatherParameters));
    }

    /// With one microbatch the sums are taken in the same order, so the weights are the same to the bit.
    void sharedOutEqualsReplicatedToTheBit() {
        const RunOutcome replicated = runInProcess(planOf(layoutOf(0, 3, 1, "naive", 1, 4)));
        const auto wanted = whole(replicated);
        for (const int zero : {1, 2}) {
            const RunOutcome run = runInProcess(planOf(layoutOf(zero, 3, 1, "naive", 1, 4)));
            QVERIFY2(run.error.empty(), run.error.c_str());
            QVERIFY(run.counter(EventKind::Loss) == replicated.counter(EventKind::Loss));
            QVERIFY(whole(run) == wanted);
        }
        for (const int zero : {3, 4}) {
            const RunOutcome run = runInProcess(planOf(layoutOf(zero, 3, 1, "naive", 1, 4)));
            QVERIFY(run.counter(EventKind::Loss) == replicated.counter(EventKind::Loss));
            QVERIFY(run.counter(EventKind::ValidationLoss) == replicated.counter(EventKind::ValidationLoss));
        }
    }

    void everyBucketSizeEqualsOneReductionToTheBit() {
        const RunOutcome whole = runInProcess(planOf(layoutOf(0, 2, 1, "1f1b", 1, 2, 0)));
        QVERIFY(whole.count(EventKind::ReduceGradients) == 2 * steps);
        for (const double megabytes : {0.001, 0.02, 0.05, 25.0}) {
            const Plan plan = planOf(layoutOf(0, 2, 1, "1f1b", 1, 2, megabytes));
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            QVERIFY(run.counter(EventKind::Loss) == whole.counter(EventKind::Loss));
            const auto buckets = static_cast<int>(plan.costs.stages[0].data.reduce.size());
            QCOMPARE(run.count(EventKind::ReduceBuckets), 2 * steps * buckets);
            QVERIFY(megabytes == 25.0 ? buckets == 1 : buckets > 1);
        }
    }

    void ringEqualsBackend_data() {
        QTest::addColumn<int>("zero");
        QTest::addColumn<int>("data");
        QTest::addColumn<double>("bucket");
        for (const int zero : {0, 1, 2, 3})
            for (const int data : {2, 3, 4}) QTest::addRow("zero %d data %d", zero, data) << zero << data << 0.02;
        QTest::newRow("all at once") << 0 << 3 << 0.0;
    }
    void ringEqualsBackend() {
        QFETCH(int, zero);
        QFETCH(int, data);
        QFETCH(double, bucket);
        Layout layout = layoutOf(zero, data, 1, "1f1b", 1, 1, bucket);
        layout.data.validation = 0;
        layout.parallel.allReduce = AllReduceKind::Ring;
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        oneRank_.requireEqual(layout, run);
        requireMemoryIsTheLedger(plan, run);
        const auto buckets = static_cast<int>(plan.costs.stages[0].data.reduce.size());
        QVERIFY(bucket > 0 ? buckets > 1 : buckets == 1);
        // Halves of rings: the sum that each has its part of, once or for each microbatch, and the parts that all get.
        const int m = plan.lowered.microbatches, scatters = zero < 2 ? 1 : m;
        if (zero < 3) QCOMPARE(run.count(EventKind::RingHop), data * steps * buckets * (scatters + 1) * (data - 1));
        // In each half (n−1)/n of the gradients, or weights, leave each rank; parts differ by a float.
        const double gradients = 4.0 * static_cast<double>(plan.parameters), halves = zero == 3 ? 3 * m : scatters + 1;
        for (int rank = 0; rank < data; ++rank)
            QVERIFY(std::abs(static_cast<double>(bytesOf(run, rank, EventKind::RingHop)) -
                             halves * (data - 1) / data * gradients) < 0.01 * halves * gradients);
        const auto hops = [](const std::vector<Event>& events, int rank, int step) {
            std::map<std::pair<ActionId, int>, int> made;
            for (const Event& event : events)
                if (event.kind == EventKind::RingHop && event.rank == rank && event.step == step)
                    ++made[{event.action, pieceOf(event)}];
            return made;
        };
        for (int rank = 0; rank < data; ++rank)
            QCOMPARE(hops(run.ranks[static_cast<std::size_t>(rank)].events, rank, 2),
                     hops(plan.simulation.events, rank, 0));
        for (const EventKind whole :
             {EventKind::ReduceBuckets, EventKind::ScatterGradients, EventKind::GatherParameters})
            QCOMPARE(run.count(whole), 0);
    }

    /// Volume in the words of the paper: an all-reduce moves 2Ψ, a scatter or a gather Ψ.
    void trafficIsTwoTwoAndThreePsi_data() {
        QTest::addColumn<QString>("recompute");
        for (const char* recompute : {"none", "full", "sqrt", "every"}) QTest::newRow(recompute) << recompute;
    }
    /// A segment that is computed again is gathered once for both its forward and its backward.
    void trafficIsTwoTwoAndThreePsi() {
        QFETCH(QString, recompute);
        for (const int zero : {0, 1, 2, 3, 4}) {
            Layout layout = layoutOf(zero, 2, 1, "naive", 1, 6);
            layout.memory.recompute = named(recompute);
            layout.model = {ModelKind::Gpt, 4, 64, 2, 16, 256, 0.0};
            layout.run.steps = 3;
            layout.data.validation = 0;
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            const auto volume = static_cast<double>(2 * bytesOf(run, 0, EventKind::ReduceBuckets) +
                                                    bytesOf(run, 0, EventKind::ScatterGradients) +
                                                    bytesOf(run, 0, EventKind::GatherParameters));
            const double psi = 4.0 * static_cast<double>(plan.parameters);
            QVERIFY2(std::abs(volume / psi - (zero >= 3 ? 3 : 2)) < 0.01 * (zero >= 3 ? 3 : 2),
                     qPrintable(QString("zero %1: %2 Ψ").arg(zero).arg(volume / psi)));
            std::int64_t predicted = 0;
            for (const AxisTraffic& axis : plan.traffic)
                if (axis.axis == Axis::Data) predicted += axis.bytes;
            QCOMPARE(static_cast<double>(predicted), volume);  // of 2 members, each sends half
        }
    }

    void formatsDecideMemoryAndTraffic_data() {
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("compute");
        QTest::addColumn<QString>("weights");
        QTest::addColumn<QString>("gradients");
        QTest::addColumn<QString>("lossScale");
        for (const int zero : {0, 1, 2, 3})
            for (const char* weights : {"master", "fp32", "alone"})
                for (const char* gradients : {"compute", "fp32"})
                    QTest::addRow("zero %d weights %s gradients %s", zero, weights, gradients)
                        << zero << (zero % 2 == 0 ? "bf16" : "fp16") << weights << gradients
                        << (zero % 2 == 0 ? "none" : "dynamic");
    }
    /// Shards, slots, master weights to the byte; what is reduced, scattered and gathered is what the plan counts.
    void formatsDecideMemoryAndTraffic() {
        QFETCH(int, zero);
        QFETCH(QString, compute);
        QFETCH(QString, weights);
        QFETCH(QString, gradients);
        QFETCH(QString, lossScale);
        Layout layout = layoutOf(zero, 2, 1, "1f1b", 1, 3);
        layout.precision = {named(compute), named(weights), named(gradients), ProductFormat::Compute, named(lossScale)};
        layout.run.steps = 3;
        layout.data.validation = 0;
        std::map<std::string, std::vector<double>> losses;
        for (const char* recompute : {"none", "sqrt"}) {
            layout.memory.recompute = named(recompute);
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            requireMemoryIsTheLedger(plan, run);
            std::map<EventKind, std::int64_t> predicted;
            for (const Action& action : plan.lowered.ranks[0])
                if (isBesideCompute(action.kind)) predicted[eventKind(action.kind)] += plan.costs.bytes(action);
            QVERIFY(!predicted.empty());
            for (const auto& [kind, bytes] : predicted) QCOMPARE(bytesOf(run, 0, kind), bytes);
            losses[recompute] = run.counter(EventKind::Loss);
        }
        QVERIFY(losses["none"] == losses["sqrt"]);
    }

    void hiddenAndExposedAreToldApart() {
        const RunOutcome run = runInProcess(planOf(layoutOf(0, 2, 1, "1f1b", 1, 2)));
        QCOMPARE(run.count(EventKind::ExposedComm), 2 * steps);
        QCOMPARE(run.count(EventKind::HiddenComm), 2 * steps);
        for (const RankOutcome& rank : run.ranks)
            for (int step = 0; step < steps; ++step) {
                double counted = -1, hidden = -1, waited = 0, moved = 0;
                for (const Event& event : rank.events) {
                    if (event.step != step) continue;
                    const double seconds = static_cast<double>(event.end - event.begin) * 1e-9;
                    if (event.kind == EventKind::ExposedComm) counted = event.value;
                    if (event.kind == EventKind::HiddenComm) hidden = event.value;
                    if (event.kind == EventKind::Wait && isBesideCompute(actionFromId(event.action).kind))
                        waited += seconds;
                    if (event.kind == EventKind::ReduceBuckets) moved += seconds;
                }
                QVERIFY(std::abs(counted - waited) < 1e-9);
                QVERIFY(std::abs(hidden - std::max(0.0, moved - waited)) < 1e-9);
            }
    }

    void whatCannotWorkIsRefused() {
        const auto refusal = [](const Layout& layout) {
            return QString::fromStdString(toText(check(layout, scheduleMethods())));
        };
        Layout alone = layoutOf(1, 1, 1, "naive", 1, 6);
        QVERIFY(refusal(alone).contains("/parallel/zero"));
        Layout ring = layoutOf(4, 2, 1, "naive", 1, 6);
        ring.parallel.allReduce = AllReduceKind::Ring;
        QVERIFY(refusal(ring).contains("/parallel/all_reduce"));
    }
};

QTEST_GUILESS_MAIN(DataAxisTest)
#include "data_axis_test.moc"
