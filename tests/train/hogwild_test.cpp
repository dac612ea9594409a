// SPDX-License-Identifier: Apache-2.0
// Hogwild in whole runs: one worker is plain gradient descent on one rank to the bit; several share one set of weights
// and learn. What one worker's update does among others' is hogwild_update_test's.
#include "engine/trace/analysis/traffic_matrix.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/state_source.h"
#include "engine/launch/job/run_header.h"
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

class HogwildTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(int workers, const char* model = "gpt") const {
        Layout layout;
        layout.model = {named(model), 2, 16, 2, 8, 256, 0.0};
        layout.cluster.hosts = {{"localhost", workers}};
        layout.parallel.data = workers;
        layout.parallel.pipeline = 1;
        layout.parallel.exchange = Exchange::Hogwild;
        layout.batch = {4 * workers, 2};
        layout.optimizer.kind = OptimizerKind::Sgd;
        layout.optimizer.learningRate = 0.1;
        layout.optimizer.warmup = 3;
        layout.optimizer.weightDecay = 0;
        layout.optimizer.clip = 0;
        layout.run = {9, seed_, 4, 1};
        return layout;
    }

    static void requireSameWeights(const RunOutcome& run) {
        for (const RankOutcome& rank : run.ranks) QVERIFY(rank.parameters == run.ranks.front().parameters);
    }
    /// The events of each worker, by its steps.
    static std::vector<std::vector<Event>> updatesOf(const RunOutcome& run, EventKind kind) {
        std::vector<std::vector<Event>> all;
        for (const RankOutcome& rank : run.ranks) {
            all.emplace_back();
            std::ranges::copy_if(rank.events, std::back_inserter(all.back()),
                                 [&](const Event& event) { return event.kind == kind; });
        }
        return all;
    }
    /// The updates of the shared weights, and where they were read again, in the order of time.
    static std::vector<Event> updatesAndReads(const RunOutcome& run) {
        std::vector<Event> all;
        for (const EventKind kind : {EventKind::Optimizer, EventKind::PullWeights})
            for (const auto& events : updatesOf(run, kind)) all.insert(all.end(), events.begin(), events.end());
        std::ranges::sort(all, {}, &Event::begin);
        return all;
    }
    RunOutcome train(const Layout& layout, const std::filesystem::path& checkpoints,
                     const std::filesystem::path& resume = {}, const std::function<Command()>& command = {}) const {
        return runInProcess(planOf(layout), command, [&](int, TrainerServices& services) {
            services.checkpoints = checkpoints;
            services.resume = resume;
        });
    }
    static std::vector<std::int64_t> stepsOf(const std::filesystem::path& checkpoints) {
        std::vector<std::int64_t> steps;
        for (const CheckpointPlace& place : listCheckpoints(checkpoints)) steps.push_back(place.step);
        return steps;
    }

    static std::map<std::string, std::vector<float>> weightsOf(const std::filesystem::path& checkpoint) {
        DiskFileSystem files;
        const auto source = StateSource::ofCheckpoint(files, checkpoint, readManifest(checkpoint).value());
        std::map<std::string, std::vector<float>> weights;
        for (const StateSource::Whole& whole : source->wholes()) {
            if (whole.kind == weightKind) weights["0/" + whole.name] = source->read(whole).value();
        }
        return weights;
    }

    std::int64_t seed_ = freshSeed() % 1000000;

