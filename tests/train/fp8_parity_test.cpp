// SPDX-License-Identifier: Apache-2.0
// Training with products in 8 bits: however the work is split, losses are those of one rank as far as the format goes,
// memory and collectives are the plan's; the loss follows that of bf16; scales survive a checkpoint.
#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/fp8.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/data/text_generator.h"
#include "engine/trace/event/fp8_place.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/expert_models.h"
#include "tests/train/one_rank.h"
#include "tests/train/whole_state.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

using namespace shardlab::test;

namespace {

constexpr int draws = 24;

double last(const std::vector<double>& values) { return values.empty() ? NAN : values.back(); }

/// The mean of the last third: a single step's loss may jump, and does so on one processor and not on the next.
double ending(const std::vector<double>& values) {
    const auto count = static_cast<std::ptrdiff_t>(values.size() / 3);
    return std::accumulate(values.end() - count, values.end(), 0.0) / static_cast<double>(count);
}

}  // namespace

class Fp8ParityTest : public QObject {
    Q_OBJECT

private:
    int below(int n) { return static_cast<int>(random_.below(static_cast<std::uint32_t>(n))); }
    bool coin() { return below(2) == 0; }
    template <class T>
    T one(std::initializer_list<T> of) {
        return of.begin()[below(static_cast<int>(of.size()))];
    }

    Layout small() const {
        Layout layout;
        layout.name = "fp8";
        layout.model = {ModelKind::Gpt, 2, 64, 4, 16, 256, 0.0};
        layout.batch = {8, 2};
        layout.data.kind = DataKind::Text;
        layout.data.path = folder_.filePath("text.txt").toStdString();
        layout.precision.compute = NumberFormat::Bf16;
        layout.run.seed = seed_;
        layout.run.steps = 4;
        layout.run.validateEvery = 0;
        splitOver(layout, {});
        return layout;
    }

    /// A layout of up to eight ranks that is legal.
    Layout drawn() {
        while (true) {
            Layout layout = small();
            layout.model.kind = one({ModelKind::Llama, ModelKind::Gpt, ModelKind::Mlp});
            layout.model.layers = 4;
            layout.precision.compute = one({NumberFormat::Fp32, NumberFormat::Bf16});
            layout.precision.weights = one({WeightStorage::Master, WeightStorage::Fp32});
            layout.precision.gradients = GradientFormat::Fp32;
            layout.precision.products =
                one({ProductFormat::Fp8, ProductFormat::MxFp8, ProductFormat::Fp8Blocks, ProductFormat::Fp8Rows});
            layout.precision.scaling = one({ProductScaling::Current, ProductScaling::Delayed});
            layout.precision.amaxHistory = 1 + below(4);
            layout.precision.margin = below(2);
            const Split split{one({1, 2, 4}), one({1, 2, 4}), one({1, 2}), one({1, 1, 2}), coin(), below(4)};
            if (split.ranks() > 8 || split.ranks() == 1) continue;
            splitOver(layout, split);
            if (split.pipeline > 1) layout.schedule.kind = one({"1f1b", "gpipe", "zb-h1", "zb-greedy"});
            layout.memory.recompute =
                named(one({"none", "none", "selective", "full", "sqrt", "pointwise", "operations", "mlp"}));
            layout.batch = {8, one({1, 2})};
            layout.optimizer.kind = named(one({"adamw", "sgd"}));
            layout.run.validateEvery = one({0, 2});
            layout.run.validationBatches = 1;
            if (check(layout, scheduleMethods()).empty()) return layout;
        }
    }

    /// The same on one rank, with the same microbatches: a tensor's scale is that of its microbatch.
    static Layout alone(Layout layout) {
        const int micro = layout.batch.micro;
        layout = onOneRank(layout);
        layout.batch.micro = micro;
        return layout;
    }

