// SPDX-License-Identifier: Apache-2.0
// A synchronous parameter server trains as an all-reduce does, to the bit; only the server has optimizer state, and
// only its link carries gradients and weights.
#include "engine/trace/analysis/traffic_matrix.h"
#include "engine/launch/job/run_header.h"
#include "engine/layout/mesh/replicas.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/loss_curves.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace shardlab::test;

class ParameterServerTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(int data, int pipeline, int tensor, const char* optimizer, int context = 1) const {
        Layout layout;
        layout.model = {ModelKind::Gpt, 4, 16, 2, 8, 256, 0.1};
        layout.cluster.hosts = {{"localhost", data * pipeline * tensor * context}};
        layout.parallel.data = data;
        layout.parallel.context = context;
        layout.parallel.pipeline = pipeline;
        layout.parallel.tensor = tensor;
        layout.batch = {12, 1};
        layout.optimizer.kind = named(optimizer);
        layout.optimizer.learningRate = 0.01;
        layout.optimizer.momentum = optimizer == std::string_view("sgd") ? 0.9 : 0;
        layout.run = {6, seed_, 3, 1};
        return layout;
    }

    static std::int64_t largest(const RankOutcome& rank, EventKind kind) {
        std::int64_t most = 0;
        for (const Event& event : rank.events)
            if (event.kind == kind) most = std::max(most, event.bytes);
        return most;
    }

    std::int64_t seed_ = freshSeed() % 1000000;