private Q_SLOTS:
    void oneWorkerIsOneRank_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<double>("clip");
        QTest::addColumn<QString>("schedule");
        QTest::addRow("gpt") << "gpt" << 0.0 << "constant";
        QTest::addRow("gpt, clipped, cosine") << "gpt" << 0.5 << "cosine";
        QTest::addRow("mlp, linear") << "mlp" << 0.0 << "linear";
        QTest::addRow("gpt-moe, clipped") << "gpt-moe" << 1.0 << "constant";
    }
    void oneWorkerIsOneRank() {
        QFETCH(QString, model);
        QFETCH(double, clip);
        QFETCH(QString, schedule);
        Layout layout = layoutOf(1, "gpt");
        layout.model.kind = named(model);
        layout.optimizer.clip = clip;
        layout.optimizer.schedule = named(schedule);
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY2(run.error.empty(), run.error.c_str());
        layout.parallel.exchange = Exchange::AllReduce;
        const RunOutcome plain = runInProcess(planOf(layout));
        QVERIFY2(plain.error.empty(), plain.error.c_str());
        QCOMPARE(plain.counter(EventKind::Loss).size(), std::size_t{9});
        for (const EventKind kind :
             {EventKind::Loss, EventKind::ValidationLoss, EventKind::GradientNorm, EventKind::LearningRate})
            QVERIFY2(run.counter(kind) == plain.counter(kind),
                     qPrintable(QString("seed %1: %2").arg(seed_).arg(int(kind))));
        QVERIFY2(run.ranks[0].parameters == plain.ranks[0].parameters, qPrintable(QString("seed %1").arg(seed_)));
        for (const EventKind kind : {EventKind::OverwrittenUpdates, EventKind::Staleness}) {
            QCOMPARE(run.count(kind), 9);
            const auto updates = updatesOf(run, kind);
            for (const Event& event : updates.front()) QCOMPARE(event.value, 0.0);
        }
    }

    /// Where no update met another or a read, the run is the serial one of the order that was recorded: each gradient
    /// is taken at the weights that its worker had read.
    void severalWorkersAreTheirRecordedOrder_data() {
        QTest::addColumn<int>("workers");
        for (const int workers : {2, 3}) QTest::addRow("%d workers", workers) << workers;
    }
    void severalWorkersAreTheirRecordedOrder() {
        QFETCH(int, workers);
        Layout layout = layoutOf(workers);
        layout.optimizer.warmup = 0;
        layout.data.validation = 0;
        for (int tries = 0; tries < 40; ++tries, ++layout.run.seed) {
            const RunOutcome run = runInProcess(planOf(layout));
            QVERIFY2(run.error.empty(), run.error.c_str());
            const std::vector<Event> order = updatesAndReads(run);
            QCOMPARE(order.size(), std::size_t(2 * 9 * workers));
            const auto meet = [](const Event& one, const Event& next) {
                return one.end > next.begin && one.rank != next.rank &&
                       (one.kind == EventKind::Optimizer || next.kind == EventKind::Optimizer);
            };
            if (std::ranges::adjacent_find(order, meet) != order.end()) continue;
            SerialModel model(layout);
            std::vector<Sampler> samplers;
            for (int worker = 0; worker < workers; ++worker) samplers.emplace_back(model.corpus(), layout, worker);
            const auto optimizer =
                makeOptimizer({layout.optimizer, layout.run.steps}, model.parameters(), model.arena());
            std::vector<Numbers> read(std::size_t(workers), model.weights());
            Numbers shared = read.front();
            for (const Event& event : order) {
                Numbers& own = read[std::size_t(event.rank)];
                if (event.kind != EventKind::Optimizer) {
                    own = shared;
                    continue;
                }
                const auto gradient =
                    model.gradient(own, samplers[std::size_t(event.rank)], event.step, microbatches(layout));
                model.load(shared);
                model.loadGradient(gradient.values);
                optimizer->update(model.parameters(), event.step + 1, 1);
                shared = model.weights();
            }
            const Numbers weights = shardlab::test::weightsOf(run.ranks[0], layout);
            float off = 0;
            for (std::size_t i = 0; i < weights.size(); ++i) off = std::max(off, std::abs(weights[i] - shared[i]));
            QVERIFY2(off <= 1e-6f, qPrintable(QString("seed %1: weights are %2 off").arg(layout.run.seed).arg(off)));
            return;
        }
        QSKIP("in each of 40 runs an update met another: this machine is too busy");
    }

    void workersShareOneSetOfWeights_data() {
        QTest::addColumn<int>("workers");
        QTest::addColumn<QString>("model");
        QTest::addRow("2 workers") << 2 << "gpt";
        QTest::addRow("3 workers, mlp") << 3 << "mlp";
        QTest::addRow("5 workers, gpt-moe") << 5 << "gpt-moe";
    }
    void workersShareOneSetOfWeights() {
        QFETCH(int, workers);
        QFETCH(QString, model);
        Layout layout = layoutOf(workers);
        layout.model.kind = named(model);
        layout.run.steps = 40;
        layout.run.validateEvery = 0;
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        requireSameWeights(run);
        const auto late = updatesOf(run, EventKind::Staleness), lost = updatesOf(run, EventKind::OverwrittenUpdates);
        for (int worker = 0; worker < workers; ++worker) {
            QCOMPARE(run.ranks[std::size_t(worker)].end, std::string("finished"));
            QCOMPARE(late[std::size_t(worker)].size(), std::size_t{40});
            QCOMPARE(lost[std::size_t(worker)].size(), std::size_t{40});
            double others = 0;  // each of their updates is late for no more than one of this worker's
            for (int step = 0; step < 40; ++step) {
                const Event& delay = late[std::size_t(worker)][std::size_t(step)];
                const Event& update = lost[std::size_t(worker)][std::size_t(step)];
                QCOMPARE(delay.step, step);
                QCOMPARE(int(delay.bytes), worker);
                QVERIFY(delay.value >= 0);
                others += delay.value;
                QVERIFY(update.value >= 0 && update.value <= double(update.bytes));
                QVERIFY(update.bytes > 0 && update.bytes <= plan.parameters);
            }
            QVERIFY(others <= 40.0 * (workers - 1));
        }
        const auto losses = run.counter(EventKind::Loss);
        QCOMPARE(losses.size(), std::size_t{40});
        const auto validations = run.counter(EventKind::ValidationLoss);
        QCOMPARE(validations.size(), std::size_t{1});
        qInfo("loss %.3f to %.3f, validation %.3f", losses.front(), losses.back(), validations.back());
        QVERIFY2(validations.back() < 0.85 * std::log(256.0),
                 qPrintable(QString("seed %1: %2").arg(seed_).arg(validations.back())));
    }

    void holdsAndMovesWhatIsPredicted() {
        for (const int every : {0, 3}) {
            Layout layout = layoutOf(3);
            layout.checkpoint.every = every;
            const QTemporaryDir folder;
            const Plan plan = planOf(layout);
            const RunOutcome run = train(layout, folder.path().toStdString());
            QVERIFY2(run.error.empty(), run.error.c_str());
            TrafficMatrix measured(headerOf(plan)), predicted(headerOf(plan));
            for (const Event& event : plan.simulation.events) predicted.add(event);
            for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
                std::int64_t peak = 0, parameters = 0, buffers = 0;
                for (const Event& event : run.ranks[rank].events) {
                    measured.add(event);
                    if (event.kind == EventKind::MemoryPeak) peak = std::max(peak, event.bytes);
                    if (event.kind == peakKind(MemoryCategory::Parameters))
                        parameters = std::max(parameters, event.bytes);
                    if (event.kind == peakKind(MemoryCategory::Buffers)) buffers = std::max(buffers, event.bytes);
                }
                QCOMPARE(parameters, plan.memory[rank].bytes[std::size_t(MemoryCategory::Parameters)]);
                QCOMPARE(buffers, plan.memory[rank].bytes[std::size_t(MemoryCategory::Buffers)]);
                QCOMPARE(peak, plan.memory[rank].peak);
            }
            QCOMPARE(plan.memory[0].bytes[0], 2 * plan.memory[1].bytes[0]);
            QVERIFY(plan.traffic.empty());
            QCOMPARE(measured.total(TrafficMatrix::Part::All), 0);
            QCOMPARE(predicted.total(TrafficMatrix::Part::All), 0);
        }
    }

    /// One worker, so that the order is fixed: in two parts it is the run in one.
    void goesOnFromACheckpoint() {
        Layout layout = layoutOf(1);
        layout.checkpoint.every = 3;
        const QTemporaryDir whole, parts;
        const RunOutcome one = train(layout, whole.path().toStdString());
        QVERIFY2(one.error.empty(), one.error.c_str());
        QCOMPARE(stepsOf(whole.path().toStdString()), (std::vector<std::int64_t>{6, 9}));  // keeps two
        const auto from = listCheckpoints(whole.path().toStdString()).front().path;
        const RunOutcome two = train(layout, parts.path().toStdString(), from);
        QVERIFY2(two.error.empty(), two.error.c_str());
        QVERIFY2(two.ranks[0].parameters == one.ranks[0].parameters, qPrintable(QString("seed %1").arg(seed_)));
        auto wanted = one.counter(EventKind::Loss);
        wanted.erase(wanted.begin(), wanted.begin() + 6);
        QVERIFY(two.counter(EventKind::Loss) == wanted);
    }

    /// At a checkpoint all workers have done the same number of steps, and what it holds is what they share.
    void workersMeetForACheckpoint() {
        Layout layout = layoutOf(4);
        layout.checkpoint.every = 3;
        const QTemporaryDir folder, after;
        const RunOutcome run = train(layout, folder.path().toStdString());
        QVERIFY2(run.error.empty(), run.error.c_str());
        requireSameWeights(run);
        QCOMPARE(stepsOf(folder.path().toStdString()), (std::vector<std::int64_t>{6, 9}));
        QVERIFY(weightsOf(listCheckpoints(folder.path().toStdString()).back().path) == run.ranks.front().parameters);
        // And several workers go on from it.
        layout.run.steps = 12;
        const RunOutcome more =
            train(layout, after.path().toStdString(), listCheckpoints(folder.path().toStdString()).back().path);
        QVERIFY2(more.error.empty(), more.error.c_str());
        QCOMPARE(more.count(EventKind::OverwrittenUpdates), 4 * 3);
        requireSameWeights(more);
    }

    void pausesStepsAndStops() {
        Layout layout = layoutOf(3);
        layout.run.steps = 100000;  // it is stopped long before
        layout.run.validateEvery = 0;
        const QTemporaryDir folder;
        int asked = 0;
        const RunOutcome run = train(layout, folder.path().toStdString(), {}, [&] {
            ++asked;
            if (asked == 3) return Command::Pause;
            if (asked == 8) return Command::StepOnce;
            if (asked == 20) return Command::Checkpoint;
            if (asked == 30) return Command::Resume;
            return asked == 45 ? Command::Stop : Command::None;
        });
        QVERIFY2(run.error.empty(), run.error.c_str());
        requireSameWeights(run);
        for (const RankOutcome& rank : run.ranks) QCOMPARE(rank.end, std::string("stopped"));
        const auto losses = run.counter(EventKind::Loss);
        QVERIFY(!losses.empty() && losses.size() < 100000);
        QCOMPARE(run.count(EventKind::OverwrittenUpdates), int(3 * losses.size()));  // all ended at one step
        QCOMPARE(stepsOf(folder.path().toStdString()).size(), std::size_t{1});
    }

    /// A step is a gradient, an update and a read of the weights, on whatever number of workers. Paced, nobody is
    /// quicker.
    void aStepIsAGradientAnUpdateAndARead() {
        Layout layout = layoutOf(3);
        layout.model = {ModelKind::Gpt, 2, 64, 2, 16, 256, 0.0};
        layout.batch = {6, 1};
        layout.data.validation = 0;
        layout.cluster.pace = PaceSpec{"h100-sxm", 0.1};
        const Plan plan = planOf(layout);
        double all = 0, busy = 0;
        for (const Action& action : plan.lowered.ranks.front()) {
            const double seconds = plan.costs.seconds(action);
            all += seconds;
            if (action.kind != ActionKind::PullWeights) busy += seconds;
            QVERIFY(seconds > 0);
        }
        QCOMPARE(plan.lowered.ranks.front().back().kind, ActionKind::PullWeights);
        QVERIFY(std::abs(plan.simulation.stepSeconds - all) < 1e-9 && std::abs(plan.bubble - (1 - busy / all)) < 1e-9);
        layout.parallel.data = 1;
        layout.cluster.hosts = {{"localhost", 1}};
        layout.batch.global = 2;
        QVERIFY(std::abs(planOf(layout).stepSeconds - plan.stepSeconds) < 1e-9);
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        for (const auto& steps : updatesOf(run, EventKind::Step)) {
            QCOMPARE(steps.size(), std::size_t{9});
            QVERIFY(double(steps.back().end - steps.front().begin) * 1e-9 > 0.95 * 9 * plan.simulation.stepSeconds);
        }
    }

    void whoReachesNoSharedMemoryIsToldSo() {
        const Plan plan = planOf(layoutOf(2));
        std::vector<std::unique_ptr<Device>> devices;
        for (int rank = 0; rank < 2; ++rank) devices.push_back(std::make_unique<DistantDevice>());
        const RunOutcome run = runInProcess(
            plan, {}, [&](int rank, TrainerServices& services) { services.device = devices[std::size_t(rank)].get(); });
        QVERIFY2(
            run.error.find("/parallel/exchange: hogwild: the ranks of this run do not reach each other's memory") !=
                std::string::npos,
            run.error.c_str());
        QVERIFY(run.error.find("legal: ") != std::string::npos);
    }

    void refusesWhatDoesNotGoWithIt() {
        const auto pointers = [&](const std::function<void(Layout&)>& change) {
            Layout layout = layoutOf(2);
            change(layout);
            std::vector<std::string> found;
            if (const auto plan = makePlan(layout); !plan)
                for (const Fault& fault : plan.error()) found.push_back(fault.pointer);
            return found;
        };
        using Pointers = std::vector<std::string>;
        QCOMPARE(pointers([](Layout&) {}), Pointers{});
        QCOMPARE(pointers([](Layout& l) { l.optimizer.kind = OptimizerKind::AdamW; }), Pointers{"/optimizer/kind"});
        QCOMPARE(pointers([](Layout& l) { l.optimizer.momentum = 0.5; }), Pointers{"/optimizer/momentum"});
        QCOMPARE(pointers([](Layout& l) { l.optimizer.weightDecay = 0.1; }), Pointers{"/optimizer/weight_decay"});
        QCOMPARE(pointers([](Layout& l) { l.precision.compute = NumberFormat::Bf16; }), Pointers{"/precision/compute"});
        QCOMPARE(pointers([](Layout& l) { l.precision.compute = NumberFormat::Fp16; }), Pointers{"/precision/compute"});
        QCOMPARE(pointers([](Layout& l) { l.parallel.zero = 1; }), Pointers{"/parallel/zero"});
        QCOMPARE(pointers([](Layout& l) {
                     l.parallel.pipeline = 2;
                     l.cluster.hosts = {{"localhost", 4}};
                 }),
                 Pointers{"/parallel/pipeline"});
        QCOMPARE(pointers([](Layout& l) {
                     l.parallel.tensor = 2;
                     l.cluster.hosts = {{"localhost", 4}};
                 }),
                 Pointers{"/parallel/tensor"});
        QCOMPARE(pointers([](Layout& l) {
                     l.parallel.context = 2;
                     l.cluster.hosts = {{"localhost", 4}};
                 }),
                 Pointers{"/parallel/context"});
        QCOMPARE(pointers([](Layout& l) { l.parallel.allReduce = AllReduceKind::Ring; }),
                 Pointers{"/parallel/all_reduce"});
        QCOMPARE(pointers([](Layout& l) {
                     l.cluster.hosts = {{"localhost", 1}, {"other", 1}};
                 }),
                 Pointers{"/cluster/hosts"});
        QCOMPARE(pointers([](Layout& l) {
                     l.checkpoint.every = 2;
                     l.run.maxRestarts = 1;
                 }),
                 Pointers{});
        QCOMPARE(pointers([](Layout& l) { l.batch.global = 10; }), Pointers{"/batch/global"});
    }
};

QTEST_GUILESS_MAIN(HogwildTest)
#include "hogwild_test.moc"
