// SPDX-License-Identifier: Apache-2.0
// An asynchronous parameter server against a serial re-enactment of the order that it recorded: one thread that goes
// through the updates one by one, and takes every gradient at the weights that its worker had read.
#include "engine/trace/analysis/traffic_matrix.h"
#include "engine/trace/metrics/summary.h"
#include "engine/launch/job/run_header.h"
#include "engine/predict/plan/async_server.h"
#include "tests/support/named.h"
#include "tests/support/sanitizer.h"
#include "tests/support/seed.h"
#include "tests/train/distant_device.h"
#include "tests/train/loss_curves.h"
#include "tests/train/run_in_process.h"
#include "tests/train/serial_model.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <cmath>

using namespace shardlab::test;

namespace {

struct Update {
    int worker = 0;
    int staleness = 0;
};

/// As the server recorded them.
std::vector<Update> updatesOf(const RunOutcome& run) {
    std::vector<Update> updates;
    for (const Event& event : run.ranks[0].events)
        if (event.kind == EventKind::Staleness) updates.push_back({int(event.bytes), int(event.value)});
    return updates;
}

struct Curves {
    std::vector<double> losses, validations;
    Numbers weights;
};

/// `delayed` false: every gradient is taken at the newest weights.
Curves reenact(const Layout& layout, const std::vector<Update>& updates, bool delayed = true) {
    SerialModel model(layout);
    const int workers = layout.parallel.data - 1, each = microbatches(layout);
    const auto optimizer =
        makeOptimizer({layout.optimizer, layout.run.steps * workers}, model.parameters(), model.arena());
    std::vector<Sampler> samplers;
    for (int worker = 0; worker < workers; ++worker) samplers.emplace_back(model.corpus(), layout, worker, workers);
    std::vector<int> made(std::size_t(workers), 0);
    std::vector<Numbers> versions{model.weights()};
    Curves curves;
    double losses = 0;
    for (std::size_t u = 0; u < updates.size(); ++u) {
        const auto worker = std::size_t(updates[u].worker - 1);
        const std::size_t version = delayed ? u - std::size_t(updates[u].staleness) : u;
        const auto gradient = model.gradient(versions.at(version), samplers[worker], made[worker]++, each);
        losses += gradient.loss / workers;
        model.load(versions.back());
        model.loadGradient(gradient.values);
        optimizer->update(model.parameters(), int(u) + 1, model.clipping(layout.optimizer.clip));
        versions.push_back(model.weights());
        if ((u + 1) % std::size_t(workers) != 0) continue;
        curves.losses.push_back(std::exchange(losses, 0));
        if (layout.data.validation == 0) continue;
        if (const int step = int(u + 1) / workers; step % layout.run.validateEvery == 0 || step == layout.run.steps)
            curves.validations.push_back(model.validation(versions.back()));
    }
    curves.weights = versions.back();
    return curves;
}

}  // namespace

class AsyncServerTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(int workers, const QString& optimizer) const {
        Layout layout;
        layout.model = {ModelKind::Gpt, 2, 16, 2, 8, 256, 0.0};
        layout.cluster.hosts = {{"localhost", workers + 1}};
        layout.parallel.data = workers + 1;
        layout.parallel.pipeline = 1;
        layout.parallel.exchange = Exchange::AsyncServer;
        layout.batch = {6 * workers, 2};
        layout.optimizer.kind = named(optimizer);
        layout.optimizer.learningRate = optimizer == "sgd" ? 0.05 : 3e-3;
        layout.optimizer.momentum = optimizer == "sgd" ? 0.5 : 0;
        layout.optimizer.warmup = 3;
        layout.run = {8, seed_, 3, 2};
        return layout;
    }

    void requireReenacted(const Layout& layout, const RunOutcome& run) {
        QVERIFY2(run.error.empty(), run.error.c_str());
        for (const RankOutcome& rank : run.ranks) QCOMPARE(rank.end, std::string("finished"));
        const auto updates = updatesOf(run);
        const int workers = layout.parallel.data - 1;
        QCOMPARE(updates.size(), std::size_t(layout.run.steps * workers));
        // What a worker reads is what its own last update made.
        std::vector<int> read(std::size_t(workers), 0);
        for (std::size_t u = 0; u < updates.size(); ++u) {
            int& version = read.at(std::size_t(updates[u].worker - 1));
            QCOMPARE(updates[u].staleness, int(u) - version);
            version = int(u) + 1;
        }
        const Curves wanted = reenact(layout, updates);
        const auto seed = QString("seed %1: ").arg(seed_);
        QString wrong = difference(run.counter(EventKind::Loss), wanted.losses, 1e-6);
        QVERIFY2(wrong.isEmpty(), qPrintable(seed + "loss: " + wrong));
        wrong = difference(run.counter(EventKind::ValidationLoss), wanted.validations, 1e-6);
        QVERIFY2(wrong.isEmpty(), qPrintable(seed + "validation loss: " + wrong));
        const Numbers weights = weightsOf(run.ranks[0], layout);
        QCOMPARE(weights.size(), wanted.weights.size());
        float off = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) off = std::max(off, std::abs(weights[i] - wanted.weights[i]));
        QVERIFY2(off <= 1e-6f, qPrintable(seed + QString("weights are %1 off").arg(off)));
    }

    std::int64_t seed_ = freshSeed() % 1000000;

