// SPDX-License-Identifier: Apache-2.0
// Schedules without a flush against a serial re-enactment (serial_pipeline.h): losses, weights, versions and their
// bytes, whichever way replicas average their gradients.
#include "engine/trace/metrics/summary.h"
#include "tests/support/named.h"
#include "tests/support/sanitizer.h"
#include "tests/support/seed.h"
#include "tests/train/loss_curves.h"
#include "tests/train/run_in_process.h"
#include "tests/train/serial_pipeline.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace shardlab::test;

namespace {

constexpr int steps = 6;

/// How replicas average the gradients of an update.
struct Averaging {
    const char* name = "";
    double bucket = 25;
    AllReduceKind kind = AllReduceKind::Backend;
    ExchangeFormat format = ExchangeFormat::Full;
};
constexpr std::array averagings{Averaging{},
                                Averaging{"at once", 0},
                                Averaging{"in buckets", 0.004},
                                Averaging{"in rings", 0.004, AllReduceKind::Ring},
                                Averaging{"in 8 bits", 0.004, AllReduceKind::Backend, ExchangeFormat::Bits8},
                                Averaging{"in 4 bits at once", 0, AllReduceKind::Backend, ExchangeFormat::Bits4},
                                Averaging{"in signs", 25, AllReduceKind::Backend, ExchangeFormat::Bits1}};

}  // namespace

class AsynchronousTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(const QString& kind, int p, int m, int data, bool sync, const QString& optimizer) {
        Layout layout;
        layout.model = {ModelKind::Gpt, 4, 16, 2, 8, 256, 0.0};
        layout.cluster.hosts = {{"localhost", data * p}};
        layout.parallel.data = data;
        layout.parallel.pipeline = p;
        if (p == 3) layout.schedule.stages = {2, 1, 1};
        layout.schedule.kind = kind.toStdString();
        layout.schedule.verticalSync = sync;
        layout.batch = {2 * m * data, 2};
        layout.optimizer.kind = named(optimizer);
        layout.optimizer.learningRate = optimizer == "sgd" ? 0.2 : 3e-3;
        layout.optimizer.momentum = 0.5;
        layout.optimizer.warmup = 3;
        layout.optimizer.clip = 0;
        layout.run = {steps, seed_, 2, 1};
        return layout;
    }
    static void average(Layout& layout, int how) {
        const Averaging& averaging = averagings[std::size_t(how)];
        layout.parallel.bucket = averaging.bucket;
        layout.parallel.allReduce = averaging.kind;
        layout.precision.exchange = averaging.format;
    }
    /// What leaves a rank for other replicas in a step that is neither first nor last.
    static std::map<EventKind, std::pair<int, std::int64_t>> averaged(const std::vector<Event>& events, int rank,
                                                                      int step) {
        std::map<EventKind, std::pair<int, std::int64_t>> made;
        for (const Event& event : events) {
            const bool averages = event.kind == EventKind::ReduceGradients || event.kind == EventKind::ReduceBuckets ||
                                  event.kind == EventKind::RingHop;
            if (!averages || event.rank != rank || event.step != step) continue;
            ++made[event.kind].first;
            made[event.kind].second += event.bytes;
        }
        return made;
    }

    static RunOutcome runInto(const QTemporaryDir& folder, const Layout& layout,
                              const std::function<Command()>& takeCommand = {},
                              const std::filesystem::path& from = {}) {
        return runInProcess(planOf(layout), takeCommand, [&](int, TrainerServices& services) {
            services.checkpoints = folder.path().toStdString();
            services.resume = from;
        });
    }
    /// The oldest first.
    static std::vector<std::filesystem::path> checkpointsIn(const QTemporaryDir& folder) {
        std::vector<std::filesystem::path> all;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path().toStdString()))
            if (std::filesystem::exists(entry.path() / "manifest.json")) all.push_back(entry.path());
        std::ranges::sort(all);
        return all;
    }
    /// What begins from the checkpoint ends as the run did that took it.
    static void goesOnFrom(const std::filesystem::path& checkpoint, const Layout& layout, const RunOutcome& run) {
        const QTemporaryDir folder;
        const RunOutcome rest = runInto(folder, layout, {}, checkpoint);
        QVERIFY2(rest.error.empty(), rest.error.c_str());
        const auto all = run.counter(EventKind::Loss), got = rest.counter(EventKind::Loss);
        QVERIFY(!got.empty() && got.size() < all.size());
        QVERIFY(std::equal(got.rbegin(), got.rend(), all.rbegin()));
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
            QVERIFY(rest.ranks[rank].parameters == run.ranks[rank].parameters);
    }

    std::int64_t seed_ = freshSeed() % 1000000;

