// SPDX-License-Identifier: Apache-2.0
// The proof of synchronous training: whatever the layout and the schedule, the losses are those of one rank.
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/validate.h"
#include "engine/layout/data/corpus.h"
#include "engine/layout/data/text_generator.h"
#include "engine/trace/checkpoint/resume.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/one_rank.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <cstring>
#include <fstream>

using namespace shardlab::test;

namespace {

constexpr int globalBatch = 8;
constexpr int steps = 20;

bool equalBits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

class ParityTest : public QObject {
    Q_OBJECT

private:
    /// Split like the layouts; micro 0 = the replica's whole share at once.
    Layout layoutOf(const QString& model, const QString& optimizer, int data, int pipeline, const char* schedule,
                    int micro) {
        Layout layout;
        layout.name = "parity";
        layout.model = {named(model), 4, 16, 2, 16, 256, 0.0};
        layout.data.kind = DataKind::Text;
        layout.data.path = folder_.filePath("text.txt").toStdString();
        splitOver(layout, {data, pipeline});
        layout.schedule.kind = schedule;
        layout.batch = {globalBatch, micro > 0 ? micro : globalBatch / data};
        if (optimizer == "adamw") {
            layout.optimizer.kind = OptimizerKind::AdamW;
            layout.optimizer.learningRate = 3e-3;
        } else {
            layout.optimizer.kind = OptimizerKind::Sgd;
            layout.optimizer.learningRate = 0.05;
            layout.optimizer.momentum = 0.9;
            layout.optimizer.weightDecay = 0.01;
        }
        layout.run = {steps, seed_, 10, 2};
        return layout;
    }

    void requireReplicasEqual(const RunOutcome& run, const Mesh& mesh) {
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            const int first = mesh.group(rank, Axis::Data).front();
            const auto& mine = run.ranks[static_cast<std::size_t>(rank)].parameters;
            const auto& theirs = run.ranks[static_cast<std::size_t>(first)].parameters;
            QCOMPARE(mine.size(), theirs.size());
            for (const auto& [name, values] : mine)
                QVERIFY2(
                    equalBits(values, theirs.at(name)),
                    qPrintable(QString("%1 differs between ranks %2 and %3").arg(name.c_str()).arg(rank).arg(first)));
        }
    }

    /// The embedding's two copies, on first and last stage, stay one weight.
    void requireTiedEqual(const RunOutcome& run) {
        std::map<std::string, const std::vector<float>*> byName;
        for (const RankOutcome& rank : run.ranks)
            for (const auto& [key, values] : rank.parameters) {
                const auto [entry, added] = byName.try_emplace(key.substr(key.find('/') + 1), &values);
                QVERIFY2(added || equalBits(values, *entry->second), (entry->first + " has two values").c_str());
            }
    }

    QTemporaryDir folder_;
    std::int64_t seed_ = 0;
    OneRank oneRank_;

private Q_SLOTS:
    void initTestCase() {
        seed_ = freshSeed();
        std::ofstream(folder_.filePath("text.txt").toStdString()) << generateText(seed_, 40'000);
    }

    void referenceLearns() {
        for (const char* model : {"gpt", "mlp"})
            for (const char* optimizer : {"adamw", "sgd"}) {
                const RunOutcome& run = oneRank_.trained(layoutOf(model, optimizer, 1, 1, "naive", 0));
                QVERIFY2(run.error.empty(), run.error.c_str());
                const std::vector<double> losses = run.counter(EventKind::Loss);
                QCOMPARE(losses.size(), std::size_t{steps});
                QCOMPARE(run.counter(EventKind::ValidationLoss).size(), std::size_t{2});
                QVERIFY2(losses.front() > 5.0 && losses.front() < 6.5, "the first loss is near ln 256 = 5.5");
                QVERIFY2(losses.back() < losses.front() - 0.5, qPrintable(QString::number(losses.back())));
            }
    }

    void everyLayoutEqualsOneRank_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("micro");
        const std::pair<int, int> shapes[] = {{1, 1}, {2, 1}, {4, 1}, {1, 2}, {1, 4}, {2, 2}, {2, 4}};
        for (const char* model : {"gpt", "mlp"})
            for (const char* optimizer : {"adamw", "sgd"})
                for (const auto& [data, pipeline] : shapes)
                    for (const char* schedule : {"naive", "gpipe", "1f1b"})
                        for (const int micro : {0, 1})
                            QTest::addRow("%s %s data %d pipeline %d %s %s", model, optimizer, data, pipeline, schedule,
                                          micro == 0 ? "one microbatch" : "accumulating")
                                << model << optimizer << data << pipeline << schedule << micro;
    }
    void everyLayoutEqualsOneRank() {
        QFETCH(QString, model);
        QFETCH(QString, optimizer);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(QString, schedule);
        QFETCH(int, micro);
        const Plan plan = planOf(layoutOf(model, optimizer, data, pipeline, schedule.toLatin1().constData(), micro));
        const RunOutcome run = runInProcess(plan);
        oneRank_.requireEqual(plan.layout, run);
        requireReplicasEqual(run, plan.mesh);
        requireTiedEqual(run);
        QCOMPARE(run.count(EventKind::ReplicasThatDiffer), data > 1 ? pipeline : 0);
        for (const double differ : run.counter(EventKind::ReplicasThatDiffer)) QCOMPARE(differ, 0.0);
    }

