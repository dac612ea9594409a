// SPDX-License-Identifier: Apache-2.0
// EASGD against a serial re-enactment, whatever the pipeline, the tensor groups and the context groups below it.
#include "engine/base/random.h"
#include "engine/trace/analysis/traffic_matrix.h"
#include "engine/launch/job/run_header.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/train/optim/learning_rate.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/distant_device.h"
#include "tests/train/loss_curves.h"
#include "tests/train/run_in_process.h"
#include "tests/train/serial_model.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace shardlab::test;

namespace {

struct Curves {
    std::vector<double> losses, validations, distances;
    std::vector<Numbers> weights;
};

/// W_j ← W_j − ηρ(W_j − W̄), W̄ ← W̄ + ηρ(W_j − W̄) for j = t mod D; W_i ← W_i − ηΔW_i for all,
/// with ΔW_i at W_i before, or with momentum μ V_i ← μV_i + ΔW_i in its place.
Curves reenact(Layout layout) {
    layout.parallel.context = 1;  // one process takes all tokens
    SerialModel model(layout);
    const int replicas = layout.parallel.data, each = microbatches(layout);
    Curves curves;
    curves.weights.assign(std::size_t(replicas), model.weights());
    Numbers centre = model.weights();
    std::vector<Numbers> velocities(std::size_t(replicas), Numbers(centre.size(), 0.0f));
    std::vector<Sampler> samplers;
    for (int replica = 0; replica < replicas; ++replica) samplers.emplace_back(model.corpus(), layout, replica);
    for (int step = 0; step < layout.run.steps; ++step) {
        const double rate = learningRate(layout.optimizer, step + 1, layout.run.steps);
        double loss = 0;
        for (int replica = 0; replica < replicas; ++replica) {
            Numbers& weights = curves.weights[std::size_t(replica)];
            const auto gradient = model.gradient(weights, samplers[std::size_t(replica)], step, each);
            loss += gradient.loss / replicas;
            model.loadGradient(gradient.values);
            const double clipping = model.clipping(layout.optimizer.clip);
            if (step % replicas == replica) {
                double squares = 0;
                for (std::size_t i = 0; i < weights.size(); ++i) {
                    const double apart = double(weights[i]) - double(centre[i]);
                    squares += apart * apart;
                    weights[i] = float(weights[i] - rate * layout.optimizer.elasticRho * apart);
                    centre[i] = float(centre[i] + rate * layout.optimizer.elasticRho * apart);
                }
                curves.distances.push_back(std::sqrt(squares));
            }
            Numbers& velocity = velocities[std::size_t(replica)];
            for (std::size_t i = 0; i < weights.size(); ++i) {
                velocity[i] = float(layout.optimizer.momentum * velocity[i] + clipping * gradient.values[i]);
                weights[i] = float(weights[i] - rate * velocity[i]);
            }
        }
        curves.losses.push_back(loss);
        if ((step + 1) % layout.run.validateEvery == 0 || step + 1 == layout.run.steps)
            curves.validations.push_back(model.validation(centre));
    }
    return curves;
}

}  // namespace

class ElasticTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(int data, int pipeline, int tensor, int context = 1) const {
        Layout layout;
        layout.model = {ModelKind::Gpt, 4, 16, 2, 8, 256, 0.0};
        layout.cluster.hosts = {{"localhost", data * pipeline * tensor * context}};
        layout.parallel.data = data;
        layout.parallel.context = context;
        layout.parallel.pipeline = pipeline;
        layout.parallel.tensor = tensor;
        layout.parallel.exchange = Exchange::Elastic;
        layout.batch = {4 * data, 2};
        layout.optimizer.kind = OptimizerKind::Sgd;
        layout.optimizer.learningRate = 0.1;
        layout.optimizer.elasticRho = 3;
        layout.optimizer.warmup = 3;
        layout.optimizer.weightDecay = 0;
        layout.run = {9, seed_, 4, 1};
        return layout;
    }

    void requireReenacted(const Layout& layout, const RunOutcome& run, const Plan& plan) {
        QVERIFY2(run.error.empty(), run.error.c_str());
        const Curves wanted = reenact(layout);
        const auto seed = QString("seed %1: ").arg(seed_);
        QString wrong = difference(run.counter(EventKind::Loss), wanted.losses, 1e-5);
        QVERIFY2(wrong.isEmpty(), qPrintable(seed + "loss: " + wrong));
        wrong = difference(run.counter(EventKind::ValidationLoss), wanted.validations, 1e-5);
        QVERIFY2(wrong.isEmpty(), qPrintable(seed + "validation loss: " + wrong));
        // All begin at one place; later distances are large against rounding.
        auto distances = run.counter(EventKind::ElasticDistance);
        QCOMPARE(distances.size(), wanted.distances.size());
        QCOMPARE(distances.front(), 0.0);
        wrong = difference(distances, wanted.distances, 1e-3);
        QVERIFY2(wrong.isEmpty(), qPrintable(seed + "distance: " + wrong));
        if (plan.mesh.size(Axis::Pipeline) * plan.mesh.size(Axis::Tensor) > 1) return;
        SerialModel model(layout);
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            std::size_t at = 0;
            for (const Parameter& parameter : model.parameters())
                for (const float value : run.ranks[rank].parameters.at("0/" + parameter.name)) {
                    const int replica = plan.mesh.coordinate(int(rank), Axis::Data);
                    const float should = wanted.weights[std::size_t(replica)][at++];
                    QVERIFY2(std::abs(value - should) <= 1e-5f,
                             qPrintable(seed + QString("rank %1 %2").arg(rank).arg(parameter.name.c_str())));
                }
        }
    }

    std::int64_t seed_ = freshSeed() % 1000000;