    QTemporaryDir folder_;
    std::int64_t seed_ = freshSeed();
    RandomStream random_{seed_, "fp8"};

private Q_SLOTS:
    void initTestCase() { std::ofstream(folder_.filePath("text.txt").toStdString()) << generateText(seed_, 40'000); }

    void everyDrawFollowsOneRank() {
        for (int draw = 0; draw < draws; ++draw) {
            const Layout layout = drawn();
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan), wanted = runInProcess(planOf(alone(layout)));
            // A sum that rounds the other way can move a code by one, a sixteenth of its number.
            const QString wrong = difference(run, wanted, {6e-3, 0.25});
            if (!wrong.isEmpty()) QFAIL(qPrintable(wrong + '\n' + QString::fromStdString(writeLayout(layout))));
            if (layout.parallel.pipeline == 1) requireMemoryOf(plan, run);
            requireCollectivesOf(plan, run);
            if (!QTest::currentTestFailed()) continue;
            qWarning("%s", writeLayout(layout).c_str());
            return;
        }
    }

    /// 8 bits learn what 16 learn, and not with the same numbers.
    void followsBf16_data() {
        QTest::addColumn<QString>("products");
        QTest::addColumn<QString>("scaling");
        QTest::addRow("current") << "fp8"
                                 << "current";
        QTest::addRow("delayed") << "fp8"
                                 << "delayed";
        QTest::addRow("mxfp8") << "mxfp8"
                               << "current";
        QTest::addRow("fp8-blocks") << "fp8-blocks"
                                    << "current";
        QTest::addRow("fp8-rows") << "fp8-rows"
                                  << "current";
    }
    void followsBf16() {
        QFETCH(QString, products);
        QFETCH(QString, scaling);
        Layout layout = small();
        layout.run.steps = 30;
        layout.optimizer.warmup = 5;
        layout.optimizer.learningRate = 1e-3;
        const std::vector<double> wide = runInProcess(planOf(layout)).counter(EventKind::Loss);
        layout.precision.products = named(products);
        layout.precision.scaling = named(scaling);
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY2(run.error.empty(), run.error.c_str());
        const std::vector<double> narrow = run.counter(EventKind::Loss);
        QVERIFY(narrow != wide);
        const double learned = wide.front() - ending(wide);
        QVERIFY2(learned > 1, qPrintable(QString::number(learned)));
        QVERIFY2(std::abs(ending(narrow) - ending(wide)) < 0.1 * learned,
                 qPrintable(QString("%1, bf16 %2").arg(ending(narrow)).arg(ending(wide))));
        requireEvents(layout, run);
    }

    /// Histories are those of all ranks, so that delayed scales are the same however the work is split.
    void ranksAgreeOnDelayedScales() {
        Layout layout = small();
        layout.precision.compute = NumberFormat::Fp32;
        layout.precision.products = ProductFormat::Fp8;
        layout.precision.scaling = ProductScaling::Delayed;
        layout.precision.amaxHistory = 2;
        const auto scales = [](const RunOutcome& run) {
            std::map<std::pair<int, std::int64_t>, std::set<double>> all;
            for (const RankOutcome& rank : run.ranks)
                for (const Event& event : rank.events)
                    if (event.kind == EventKind::Fp8Scale) all[{event.step, event.bytes}].insert(event.value);
            return all;
        };
        const auto wanted = scales(runInProcess(planOf(layout)));
        splitOver(layout, {2, 2, 2});
        const auto got = scales(runInProcess(planOf(layout)));
        QCOMPARE(got.size(), wanted.size());
        QVERIFY(!wanted.empty());
        for (const auto& [place, values] : got) {
            QCOMPARE(values.size(), std::size_t{1});
            const double theirs = *wanted.at(place).begin();
            QVERIFY2(std::abs(*values.begin() - theirs) <= 0.05 * theirs,
                     qPrintable(QString("%1: %2, one rank %3")
                                    .arg(QString::fromStdString(textOf(fp8PlaceOf(place.second))))
                                    .arg(*values.begin())
                                    .arg(theirs)));
        }
    }

    /// With its scales a run goes on from a checkpoint as if it had not stopped, on other ranks too.
    void checkpointsKeepScales() {
        Layout layout = small();
        layout.precision.products = ProductFormat::Fp8;
        layout.precision.scaling = ProductScaling::Delayed;
        layout.precision.amaxHistory = 4;
        layout.run.steps = 6;
        const std::vector<double> whole = runInProcess(planOf(layout)).counter(EventKind::Loss);
        layout.run.steps = 3;
        layout.checkpoint.every = 3;
        const std::filesystem::path place = folder_.filePath("checkpoints").toStdString();
        std::filesystem::path from;
        const auto prepare = [&](int, TrainerServices& services) {
            if (from.empty()) services.checkpoints = place;
            services.resume = from;
        };
        const RunOutcome first = runInProcess(planOf(layout), {}, prepare);
        QVERIFY2(first.error.empty(), first.error.c_str());
        for (const auto& entry : std::filesystem::directory_iterator(place))
            if (entry.path().filename().string().ends_with("-step-3")) from = entry.path();
        QVERIFY(!from.empty());
        layout.run.steps = 6;
        const RunOutcome second = runInProcess(planOf(layout), {}, prepare);
        QVERIFY2(second.error.empty(), second.error.c_str());
        std::vector<double> both = first.counter(EventKind::Loss);
        for (const double loss : second.counter(EventKind::Loss)) both.push_back(loss);
        QCOMPARE(both, whole);
        splitOver(layout, {2, 2, 1, 1, false, 1});
        const RunOutcome spread = runInProcess(planOf(layout), {}, prepare);
        QVERIFY2(spread.error.empty(), spread.error.c_str());
        QVERIFY(std::abs(last(spread.counter(EventKind::Loss)) - last(whole)) < 6e-3 * last(whole));
    }

    /// Each expert has one history, whoever holds it: in a checkpoint it is nearly that of one rank, from which a run
    /// goes on as if it had not stopped, and on one rank as well.
    void spreadExpertsHaveOneHistory_data() {
        QTest::addColumn<Split>("split");
        QTest::addColumn<int>("expert");
        QTest::addColumn<int>("expertTensor");
        QTest::newRow("two of each") << Split{4} << 2 << 0;
        QTest::newRow("shards") << Split{.data = 2, .zero = 3} << 2 << 0;
        QTest::newRow("stages") << Split{2, 2} << 2 << 0;
        QTest::newRow("within a tensor group") << Split{1, 1, 2} << 2 << 1;
        QTest::newRow("within and across tensor groups") << Split{.data = 2, .tensor = 2, .zero = 1} << 4 << 1;
    }
    void spreadExpertsHaveOneHistory() {
        QFETCH(const Split, split);
        Layout layout = small();
        layout.model = expertModel("softmax-top-k");
        layout.model.dropout = 0;
        layout.precision.compute = NumberFormat::Fp32;
        layout.precision.products = ProductFormat::Fp8;
        layout.precision.scaling = ProductScaling::Delayed;
        layout.precision.amaxHistory = 2;
        layout.checkpoint.every = 3;
        splitOver(layout, split);
        Layout spread = layout;
        QFETCH(const int, expert);
        QFETCH(const int, expertTensor);
        spread.parallel.expert = expert;
        spread.parallel.expertTensor = expertTensor;
        const auto run = [&](Layout of, int steps, const char* place, const std::filesystem::path& from) {
            of.run.steps = steps;
            const RunOutcome outcome = runInProcess(planOf(of), {}, [&](int, TrainerServices& services) {
                services.checkpoints =
                    folder_.filePath(QString::fromUtf8(QTest::currentDataTag()) + place).toStdString();
                services.resume = from;
            });
            if (!outcome.error.empty()) throw std::runtime_error(outcome.error);
            return outcome.counter(EventKind::Loss);
        };
        const auto checkpoint = [&](const char* place) {
            for (const auto& entry : std::filesystem::directory_iterator(
                     folder_.filePath(QString::fromUtf8(QTest::currentDataTag()) + place).toStdString()))
                if (entry.path().filename().string().ends_with("-step-3")) return entry.path();
            throw std::runtime_error("there is no checkpoint of step 3");
        };
        const Layout one = alone(layout);
        run(one, 3, "one", {});
        std::vector<double> both = run(spread, 3, "spread", {});
        const State wanted = gathered(checkpoint("one")), got = gathered(checkpoint("spread"));
        int numbers = 0, near = 0;
        for (const auto& [name, values] : wanted) {
            if (!name.ends_with(" scale")) continue;
            const auto theirs = got.find(name);
            QVERIFY2(theirs != got.end() && theirs->second.size() == values.size(), name.c_str());
            for (std::size_t i = 0; i < values.size(); ++i, ++numbers)
                near += std::abs(theirs->second[i] - values[i]) <= 0.02F * std::abs(values[i]);
        }
        // A sum that rounds the other way can send a token to another expert.
        QVERIFY2(numbers > 8 * 2 * 9 && near >= 0.9 * numbers, qPrintable(QString("%1 of %2").arg(near).arg(numbers)));

        const std::vector<double> whole = run(spread, 5, "whole", {});
        const std::vector<double> onOne = run(one, 5, "rest", checkpoint("spread"));
        for (const double loss : run(spread, 5, "more", checkpoint("spread"))) both.push_back(loss);
        QCOMPARE(both, whole);
        QVERIFY2(std::abs(last(onOne) - last(whole)) < 6e-3 * last(whole),
                 qPrintable(QString("%1, %2").arg(last(onOne)).arg(last(whole))));
    }

    /// Where a stage multiplies what is ten thousand times as large as in the steps before, delayed scales saturate, in
    /// this step alone, and current ones do not.
    void aSpikeSaturatesDelayedScales() {
        Layout layout = small();
        layout.precision.products = ProductFormat::Fp8;
        layout.run.steps = 2;
        layout.precision.scaling = ProductScaling::Delayed;
        const auto saturated = [](const RunOutcome& run, int step) {
            double sum = 0;
            for (const RankOutcome& rank : run.ranks)
                for (const Event& event : rank.events)
                    if (event.kind == EventKind::Fp8Saturated && event.step == step) {
                        const Action action = actionFromId(event.action);
                        if (action.microbatch < 0 || fp8PlaceOf(event.bytes).layer > 1) return double(NAN);
                        sum += event.value;
                    }
            return sum;
        };
        // Scales begin with 1, and a scaled loss has gradients that E5M2 ends before.
        layout.precision.lossScale = LossScaling::Static;
        layout.precision.scale = 16777216;
        const RunOutcome delayed = runInProcess(planOf(layout));
        QVERIFY2(delayed.error.empty(), delayed.error.c_str());
        QVERIFY2(saturated(delayed, 0) > 0, qPrintable(QString::number(saturated(delayed, 0))));
        layout.precision.scaling = ProductScaling::Current;
        const RunOutcome current = runInProcess(planOf(layout));
        QCOMPARE(saturated(current, 0), 0.0);
        QCOMPARE(saturated(current, 1), 0.0);
    }

private:
    /// Each factor of each linear layer has a scale in each step.
    static void requireEvents(const Layout& layout, const RunOutcome& run) {
        std::set<std::tuple<int, std::int64_t>> told;
        for (const Event& event : run.ranks.front().events) {
            if (event.kind != EventKind::Fp8Scale) continue;
            QVERIFY(event.value > 0);
            QVERIFY(told.insert({event.step, event.bytes}).second);
        }
        // Queries, keys and values; their projection; two of the feed-forward block.
        QCOMPARE(told.size(), std::size_t(layout.run.steps * layout.model.layers * 4 * 3));
    }

    static void requireCollectivesOf(const Plan& plan, const RunOutcome& run) {
        using Key = std::tuple<ActionId, EventKind, int, std::int64_t>;
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
            std::map<Key, int> measured, predicted;
            const auto collect = [](const Event& event, std::map<Key, int>& into) {
                if (isTensorCollective(event.kind))
                    ++into[{event.action, event.kind, static_cast<int>(event.value), event.bytes}];
            };
            for (const Event& event : run.ranks[static_cast<std::size_t>(rank)].events)
                if (event.step == 1) collect(event, measured);
            for (const Event& event : plan.simulation.events)
                if (event.rank == rank) collect(event, predicted);
            QVERIFY(measured == predicted);
        }
    }

    /// Without a pipeline, whose messages are held for longer where a neighbour is late.
    static void requireMemoryOf(const Plan& plan, const RunOutcome& run) {
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
            std::int64_t peak = 0;
            for (const Event& event : run.ranks[static_cast<std::size_t>(rank)].events)
                if (event.kind == EventKind::MemoryPeak && event.step == 1) peak = std::max(peak, event.bytes);
            QCOMPARE(peak, plan.memory[static_cast<std::size_t>(rank)].peak);
        }
    }
};

QTEST_GUILESS_MAIN(Fp8ParityTest)
#include "fp8_parity_test.moc"