private Q_SLOTS:
    void equalsTheSerialReenactment_data() {
        QTest::addColumn<int>("workers");
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<double>("clip");
        for (const int workers : {1, 2, 3, 5})
            for (const char* optimizer : {"sgd", "adamw", "adafactor"})
                QTest::addRow("%d workers %s", workers, optimizer)
                    << workers << optimizer << (workers % 2 == 0 ? 1.0 : 0.0);
    }
    void equalsTheSerialReenactment() {
        QFETCH(int, workers);
        QFETCH(QString, optimizer);
        QFETCH(double, clip);
        Layout layout = layoutOf(workers, optimizer);
        layout.optimizer.clip = clip;
        const RunOutcome run = runInProcess(planOf(layout));
        requireReenacted(layout, run);
        if (QTest::currentTestFailed()) return;
        const auto losses = run.counter(EventKind::Loss);
        QVERIFY(losses.back() < losses.front());
        // A delay is felt: without it the losses are others. Chance may let workers come one after the other, never
        // late.
        const auto updates = updatesOf(run);
        const bool late = std::ranges::any_of(updates, [](const Update& update) { return update.staleness > 0; });
        QVERIFY(!late || workers > 1);
        QCOMPARE(difference(losses, reenact(layout, updates, false).losses, 1e-6).isEmpty(), !late);
    }

    /// One worker alone is never late: that is training on one rank.
    void oneWorkerIsOneRank() {
        Layout layout = layoutOf(1, "adamw");
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY2(run.error.empty(), run.error.c_str());
        for (const Update& update : updatesOf(run)) QCOMPARE(update.staleness, 0);
        layout.parallel.exchange = Exchange::AllReduce;
        layout.parallel.data = 1;
        layout.cluster.hosts = {{"localhost", 1}};
        const RunOutcome alone = runInProcess(planOf(layout));
        for (const EventKind kind :
             {EventKind::Loss, EventKind::ValidationLoss, EventKind::GradientNorm, EventKind::LearningRate})
            QVERIFY2(run.counter(kind) == alone.counter(kind),
                     qPrintable(QString("seed %1: %2").arg(seed_).arg(int(kind))));
    }

    /// Gradients and weights in the memory of a device go the same way.
    void trainsOnADevice() {
        const Layout layout = layoutOf(2, "adamw");
        const Plan plan = planOf(layout);
        std::vector<std::unique_ptr<Device>> devices;
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank) devices.push_back(std::make_unique<DistantDevice>());
        const RunOutcome run = runInProcess(
            plan, {}, [&](int rank, TrainerServices& services) { services.device = devices[std::size_t(rank)].get(); });
        requireReenacted(layout, run);
    }

    void holdsWhatIsPredicted() {
        const Plan plan = planOf(layoutOf(3, "adamw"));
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            std::int64_t peak = 0;
            for (const Event& event : run.ranks[rank].events)
                if (event.kind == EventKind::MemoryPeak) peak = std::max(peak, event.bytes);
            const auto predicted = double(plan.memory[rank].peak);
            QVERIFY2(std::abs(double(peak) - predicted) < 0.02 * predicted,
                     qPrintable(QString("rank %1: %2, predicted %3").arg(rank).arg(peak).arg(predicted)));
        }
        QVERIFY(plan.memory[0].bytes[std::size_t(MemoryCategory::Optimizer)] > 0);
        QCOMPARE(plan.memory[1].bytes[std::size_t(MemoryCategory::Optimizer)], 0);
        TrafficMatrix predicted(headerOf(plan)), measured(headerOf(plan));
        for (const Event& event : plan.simulation.events) predicted.add(event);
        for (const RankOutcome& rank : run.ranks)
            for (const Event& event : rank.events) measured.add(event);
        std::int64_t listed = 0;
        for (const AxisTraffic& axis : plan.traffic) listed += axis.bytes;
        QCOMPARE(predicted.total(TrafficMatrix::Part::All), listed);
        // The last weights of each worker go nowhere.
        const std::int64_t weights = plan.costs.stages[0].weightBytes;
        const std::int64_t missing = plan.layout.run.steps * listed - measured.total(TrafficMatrix::Part::All);
        QVERIFY2(missing >= 0 && missing <= 3 * weights, qPrintable(QString::number(missing)));
    }

    /// Paced, the server's share of busy time and the length of a step are those predicted, and every worker waits its
    /// turn.
    void pacedTimesAreThosePredicted_data() {
        QTest::addColumn<int>("workers");
        for (const int workers : {1, 3}) QTest::addRow("%d workers", workers) << workers;
    }
    void pacedTimesAreThosePredicted() {
        SKIP_IF_SANITIZED();
        QFETCH(int, workers);
        Layout layout = layoutOf(workers, "adamw");
        layout.model = {ModelKind::Gpt, 2, 64, 2, 16, 256, 0.0};
        layout.batch = {2 * workers, 1};
        layout.data.validation = 0;
        layout.run.steps = 7;
        double error = HUGE_VAL;
        // A machine that is busy otherwise gets a slower pace, beside which its lateness is little.
        for (double slower = 1; slower < 32 && error > 0.05; slower *= 2) {
            layout.cluster.pace = PaceSpec{"h100-sxm", 0.25 * slower * (workers + 1)};
            const Plan plan = planOf(layout);
            const double predicted = serverBusy(plan.simulation.events);
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            std::vector<Event> steady;
            Summarizer summarizer(plan.mesh.ranks(), false);
            for (const RankOutcome& rank : run.ranks) {
                summarizer.add(rank.events);
                std::ranges::copy_if(rank.events, std::back_inserter(steady),
                                     [](const Event& event) { return event.step >= 2; });
            }
            const double busy = serverBusy(steady), seconds = summarizer.medianStepSeconds(),
                         bubble = summarizer.medianBubble();
            qInfo("server busy %.3f predicted %.3f; step %.3f s predicted %.3f s; bubble %.3f predicted %.3f; %d "
                  "overruns",
                  busy, predicted, seconds, plan.simulation.stepSeconds, bubble, plan.bubble,
                  run.count(EventKind::PaceOverrun));
            error = std::min(error,
                             std::max({std::abs(busy - predicted), std::abs(seconds / plan.simulation.stepSeconds - 1),
                                       std::abs(bubble - plan.bubble)}));
        }
        QVERIFY2(error <= 0.05, qPrintable(QString::number(error)));
    }

    /// max(G·S, C + S): the more workers, the busier the server, until it is all that counts.
    void theServerIsTheBottleneck() {
        double before = 0;
        for (const int workers : {1, 2, 4, 8}) {
            Layout layout = layoutOf(workers, "adamw");
            layout.model.hidden = 64;
            layout.batch = {2 * workers, 2};
            layout.cluster.pace = PaceSpec{"cpu", 1.0};
            const Plan plan = planOf(layout);
            const double busy = serverBusy(plan.simulation.events);
            QVERIFY2(busy > before || busy > 0.999, qPrintable(QString::number(busy)));
            before = busy;
        }
        QVERIFY(before > 0.999);
    }

    void pausesAndStops() {
        Layout layout = layoutOf(2, "sgd");
        layout.run.steps = 30;
        const Plan plan = planOf(layout);
        int asked = 0;
        const RunOutcome run = runInProcess(plan, [&] {
            ++asked;
            if (asked == 3) return Command::Pause;
            if (asked == 8) return Command::StepOnce;
            if (asked == 20) return Command::Checkpoint;
            if (asked == 30) return Command::Resume;
            return asked == 45 ? Command::Stop : Command::None;
        });
        QVERIFY2(run.error.empty(), run.error.c_str());
        for (const RankOutcome& rank : run.ranks) QCOMPARE(rank.end, std::string("stopped"));
        const auto losses = run.counter(EventKind::Loss);
        QVERIFY(!losses.empty() && losses.size() < 30);
        const Curves wanted = reenact(layout, updatesOf(run));
        QVERIFY(difference(losses, wanted.losses, 1e-6).isEmpty());
    }

    void refusesWhatDoesNotGoWithIt() {
        const auto pointers = [&](const std::function<void(Layout&)>& change) {
            Layout layout = layoutOf(2, "adamw");
            change(layout);
            std::vector<std::string> found;
            if (const auto plan = makePlan(layout); !plan)
                for (const Fault& fault : plan.error()) found.push_back(fault.pointer);
            return found;
        };
        using Pointers = std::vector<std::string>;
        QCOMPARE(pointers([](Layout&) {}), Pointers{});
        QCOMPARE(pointers([](Layout& l) {
                     l.parallel.pipeline = 2;
                     l.cluster.hosts = {{"localhost", 6}};
                 }),
                 Pointers{"/parallel/pipeline"});
        QCOMPARE(pointers([](Layout& l) {
                     l.parallel.tensor = 2;
                     l.cluster.hosts = {{"localhost", 6}};
                 }),
                 Pointers{"/parallel/tensor"});
        QCOMPARE(pointers([](Layout& l) { l.parallel.zero = 2; }), Pointers{"/parallel/zero"});
        QCOMPARE(pointers([](Layout& l) {
                     l.checkpoint.every = 5;
                     l.run.maxRestarts = 1;
                 }),
                 (Pointers{"/run/max_restarts", "/checkpoint/every"}));
        QCOMPARE(pointers([](Layout& l) { l.batch.global = 10; }), Pointers{"/batch/global"});
        QCOMPARE(pointers([](Layout& l) {
                     l.precision = {NumberFormat::Fp16, WeightStorage::Master, GradientFormat::Compute,
                                    ProductFormat::Compute, LossScaling::Static};
                 }),
                 Pointers{"/precision/loss_scale"});
    }
};

QTEST_GUILESS_MAIN(AsyncServerTest)
#include "async_server_test.moc"