private Q_SLOTS:
    void equalsTheSerialReenactment_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<double>("clip");
        QTest::addColumn<bool>("distant");
        QTest::addColumn<double>("momentum");
        QTest::addColumn<int>("context");
        QTest::addColumn<double>("bucket");
        const auto row = [](const char* name, int d, int p, int t, double clip, bool distant, double momentum = 0,
                            int c = 1, double bucket = 25) {
            QTest::addRow("%s", name) << d << p << t << clip << distant << momentum << c << bucket;
        };
        row("2 replicas", 2, 1, 1, 0, false);
        row("4 replicas, clipped", 4, 1, 1, 0.5, false);
        row("3 replicas of a pipeline, clipped", 3, 2, 1, 0.5, false);
        row("2 replicas of tensor groups", 2, 1, 2, 0, false);
        row("2 replicas of a pipeline of tensor groups", 2, 2, 2, 1, false);
        row("3 replicas on a device", 3, 1, 1, 0, true);
        row("3 replicas with momentum", 3, 1, 1, 0, false, 0.7);
        row("2 replicas of a pipeline with momentum, clipped", 2, 2, 1, 0.5, false, 0.5);
        row("2 replicas of context groups", 2, 1, 1, 0, false, 0, 2);
        row("3 replicas of context groups, small buckets", 3, 1, 1, 0.5, false, 0.7, 2, 0.001);
        row("2 replicas of context groups of 4, no buckets", 2, 1, 1, 0, false, 0, 4, 0);
        row("2 replicas of a pipeline of context groups, clipped", 2, 2, 1, 0.5, false, 0, 2, 0.004);
        row("2 replicas of context and tensor groups", 2, 1, 2, 1, false, 0, 2);
        row("2 replicas of context groups on a device", 2, 1, 1, 0, true, 0, 2);
    }
    void equalsTheSerialReenactment() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(double, clip);
        QFETCH(bool, distant);
        QFETCH(double, momentum);
        QFETCH(int, context);
        QFETCH(double, bucket);
        Layout layout = layoutOf(data, pipeline, tensor, context);
        layout.parallel.bucket = bucket;
        layout.optimizer.clip = clip;
        layout.optimizer.momentum = momentum;
        const Plan plan = planOf(layout);
        std::vector<std::unique_ptr<Device>> devices;
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank) devices.push_back(std::make_unique<DistantDevice>());
        const RunOutcome run = runInProcess(plan, {}, [&](int rank, TrainerServices& services) {
            if (distant) services.device = devices[std::size_t(rank)].get();
        });
        requireReenacted(layout, run, plan);
    }

    /// Where layers compute in 16 bits, fp32 weights pull each other: replicas stay as far apart as in fp32, and steps
    /// of the pull that 16 bits could not express add up.
    void fp32WeightsOf16Bits_data() {
        QTest::addColumn<QString>("compute");
        QTest::addColumn<QString>("weights");
        QTest::addColumn<bool>("distant");
        for (const char* compute : {"bf16", "fp16"})
            for (const char* weights : {"master", "fp32"})
                QTest::addRow("%s %s", compute, weights) << compute << weights << false;
        QTest::addRow("bf16 master on a device") << "bf16"
                                                 << "master" << true;
    }
    void fp32WeightsOf16Bits() {
        QFETCH(QString, compute);
        QFETCH(QString, weights);
        QFETCH(bool, distant);
        Layout layout = layoutOf(3, 1, 1);
        const Curves wanted = reenact(layout);
        layout.precision.compute = named(compute);
        layout.precision.weights = named(weights);
        const Plan plan = planOf(layout);
        std::vector<std::unique_ptr<Device>> devices;
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank) devices.push_back(std::make_unique<DistantDevice>());
        const RunOutcome run = runInProcess(plan, {}, [&](int rank, TrainerServices& services) {
            if (distant) services.device = devices[std::size_t(rank)].get();
        });
        QVERIFY2(run.error.empty(), run.error.c_str());
        const auto seed = QString("seed %1: ").arg(seed_);
        QString wrong = difference(run.counter(EventKind::Loss), wanted.losses, 2e-2);
        QVERIFY2(wrong.isEmpty(), qPrintable(seed + "loss: " + wrong));
        wrong = difference(run.counter(EventKind::ValidationLoss), wanted.validations, 2e-2);
        QVERIFY2(wrong.isEmpty(), qPrintable(seed + "validation loss: " + wrong));
        const auto distances = run.counter(EventKind::ElasticDistance);
        QCOMPARE(distances.front(), 0.0);
        wrong = difference(distances, wanted.distances, 0.1);
        QVERIFY2(wrong.isEmpty(), qPrintable(seed + "distance: " + wrong));
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            std::int64_t parameters = 0;
            for (const Event& event : run.ranks[rank].events)
                if (event.kind == peakKind(MemoryCategory::Parameters)) parameters = std::max(parameters, event.bytes);
            QCOMPARE(parameters, plan.memory[rank].bytes[std::size_t(MemoryCategory::Parameters)]);
        }
    }

    /// Without a pull replicas never meet again: each is a run of its own share. With it they stay together.
    void thePullKeepsReplicasTogether() {
        Layout layout = layoutOf(3, 1, 1);
        layout.run.steps = 30;
        layout.optimizer.elasticRho = 0;
        const RunOutcome apart = runInProcess(planOf(layout));
        layout.optimizer.elasticRho = 5;
        const RunOutcome together = runInProcess(planOf(layout));
        QVERIFY(apart.error.empty() && together.error.empty());
        const auto far = apart.counter(EventKind::ElasticDistance), near = together.counter(EventKind::ElasticDistance);
        QVERIFY2(near.back() < 0.5 * far.back(), qPrintable(QString("%1 against %2").arg(near.back()).arg(far.back())));
        const auto validations = together.counter(EventKind::ValidationLoss);
        QVERIFY2(validations.back() < validations.front(), "the centre learns");
    }

    /// Random layouts: context groups of either method, below other degrees, round a ring too.
    void drawnContextGroupsToo() {
        RandomStream random(seed_, "context groups");
        for (int round = 0; round < 4; ++round) {
            const int data = 2 + int(random.below(2)), tensor = 1 + int(random.below(2));
            Layout layout = layoutOf(data, tensor == 2 ? 1 : 1 + int(random.below(2)), tensor, 2);
            layout.parallel.contextKind = random.below(2) == 0 ? ContextKind::Ring : ContextKind::Ulysses;
            if (layout.parallel.contextKind == ContextKind::Ulysses) layout.model.heads = 4;
            layout.parallel.allReduce = random.below(2) == 0 ? AllReduceKind::Ring : AllReduceKind::Backend;
            layout.parallel.bucket = random.below(3) == 0 ? 0 : std::exp(6 * random.uniform() - 7);
            layout.optimizer.clip = random.below(2) == 0 ? 0 : 0.5;
            layout.optimizer.momentum = random.below(2) == 0 ? 0 : 0.6;
            const Plan plan = planOf(layout);
            requireReenacted(layout, runInProcess(plan), plan);
            if (QTest::currentTestFailed()) return;
        }
    }

    void holdsAndMovesWhatIsPredicted_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("context");
        QTest::newRow("3 replicas of a pipeline") << 3 << 2 << 1;
        QTest::newRow("3 replicas of context groups") << 3 << 1 << 2;
        QTest::newRow("2 replicas of a pipeline of context groups") << 2 << 2 << 2;
    }
    void holdsAndMovesWhatIsPredicted() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, context);
        const Plan plan = planOf(layoutOf(data, pipeline, 1, context));
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            std::int64_t peak = 0, parameters = 0;
            for (const Event& event : run.ranks[rank].events) {
                if (event.kind == EventKind::MemoryPeak) peak = std::max(peak, event.bytes);
                if (event.kind == peakKind(MemoryCategory::Parameters)) parameters = std::max(parameters, event.bytes);
            }
            QCOMPARE(parameters, plan.memory[rank].bytes[std::size_t(MemoryCategory::Parameters)]);
            const auto predicted = double(plan.memory[rank].peak);
            QVERIFY2(std::abs(double(peak) - predicted) < 0.02 * predicted,
                     qPrintable(QString("rank %1: %2, predicted %3").arg(rank).arg(peak).arg(predicted)));
        }
        TrafficMatrix predicted(headerOf(plan)), measured(headerOf(plan));
        for (const Event& event : plan.simulation.events) predicted.add(event);
        for (const RankOutcome& rank : run.ranks)
            for (const Event& event : rank.events)
                if (event.step == 1) measured.add(event);
        for (int from = 0; from < plan.mesh.ranks(); ++from)
            for (int to = 0; to < plan.mesh.ranks(); ++to)
                QCOMPARE(measured.cell(from, to, TrafficMatrix::Part::All).bytes,
                         predicted.cell(from, to, TrafficMatrix::Part::All).bytes);
    }

    /// A run goes on to the bit: each replica with its weights and velocities, the first with the centre too.
    void goesOnFromACheckpoint_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<QString>("compute");
        QTest::addColumn<double>("momentum");
        QTest::addColumn<int>("context");
        QTest::addRow("3 replicas with momentum") << 3 << 1 << "fp32" << 0.7 << 1;
        QTest::addRow("2 replicas of a pipeline") << 2 << 2 << "fp32" << 0.0 << 1;
        QTest::addRow("2 replicas with master weights") << 2 << 1 << "bf16" << 0.5 << 1;
        QTest::addRow("2 replicas of context groups") << 2 << 1 << "bf16" << 0.5 << 2;
    }
    void goesOnFromACheckpoint() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(QString, compute);
        QFETCH(double, momentum);
        QFETCH(int, context);
        constexpr int early = 5;
        QTemporaryDir folder;
        Layout layout = layoutOf(data, pipeline, 1, context);
        layout.precision.compute = named(compute);
        layout.optimizer.momentum = momentum;
        layout.checkpoint.every = early;
        const Plan plan = planOf(layout);
        const RunOutcome straight = runInProcess(
            plan, {}, [&](int, TrainerServices& services) { services.checkpoints = folder.path().toStdString(); });
        QVERIFY2(straight.error.empty(), straight.error.c_str());
        for (std::size_t rank = 0; rank < straight.ranks.size() && pipeline == 1; ++rank)
            for (const Event& event : straight.ranks[rank].events)
                if (event.kind == EventKind::MemoryPeak && event.step == 1)
                    QCOMPARE(event.bytes, plan.memory[rank].peak);
        const std::vector<CheckpointPlace> taken = listCheckpoints(folder.path().toStdString());
        QVERIFY(!taken.empty());
        const std::filesystem::path checkpoint = taken.front().path;  // there is one of the end too
        const auto goOn = [&](const Layout& with) {
            return runInProcess(planOf(with), {},
                                [&](int, TrainerServices& services) { services.resume = checkpoint; });
        };
        layout.checkpoint.every = 0;
        const RunOutcome rest = goOn(layout);
        QVERIFY2(rest.error.empty(), rest.error.c_str());
        for (const EventKind kind : {EventKind::Loss, EventKind::ElasticDistance}) {
            const std::vector<double> all = straight.counter(kind);
            QCOMPARE(rest.counter(kind), std::vector<double>(all.begin() + early, all.end()));
        }
        QCOMPARE(rest.counter(EventKind::ValidationLoss).back(), straight.counter(EventKind::ValidationLoss).back());
        for (std::size_t rank = 0; rank < rest.ranks.size(); ++rank)
            QVERIFY(rest.ranks[rank].parameters == straight.ranks[rank].parameters);

        // Any other layout goes on with the centre; more replicas begin there.
        layout.optimizer.learningRate = 1e-12;
        layout.run.validateEvery = early + 1;
        layout.parallel.exchange = Exchange::AllReduce;
        const RunOutcome centre = goOn(layout);
        layout.parallel.exchange = Exchange::Elastic;
        const RunOutcome again = goOn(layout);
        layout.parallel.data = 2 * data;
        layout.cluster.hosts = {{"localhost", 2 * data * pipeline * context}};
        const RunOutcome more = goOn(layout);
        for (const RunOutcome* run : {&centre, &again, &more}) QVERIFY2(run->error.empty(), run->error.c_str());
        for (const RunOutcome* run : {&again, &more}) {
            const QString wrong =
                difference(run->counter(EventKind::ValidationLoss), centre.counter(EventKind::ValidationLoss), 1e-5);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
    }

    void pacedTimesAreThosePredicted_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("context");
        QTest::newRow("3 replicas") << 3 << 1;
        QTest::newRow("2 replicas of context groups") << 2 << 2;
    }
    void pacedTimesAreThosePredicted() {
        QFETCH(int, data);
        QFETCH(int, context);
        Layout layout = layoutOf(data, 1, 1, context);
        layout.model = {ModelKind::Gpt, 2, 64, 2, 16, 256, 0.0};
        layout.batch = {6, 1};
        layout.data.validation = 0;
        double error = HUGE_VAL;
        // A machine that is busy otherwise gets a slower pace, beside which its lateness is little.
        for (double seconds = 0.4; seconds < 8 && error > 0.03; seconds *= 2) {
            layout.cluster.pace = PaceSpec{"h100-sxm", seconds};
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            for (const Event& event : run.ranks[std::size_t(context)].events)
                if (event.kind == EventKind::Step && event.step >= 3)
                    error = std::min(
                        error, std::abs(double(event.end - event.begin) * 1e-9 / plan.simulation.stepSeconds - 1));
        }
        QVERIFY2(error <= 0.03, qPrintable(QString::number(error)));
    }

    void refusesWhatDoesNotGoWithIt() {
        const auto pointers = [&](const std::function<void(Layout&)>& change) {
            Layout layout = layoutOf(2, 1, 1);
            change(layout);
            std::vector<std::string> found;
            if (const auto plan = makePlan(layout); !plan)
                for (const Fault& fault : plan.error()) found.push_back(fault.pointer);
            return found;
        };
        using Pointers = std::vector<std::string>;
        QCOMPARE(pointers([](Layout&) {}), Pointers{});
        QCOMPARE(pointers([](Layout& l) { l.optimizer.kind = OptimizerKind::AdamW; }), Pointers{"/optimizer/kind"});
        QCOMPARE(pointers([](Layout& l) { l.optimizer.momentum = 0.5; }), Pointers{});
        QCOMPARE(pointers([](Layout& l) { l.optimizer.elasticRho = 11; }), Pointers{"/optimizer/elastic_rho"});
        QCOMPARE(pointers([](Layout& l) { l.precision.compute = NumberFormat::Bf16; }), Pointers{});
        QCOMPARE(pointers([](Layout& l) {
                     l.precision.compute = NumberFormat::Bf16;
                     l.precision.weights = WeightStorage::Alone;
                 }),
                 Pointers{"/precision/weights"});
        QCOMPARE(pointers([](Layout& l) { l.parallel.zero = 1; }), Pointers{"/parallel/zero"});
        QCOMPARE(pointers([](Layout& l) { l.checkpoint.every = 1; }), Pointers{});
    }
};

QTEST_GUILESS_MAIN(ElasticTest)
#include "elastic_test.moc"