private Q_SLOTS:
    void equalsTheAllReduceToTheBit_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<QString>("compute");
        QTest::addColumn<int>("context");
        const auto row = [](int d, int p, int t, const char* schedule, const char* optimizer, const char* compute,
                            int c = 1) {
            QTest::addRow("data %d pipeline %d tensor %d %s %s %s context %d", d, p, t, schedule, optimizer, compute, c)
                << d << p << t << schedule << optimizer << compute << c;
        };
        row(2, 1, 1, "1f1b", "adamw", "fp32");
        row(4, 1, 1, "naive", "sgd", "fp32");
        row(3, 2, 1, "1f1b", "adamw", "fp32");
        row(2, 2, 1, "zb-h1", "adafactor", "fp32");
        row(2, 2, 2, "gpipe", "sm3", "fp32");
        row(2, 1, 2, "1f1b", "adamw", "bf16");
        row(2, 2, 1, "zb-v", "sgd", "bf16");
        row(2, 1, 1, "1f1b", "adamw", "fp32", 2);
        row(2, 2, 1, "1f1b", "adafactor", "bf16", 2);
        row(2, 1, 2, "gpipe", "sgd", "fp32", 2);
    }
    void equalsTheAllReduceToTheBit() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(QString, schedule);
        QFETCH(QString, optimizer);
        QFETCH(QString, compute);
        QFETCH(int, context);
        Layout layout = layoutOf(data, pipeline, tensor, optimizer.toLatin1().constData(), context);
        layout.schedule.kind = schedule.toStdString();
        if (schedule == "zb-v") layout.schedule.chunks = 2;
        layout.precision.compute = named(compute);
        const RunOutcome wanted = runInProcess(planOf(layout));
        QVERIFY2(wanted.error.empty(), wanted.error.c_str());
        layout.parallel.exchange = Exchange::Server;
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        for (const EventKind kind :
             {EventKind::Loss, EventKind::ValidationLoss, EventKind::GradientNorm, EventKind::LearningRate}) {
            QVERIFY(!wanted.counter(kind).empty());
            QVERIFY2(run.counter(kind) == wanted.counter(kind),
                     qPrintable(QString("seed %1: %2").arg(seed_).arg(int(kind))));
        }
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
            QVERIFY2(run.ranks[rank].parameters == wanted.ranks[rank].parameters,
                     qPrintable(QString("seed %1: rank %2").arg(seed_).arg(rank)));

        // The state is the server's alone, and what is predicted is what is allocated.
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            const bool serves = replicaNumber(plan.mesh, int(rank)) == 0;
            const std::int64_t state = largest(run.ranks[rank], peakKind(MemoryCategory::Optimizer));
            QCOMPARE(state > 0, serves);
            QCOMPARE(state, plan.memory[rank].bytes[std::size_t(MemoryCategory::Optimizer)]);
            const auto predicted = double(plan.memory[rank].peak),
                       peak = double(largest(run.ranks[rank], EventKind::MemoryPeak));
            QVERIFY2(std::abs(peak - predicted) < 0.02 * predicted,
                     qPrintable(QString("rank %1: %2, predicted %3").arg(rank).arg(peak).arg(predicted)));
        }
    }

    /// Every step moves the biases of choices by the load of all replicas, whoever updates the weights.
    void biasesOfChoicesMoveToo() {
        Layout layout = layoutOf(3, 2, 1, "adamw");
        layout.model.kind = ModelKind::LlamaMoe;
        layout.model.experts = {.count = 4, .gate = GateMethod::SigmoidTopK, .capacity = 0, .biasRate = 0.2};
        const auto lossesOf = [](const Layout& trained) {
            const RunOutcome run = runInProcess(planOf(trained));
            if (!run.error.empty()) qWarning("%s", run.error.c_str());
            return run.counter(EventKind::Loss);
        };
        const auto wanted = lossesOf(layout);
        Layout unmoved = layout;
        unmoved.model.experts.biasRate = 0;
        layout.parallel.exchange = Exchange::Server;
        QCOMPARE(wanted.size(), std::size_t(layout.run.steps));
        QVERIFY(lossesOf(unmoved) != wanted);
        QVERIFY2(lossesOf(layout) == wanted, qPrintable(QString("seed %1").arg(seed_)));
    }

    /// All replicas skip the steps that the server's sums tell it to skip, and scale the next alike; whoever had the
    /// first gradient that was not finite tells where.
    void lossScalesToo_data() {
        QTest::addColumn<QString>("scaling");
        QTest::addColumn<double>("scale");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("context");
        QTest::addRow("static") << "static" << 1024.0 << 3 << 1 << 1;
        QTest::addRow("static, too large") << "static" << 16777216.0 << 2 << 1 << 1;
        QTest::addRow("dynamic") << "dynamic" << 16777216.0 << 3 << 1 << 1;
        QTest::addRow("dynamic, a pipeline") << "dynamic" << 16777216.0 << 2 << 2 << 1;
        QTest::addRow("dynamic, a context group") << "dynamic" << 16777216.0 << 2 << 1 << 2;
    }
    void lossScalesToo() {
        QFETCH(QString, scaling);
        QFETCH(double, scale);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, context);
        Layout layout = layoutOf(data, pipeline, 1, "adamw", context);
        layout.precision.compute = NumberFormat::Fp16;
        layout.precision.lossScale = named(scaling);
        layout.precision.scale = scale;
        layout.run.steps = 20;
        const RunOutcome wanted = runInProcess(planOf(layout));
        layout.parallel.exchange = Exchange::Server;
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(wanted.error.empty() && run.error.empty(), (wanted.error + run.error).c_str());
        for (const EventKind kind : {EventKind::Loss, EventKind::GradientNorm, EventKind::LossScale})
            QVERIFY2(run.counter(kind) == wanted.counter(kind),
                     qPrintable(QString("seed %1: %2").arg(seed_).arg(int(kind))));
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            QVERIFY(run.ranks[rank].parameters == wanted.ranks[rank].parameters);
            const auto overflows = [&](const RunOutcome& of) {
                return std::ranges::count(of.ranks[rank].events, EventKind::Overflow, &Event::kind);
            };
            // Where a sum is too large, though no replica's gradient is, the server alone tells.
            const bool serves = replicaNumber(plan.mesh, int(rank)) == 0;
            if (serves) QCOMPARE(overflows(run), overflows(wanted));
            else QVERIFY(overflows(run) <= overflows(wanted));
        }
        QCOMPARE(run.count(EventKind::Overflow) > 0, scale > 1024);
    }

    /// What was predicted is what happens: the same spans, the same bytes over the same links.
    void recordsWhatIsPredicted_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("context");
        QTest::newRow("three replicas") << 3 << 1;
        QTest::newRow("two of two each") << 2 << 2;
    }
    void recordsWhatIsPredicted() {
        QFETCH(int, data);
        QFETCH(int, context);
        Layout layout = layoutOf(data, 2, 1, "adamw", context);
        layout.parallel.exchange = Exchange::Server;
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        TrafficMatrix predicted(headerOf(plan)), measured(headerOf(plan)), withServer(headerOf(plan));
        for (const Event& event : plan.simulation.events) predicted.add(event);
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            const auto counted = [&](EventKind kind, const std::vector<Event>& events) {
                return std::ranges::count_if(events, [&](const Event& event) {
                    return event.kind == kind && event.rank == int(rank) && event.step == 0;
                });
            };
            for (const EventKind kind : {EventKind::PushGradients, EventKind::PullWeights, EventKind::Optimizer,
                                         EventKind::ReduceNorm, EventKind::ReduceTied})
                QCOMPARE(counted(kind, run.ranks[rank].events), counted(kind, plan.simulation.events));
            for (const Event& event : run.ranks[rank].events) {
                if (event.step != 0) continue;
                measured.add(event);
                if (isServerExchange(actionFromId(event.action).kind)) withServer.add(event);
            }
        }
        std::int64_t exchanged = 0;
        for (int from = 0; from < plan.mesh.ranks(); ++from)
            for (int to = 0; to < plan.mesh.ranks(); ++to) {
                QCOMPARE(measured.cell(from, to, TrafficMatrix::Part::All).bytes,
                         predicted.cell(from, to, TrafficMatrix::Part::All).bytes);
                if (plan.mesh.coordinate(from, Axis::Pipeline) != plan.mesh.coordinate(to, Axis::Pipeline)) continue;
                const int replica = replicaNumber(plan.mesh, from), other = replicaNumber(plan.mesh, to);
                const std::int64_t bytes = withServer.cell(from, to, TrafficMatrix::Part::Collectives).bytes;
                QVERIFY2(bytes == 0 || replica == 0 || other == 0, "workers have no link between them");
                exchanged += bytes;
            }
        std::int64_t listed = 0;
        for (const AxisTraffic& axis : plan.traffic)
            if (axis.axis == Axis::Data) listed += axis.bytes;
        QCOMPARE(exchanged, listed);
    }

    /// (n−1)·B/β each way: with twice the workers twice the time, where an all-reduce's share falls.
    void theServersLinkIsTheBottleneck() {
        std::vector<double> seconds;
        for (const int data : {2, 3, 5, 9}) {
            Layout layout = layoutOf(data, 1, 1, "adamw");
            layout.model.hidden = 256;
            layout.batch = {data, 1};
            layout.cluster.pace = PaceSpec{"h100-sxm", 1.0};
            layout.parallel.exchange = Exchange::Server;
            const Plan plan = planOf(layout);
            seconds.push_back(plan.costs.stages[0].push);
            QVERIFY(plan.exposedCommunication > 0);
        }
        for (std::size_t i = 1; i < seconds.size(); ++i) {
            const double ratio = seconds[i] / seconds[i - 1];
            QVERIFY2(ratio > 1.8 && ratio < 2.01, qPrintable(QString::number(ratio)));
        }
    }

    /// Paced, server and workers keep to the predicted times, and the workers wait while the server updates.
    void pacedTimesAreThosePredicted() {
        Layout layout = layoutOf(3, 1, 1, "adamw");
        layout.model = {ModelKind::Gpt, 2, 64, 2, 16, 256, 0.0};
        layout.batch = {6, 1};
        layout.data.validation = 0;
        layout.parallel.exchange = Exchange::Server;
        double error = HUGE_VAL;
        // A machine that is busy otherwise gets a slower pace, beside which its lateness is little.
        for (double seconds = 0.4; seconds < 8 && error > 0.03; seconds *= 2) {
            layout.cluster.pace = PaceSpec{"h100-sxm", seconds};
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            for (const RankOutcome& rank : run.ranks)
                for (const Event& event : rank.events)
                    if (event.kind == EventKind::Step && event.step >= 2)
                        error = std::min(
                            error, std::abs(double(event.end - event.begin) * 1e-9 / plan.simulation.stepSeconds - 1));
        }
        QVERIFY2(error <= 0.03, qPrintable(QString::number(error)));
    }

    void refusesWhatDoesNotGoWithAServer() {
        const auto pointers = [&](const std::function<void(Layout&)>& change) {
            Layout layout = layoutOf(2, 1, 1, "adamw");
            layout.parallel.exchange = Exchange::Server;
            change(layout);
            std::vector<std::string> found;
            if (const auto plan = makePlan(layout); !plan)
                for (const Fault& fault : plan.error()) found.push_back(fault.pointer);
            return found;
        };
        using Pointers = std::vector<std::string>;
        QCOMPARE(pointers([](Layout&) {}), Pointers{});
        QCOMPARE(pointers([](Layout& l) { l.parallel.zero = 1; }), Pointers{"/parallel/zero"});
        QCOMPARE(pointers([](Layout& l) { l.parallel.allReduce = AllReduceKind::Ring; }),
                 Pointers{"/parallel/all_reduce"});
        QCOMPARE(pointers([](Layout& l) {
                     l.schedule.kind = "pipedream";
                     l.optimizer.clip = 0;
                 }),
                 Pointers{"/parallel/exchange"});
        QCOMPARE(pointers([](Layout& l) {
                     l.parallel.data = 1;
                     l.cluster.hosts = {{"localhost", 1}};
                 }),
                 Pointers{"/parallel/exchange"});
    }
};

QTEST_GUILESS_MAIN(ParameterServerTest)
#include "parameter_server_test.moc"