    /// A replica that went on from a checkpoint of another training stays apart: gradients alone are averaged.
    void aReplicaThatDiffersIsTold() {
        Layout layout = layoutOf("gpt", "sgd", 1, 2, "1f1b", 1);
        layout.run.steps = layout.checkpoint.every = 2;
        std::string whole, other;
        for (std::string* checkpoint : {&whole, &other}) {
            layout.checkpoint.path = folder_.filePath(checkpoint == &whole ? "whole" : "other").toStdString();
            layout.optimizer.learningRate /= 2;
            const RunOutcome run = runInProcess(planOf(layout), {}, [&](int, TrainerServices& services) {
                services.checkpoints = layout.checkpoint.path;
            });
            QVERIFY2(run.error.empty(), run.error.c_str());
            *checkpoint = newestWhole(layout.checkpoint.path)->string();
        }
        splitOver(layout, {3, 2});
        layout.batch = {6, 1};
        layout.run.steps = 4;
        layout.checkpoint.every = 0;
        const Plan plan = planOf(layout);
        const Mesh& mesh = plan.mesh;
        for (const bool apart : {false, true}) {
            const RunOutcome run = runInProcess(plan, {}, [&](int rank, TrainerServices& services) {
                services.resume = apart && mesh.coordinate(rank, Axis::Data) == 1 ? other : whole;
            });
            QVERIFY2(run.error.empty(), run.error.c_str());
            QCOMPARE(run.count(EventKind::ReplicasThatDiffer), 2);  // of each stage, its first replica's
            QCOMPARE(run.counter(EventKind::ReplicasThatDiffer), std::vector<double>{apart ? 1.0 : 0.0});
        }
    }

    /// The place in the data is told with each step.
    void epochsAndSamplesAreCounted() {
        const Layout layout = layoutOf("mlp", "sgd", 2, 1, "1f1b", 1);
        const RunOutcome run = runInProcess(planOf(layout));
        const auto corpus = Corpus::load(layout);
        QVERIFY(corpus);
        std::vector<double> epochs, samples;
        for (int step = 1; step <= steps; ++step) {
            samples.push_back(step * globalBatch);
            epochs.push_back(samples.back() / double(corpus->trainWindows()));
        }
        QCOMPARE(run.counter(EventKind::Samples), samples);
        QCOMPARE(run.counter(EventKind::Epochs), epochs);
    }

    /// Layers of different width, and stages of different length: every layer keeps its own width wherever it lives.
    void mixedWidthsEqualOneRank() {
        for (const char* model : {"gpt", "mlp"}) {
            for (const auto& [data, pipeline, stages] :
                 {std::tuple(1, 2, std::vector{1, 3}), std::tuple(2, 2, std::vector{3, 1}),
                  std::tuple(1, 4, std::vector<int>{})}) {
                Layout layout = layoutOf(model, "adamw", data, pipeline, "1f1b", 1);
                const std::vector<double> plain = oneRank_.trained(layout).counter(EventKind::Loss);
                layout.model.feedForward = {96, 7, 33, 64};
                layout.schedule.stages = stages;
                QVERIFY(oneRank_.trained(layout).counter(EventKind::Loss) != plain);
                oneRank_.requireEqual(layout);
            }
        }
    }