private Q_SLOTS:
    /// Before a checkpoint the pipeline runs empty, and what begins from the checkpoint goes on as the run did, to the
    /// bit. So it does from one that somebody asks for, and where the run is stopped.
    void checkpointsEmptyThePipeline_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("p");
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("data");
        QTest::addColumn<bool>("sync");
        QTest::addColumn<int>("averaging");
        const auto row = [](const char* kind, int p, int m, int data, bool sync, int averaging = 0) {
            QTest::addRow("%s p %d m %d data %d%s %s", kind, p, m, data, sync ? " vertical sync" : "",
                          averagings[std::size_t(averaging)].name)
                << kind << p << m << data << sync << averaging;
        };
        row("pipedream", 3, 4, 1, false);
        row("pipedream", 4, 1, 1, false);  // microbatches of three steps are on their way
        row("pipedream", 4, 3, 1, true);
        row("pipedream", 2, 4, 2, false);
        row("pipedream", 1, 2, 1, false);
        row("pipedream-2bw", 3, 4, 1, false);
        row("pipedream-2bw", 2, 4, 2, false, 4);
        row("pipedream", 2, 3, 2, true, 6);
    }
    void checkpointsEmptyThePipeline() {
        QFETCH(QString, kind);
        QFETCH(int, p);
        QFETCH(int, m);
        QFETCH(int, data);
        QFETCH(bool, sync);
        QFETCH(int, averaging);
        Layout layout = layoutOf(kind, p, m, data, sync, "adamw");
        average(layout, averaging);
        layout.checkpoint.every = 2;
        layout.checkpoint.keep = 10;
        const QTemporaryDir folder, asked, stopped;
        const RunOutcome run = runInto(folder, layout);
        QVERIFY2(run.error.empty(), run.error.c_str());
        Reenactment serial(layout);
        const PipelineCurves wanted = reenact(serial, layout);
        const auto seed = QString("seed %1: ").arg(seed_);
        QString wrong = difference(run.counter(EventKind::Loss), wanted.losses, 1e-5);
        QVERIFY2(wrong.isEmpty(), qPrintable(seed + "loss: " + wrong));
        wrong = difference(run.counter(EventKind::ValidationLoss), wanted.validations, 1e-5);
        QVERIFY2(wrong.isEmpty(), qPrintable(seed + "validation loss: " + wrong));
        QCOMPARE(checkpointsIn(folder).size(), std::size_t(steps / 2));
        goesOnFrom(checkpointsIn(folder).front(), layout, run);

        // One that is asked for comes as soon as what is on its way has come through.
        layout.checkpoint.every = 100;
        layout.run.steps = 12;
        int boundary = 0;
        const RunOutcome once =
            runInto(asked, layout, [&] { return boundary++ == 1 ? Command::Checkpoint : Command::None; });
        QVERIFY2(once.error.empty(), once.error.c_str());
        QVERIFY(checkpointsIn(asked).size() >= 1);
        goesOnFrom(checkpointsIn(asked).front(), layout, once);

        boundary = 0;
        layout.run.steps = 40;
        const RunOutcome early =
            runInto(stopped, layout, [&] { return boundary++ == 1 ? Command::Stop : Command::None; });
        QVERIFY2(early.error.empty(), early.error.c_str());
        QCOMPARE(checkpointsIn(stopped).size(), std::size_t{1});
        const auto losses = early.counter(EventKind::Loss);
        QVERIFY(losses.size() < 40);
        layout.run.steps = int(losses.size()) + 2;
        const QTemporaryDir further;
        const RunOutcome rest = runInto(further, layout, {}, checkpointsIn(stopped).front());
        QVERIFY2(rest.error.empty(), rest.error.c_str());
        QCOMPARE(rest.counter(EventKind::Loss).size(), std::size_t{2});
    }

    void equalsTheSerialReenactment_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("p");
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("data");
        QTest::addColumn<bool>("sync");
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<int>("averaging");
        int count = 0, averaging = 0;
        for (const char* kind : {"pipedream", "pipedream-2bw"})
            for (int p = 1; p <= 4; ++p)
                for (int m : {1, 3, 4, 6})
                    for (int data : {1, 2})
                        for (const bool sync : {false, true}) {
                            const bool two = std::string_view(kind) == "pipedream-2bw";
                            if (two && (sync || m < p)) continue;
                            if (data == 2 && m != 4) continue;
                            const std::array optimizers{"adamw", "sgd", "adafactor", "sm3"};
                            const char* optimizer = optimizers[std::size_t(count++) % 4];
                            if (data == 2) averaging = averaging % (int(averagings.size()) - 1) + 1;
                            QTest::addRow("%s p %d m %d data %d%s %s %s", kind, p, m, data,
                                          sync ? " vertical sync" : "", optimizer,
                                          averagings[data == 2 ? std::size_t(averaging) : 0].name)
                                << kind << p << m << data << sync << optimizer << (data == 2 ? averaging : 0);
                        }
    }
    void equalsTheSerialReenactment() {
        QFETCH(QString, kind);
        QFETCH(int, p);
        QFETCH(int, m);
        QFETCH(int, data);
        QFETCH(bool, sync);
        QFETCH(QString, optimizer);
        QFETCH(int, averaging);
        Layout layout = layoutOf(kind, p, m, data, sync, optimizer);
        average(layout, averaging);
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        Reenactment serial(layout);
        const PipelineCurves wanted = reenact(serial, layout);
        const auto seed = QString("seed %1: ").arg(seed_);
        const auto measured = run.counter(EventKind::Loss);
        QString wrong = difference(measured, wanted.losses, 1e-5);
        QVERIFY2(wrong.isEmpty(), qPrintable(seed + "loss: " + wrong));
        wrong = difference(run.counter(EventKind::ValidationLoss), wanted.validations, 1e-5);
        QVERIFY2(wrong.isEmpty(), qPrintable(seed + "validation loss: " + wrong));

        for (const RankOutcome& rank : run.ranks)
            for (const auto& [key, values] : rank.parameters) {
                const auto stage = std::size_t(std::stoi(key.substr(0, key.find('/'))));
                const std::string name = key.substr(key.find('/') + 1);
                for (const Parameter& parameter : serial.parameters(stage)) {
                    if (parameter.name != name) continue;
                    QCOMPARE(values.size(), parameter.value.size());
                    float largest = 0, off = 0;
                    for (std::size_t i = 0; i < values.size(); ++i) {
                        largest = std::max(largest, std::abs(parameter.value.floats()[i]));
                        off = std::max(off, std::abs(parameter.value.floats()[i] - values[i]));
                    }
                    QVERIFY2(off <= 1e-5f * largest,
                             qPrintable(seed + QString("%1: %2 of %3").arg(key.c_str()).arg(off).arg(largest)));
                }
            }

        // The delay is felt: without it the losses are others.
        if (p > 1 || kind == "pipedream-2bw") {
            Reenactment plain(layout);
            QVERIFY2(!difference(measured, reenact(plain, layout, false).losses, 1e-5).isEmpty(), qPrintable(seed));
        }

        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            const int r = plan.mesh.coordinate(static_cast<int>(rank), Axis::Pipeline);
            const int versions = kind == "pipedream-2bw" ? 2 : sync ? p : p - r;
            QCOMPARE(plan.memory[rank].weightVersions, versions);
            double held = 1;
            std::int64_t peak = 0, parameters = 0;
            std::map<int, double> atTheEnd;
            for (const Event& event : run.ranks[rank].events) {
                if (event.kind == EventKind::WeightVersions) {
                    held = std::max(held, event.value);
                    atTheEnd[event.step] = event.value;
                }
                if (event.kind == EventKind::MemoryPeak) peak = std::max(peak, event.bytes);
                if (event.kind == peakKind(MemoryCategory::Parameters)) parameters = std::max(parameters, event.bytes);
            }
            QCOMPARE(held, double(versions));
            for (const auto& [step, value] : atTheEnd) QCOMPARE(value, double(versions));
            QCOMPARE(parameters, plan.memory[rank].bytes[std::size_t(MemoryCategory::Parameters)]);
            const auto sent = averaged(run.ranks[rank].events, int(rank), 3);
            QCOMPARE(sent, averaged(plan.simulation.events, int(rank), 0));
            QCOMPARE(sent.size(), std::size_t(data - 1));
            // A message may leave a little sooner or later than the ledger has it.
            const auto predicted = double(plan.memory[rank].peak);
            QVERIFY2(std::abs(double(peak) - predicted) < 0.02 * predicted,
                     qPrintable(QString("rank %1: peak %2, predicted %3").arg(rank).arg(peak).arg(predicted)));
        }
    }

    /// Commands at borders that nobody waits at: what was in flight goes on, or is dropped.
    void pausesAndStopsBetweenSteps() {
        for (const char* kind : {"pipedream", "pipedream-2bw"}) {
            Layout layout = layoutOf(kind, 3, 4, 1, false, "adamw");
            layout.run.steps = 12;
            const Plan plan = planOf(layout);
            const RunOutcome whole = runInProcess(plan);
            QVERIFY2(whole.error.empty(), whole.error.c_str());
            int asked = 0;
            const RunOutcome paused = runInProcess(plan, [&] {
                ++asked;
                if (asked == 3) return Command::Pause;
                if (asked == 8) return Command::StepOnce;
                if (asked == 20) return Command::Resume;
                return Command::None;
            });
            QVERIFY2(paused.error.empty(), paused.error.c_str());
            QCOMPARE(paused.counter(EventKind::Loss), whole.counter(EventKind::Loss));
            int more = 0;
            const RunOutcome stopped = runInProcess(plan, [&] { return ++more == 6 ? Command::Stop : Command::None; });
            QVERIFY2(stopped.error.empty(), stopped.error.c_str());
            const auto losses = stopped.counter(EventKind::Loss), all = whole.counter(EventKind::Loss);
            QVERIFY(!losses.empty() && losses.size() < all.size());
            QCOMPARE(losses, std::vector<double>(all.begin(), all.begin() + std::ptrdiff_t(losses.size())));
            for (const RankOutcome& rank : stopped.ranks) QCOMPARE(rank.end, std::string("stopped"));
        }
    }

    void pacedStepsFollowWithoutABubble_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("p");
        for (const char* kind : {"pipedream", "pipedream-2bw"})
            for (int p : {2, 4}) QTest::addRow("%s p %d", kind, p) << kind << p;
    }
    void pacedStepsFollowWithoutABubble() {
        SKIP_IF_SANITIZED();
        QFETCH(QString, kind);
        QFETCH(int, p);
        Layout layout = layoutOf(kind, p, 8, 1, false, "adamw");
        layout.model = {ModelKind::Gpt, 8 * p, 64, 2, 16, 256, 0.0};
        layout.batch = {8, 1};
        layout.data.validation = 0;
        layout.run.steps = 9;
        double error = HUGE_VAL;
        // A machine that is busy otherwise gets a slower pace, beside which its lateness is little.
        for (double step = 1; step < 12 && error >= 0.03; step *= 2) {
            layout.cluster.pace = PaceSpec{"h100-sxm", step};
            const Plan plan = planOf(layout);
            QVERIFY2(plan.bubble < 0.05, qPrintable(QString::number(plan.bubble)));
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            Summarizer summarizer(p, false);
            for (const RankOutcome& rank : run.ranks) summarizer.add(rank.events);
            const double idle = summarizer.medianBubble(), seconds = summarizer.medianStepSeconds();
            qInfo("bubble measured %.3f simulated %.3f, step %.3f s of %.3f s, %d overruns", idle, plan.bubble, seconds,
                  plan.simulation.stepSeconds, run.count(EventKind::PaceOverrun));
            error = std::min(
                error, std::max(std::abs(idle - plan.bubble), std::abs(seconds / plan.simulation.stepSeconds - 1)));
        }
        QVERIFY2(error < 0.03, "the measured bubble and step against the simulated");
    }

    /// The versions of a tensor group's members are parts of the same weights.
    void tensorGroupsKeepTheirPartsOfEachVersion() {
        for (const char* kind : {"pipedream", "pipedream-2bw"}) {
            Layout layout = layoutOf(kind, 2, 4, 1, false, "sgd");
            const RunOutcome alone = runInProcess(planOf(layout));
            QVERIFY2(alone.error.empty(), alone.error.c_str());
            layout.parallel.tensor = 2;
            layout.cluster.hosts = {{"localhost", 4}};
            const Plan plan = planOf(layout);
            const RunOutcome shared = runInProcess(plan);
            QVERIFY2(shared.error.empty(), shared.error.c_str());
            const QString wrong = difference(shared.counter(EventKind::Loss), alone.counter(EventKind::Loss), 1e-5);
            QVERIFY2(wrong.isEmpty(), qPrintable(QString("seed %1: %2").arg(seed_).arg(wrong)));
            for (const RankOutcome& rank : shared.ranks) {
                std::int64_t parameters = 0;
                for (const Event& event : rank.events)
                    if (event.kind == peakKind(MemoryCategory::Parameters))
                        parameters = std::max(parameters, event.bytes);
                const auto at = static_cast<std::size_t>(&rank - shared.ranks.data());
                QCOMPARE(parameters, plan.memory[at].bytes[std::size_t(MemoryCategory::Parameters)]);
            }
        }
    }

    void refusesWhatWouldWait() {
        for (const char* kind : {"pipedream", "pipedream-2bw"}) {
            Layout layout = layoutOf(kind, 2, 4, 1, false, "adamw");
            layout.optimizer.clip = 1;
            const auto plan = makePlan(layout);
            QVERIFY(!plan.has_value());
            QVERIFY(plan.error().size() == 1);
            QCOMPARE(plan.error()[0].pointer, std::string("/optimizer/clip"));
        }
        Layout layout = layoutOf("1f1b", 2, 4, 1, true, "adamw");
        const auto plan = makePlan(layout);
        QVERIFY(!plan.has_value() && plan.error()[0].pointer == "/schedule/vertical_sync");
    }
};

QTEST_GUILESS_MAIN(AsynchronousTest)
#include "asynchronous_test.moc"