    /// Without clipping no norm hides a wrong factor: a sum instead of an average would double the first step.
    void accumulationAveragesWithoutClipping() {
        for (const auto& [data, pipeline] : {std::pair(1, 1), std::pair(2, 2)}) {
            Layout layout = layoutOf("gpt", "sgd", data, pipeline, "1f1b", 2);
            layout.optimizer.clip = 0;
            QVERIFY(oneRank_.trained(layout).counter(EventKind::GradientNorm).empty());
            oneRank_.requireEqual(layout);
        }
    }

    void repeatedRunIsBitIdentical() {
        const Plan plan = planOf(layoutOf("gpt", "adamw", 2, 2, "1f1b", 1));
        const RunOutcome one = runInProcess(plan), two = runInProcess(plan);
        QVERIFY2(one.error.empty() && two.error.empty(), (one.error + two.error).c_str());
        QVERIFY(one.counter(EventKind::Loss) == two.counter(EventKind::Loss));
        QVERIFY(one.counter(EventKind::ValidationLoss) == two.counter(EventKind::ValidationLoss));
        for (std::size_t rank = 0; rank < one.ranks.size(); ++rank)
            for (const auto& [name, values] : one.ranks[rank].parameters)
                QVERIFY2(equalBits(values, two.ranks[rank].parameters.at(name)), name.c_str());
    }

    /// A schedule no generator knows: 1F1B with each backward split, the weight gradients put off to the end.
    void handWrittenSplitEqualsToo_data() {
        QTest::addColumn<bool>("putOff");
        QTest::newRow("I then W") << false;
        QTest::newRow("all W last") << true;
    }
    void handWrittenSplitEqualsToo() {
        QFETCH(bool, putOff);
        Plan plan = planOf(layoutOf("gpt", "adamw", 2, 2, "1f1b", 1));
        plan.compute.kind = "custom";
        for (auto& actions : plan.compute.ranks) {
            std::vector<Action> split, last;
            for (Action action : actions) {
                const bool backward = action.kind == ActionKind::Backward;
                if (backward) action.kind = ActionKind::InputGrad;
                split.push_back(action);
                action.kind = ActionKind::WeightGrad;
                if (backward) (putOff ? last : split).push_back(action);
            }
            split.insert(split.end(), last.begin(), last.end());
            actions = split;
        }
        plan.lowered = lower(plan.compute, {true, true, true});
        const Status valid = validate(plan.lowered);
        QVERIFY2(valid.has_value(), valid ? "" : valid.error().text().c_str());
        const RunOutcome run = runInProcess(plan);
        oneRank_.requireEqual(plan.layout, run);
        QVERIFY(run.count(EventKind::WeightGrad) == 4 * 4 * steps && run.count(EventKind::Backward) == 0);
    }

    /// Two stages on each rank, stage s on rank s mod 2: messages travel round, neighbours on one rank by hand.
    void severalStagesOnARankEqualToo() {
        for (const std::vector<int>& rankOfStage : {std::vector<int>{0, 1, 0, 1}, std::vector<int>{0, 0, 1, 1}}) {
            Plan plan = planOf(layoutOf("gpt", "adamw", 1, 2, "gpipe", 2));
            plan.layout.schedule.stages = {1, 1, 1, 1};
            plan.costs.stages.resize(4, plan.costs.stages.back());
            plan.compute.kind = "custom";
            plan.compute.rankOfStage = rankOfStage;
            for (int rank = 0; rank < 2; ++rank) {
                std::vector<Action>& actions = plan.compute.ranks[static_cast<std::size_t>(rank)];
                actions.clear();
                for (int stage = 0; stage < 4; ++stage)
                    for (int j = 0; j < 4; ++j)
                        if (rankOfStage[static_cast<std::size_t>(stage)] == rank)
                            actions.push_back({ActionKind::Forward, stage, j});
                for (int stage = 3; stage >= 0; --stage)
                    for (int j = 0; j < 4; ++j)
                        if (rankOfStage[static_cast<std::size_t>(stage)] == rank)
                            actions.push_back({ActionKind::Backward, stage, j});
            }
            plan.lowered = lower(plan.compute, {false, true, true});
            const RunOutcome run = runInProcess(plan);
            oneRank_.requireEqual(plan.layout, run);
            requireTiedEqual(run);
        }
    }
};

QTEST_GUILESS_MAIN(ParityTest)
#include "parity_test.moc"
