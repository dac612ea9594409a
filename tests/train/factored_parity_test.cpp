// SPDX-License-Identifier: Apache-2.0
// Runs with Adafactor and SM3: whatever the layout, the losses, the memory and the collectives are those that one rank
// and the plan have, and any layout goes on from any other's checkpoint.
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/layout/data/text_generator.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/one_rank.h"
#include "tests/train/steady_updates.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstring>
#include <fstream>
#include <tuple>

using namespace shardlab::test;

namespace {

constexpr int steps = 20;
constexpr const char* optimizers[] = {"adafactor", "sm3"};

const std::pair<const char*, Split> splits[] = {
    {"data 2", {2}},
    {"pipeline 2", {1, 2}},
    {"tensor 2", {1, 1, 2}},
    {"tensor 2, sequence", {.tensor = 2, .sequence = true}},
    {"tensor 4", {1, 1, 4}},
    {"pipeline 4 × tensor 2", {1, 4, 2}},
    {"data 2 × pipeline 2 × tensor 2, sequence", {2, 2, 2, 1, true}},
    {"data 2, ZeRO 3 by layers", {.data = 2, .zero = 3}},
    {"data 2 × pipeline 2 × tensor 2, ZeRO 3 by layers", {2, 2, 2, 1, false, 3}},
};

}  // namespace

class FactoredParityTest : public QObject {
    Q_OBJECT

    Layout layoutOf(const std::string& model, const std::string& optimizer, const Split& split) const {
        Layout layout;
        layout.model = {named(model), 4, 16, 4, 16, 259, 0};
        layout.data.kind = DataKind::Text;
        layout.data.path = folder_.filePath("text.txt").toStdString();
        splitOver(layout, split);
        if (split.zero == 3) layout.parallel.partition = PartitionKind::Layers;
        layout.batch = {8, 1};
        layout.optimizer.kind = named(optimizer);
        steadyUpdates(layout.optimizer);
        layout.optimizer.warmup = 2;
        if (optimizer == "sm3") layout.optimizer.momentum = model == "gpt" ? 0.9 : 0;
        layout.run = {steps, seed_, 10, 1};
        return layout;
    }

    /// Replicas, and the two copies of the token embedding, hold the same bits.
    void requireCopiesEqual(const RunOutcome& run) const {
        std::map<std::tuple<std::string, int>, const std::vector<float>*> first;
        for (const RankOutcome& rank : run.ranks)
            for (const auto& [key, values] : rank.parameters) {
                const Slice& slice = rank.slices.at(key);
                const std::string name = key.substr(key.find('/') + 1);
                const auto [entry, added] = first.try_emplace({name, slice.part}, &values);
                QVERIFY2(added ||
                             (values.size() == entry->second->size() &&
                              std::memcmp(values.data(), entry->second->data(), values.size() * sizeof(float)) == 0),
                         (name + " has two values").c_str());
            }
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
    OneRank oneRank_;

private Q_SLOTS:
    void initTestCase() {
        seed_ = freshSeed();
        std::ofstream(folder_.filePath("text.txt").toStdString()) << generateText(seed_, 40'000);
    }

    void bothLearn() {
        for (const char* model : {"gpt", "mlp"})
            for (const char* optimizer : optimizers) {
                const RunOutcome& run = oneRank_.trained(layoutOf(model, optimizer, {}));
                QVERIFY2(run.error.empty(), run.error.c_str());
                const std::vector<double> losses = run.counter(EventKind::Loss);
                QCOMPARE(losses.size(), std::size_t{steps});
                QVERIFY2(losses.back() < losses.front() - 0.1,
                         qPrintable(QString("%1 %2").arg(optimizer).arg(losses.back())));
            }
    }

    void everyLayoutEqualsOneRank_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<int>("split");
        for (const char* model : {"gpt", "mlp"})
            for (const char* optimizer : optimizers)
                for (int i = 0; i < int(std::size(splits)); ++i)
                    QTest::addRow("%s %s %s", model, optimizer, splits[i].first) << model << optimizer << i;
    }
    void everyLayoutEqualsOneRank() {
        QFETCH(QString, model);
        QFETCH(QString, optimizer);
        QFETCH(int, split);
        const bool byLayers = splits[split].second.zero == 3;
        const Plan plan = planOf(layoutOf(model.toStdString(), optimizer.toStdString(), splits[split].second));
        const RunOutcome run = runInProcess(plan);
        oneRank_.requireEqual(plan.layout, run);
        if (!byLayers) requireCopiesEqual(run);
        // Memory to the byte, where all replicas hold alike.
        for (std::size_t rank = 0; rank < run.ranks.size() && !byLayers; ++rank)
            QCOMPARE(plan.memory[rank].bytes[std::size_t(MemoryCategory::Optimizer)],
                     largest(run.ranks[rank], peakKind(MemoryCategory::Optimizer)));
    }

    /// n + m numbers instead of 2·n·m: by hand for one rank of the gpt.
    void memoryIsThatOfRowsAndColumns() {
        const std::int64_t h = 16, s = 16, v = 259;
        const std::int64_t block = (h + 3 * h) + 3 * h + (h + h) + h + (h + 4 * h) + 4 * h + (4 * h + h) + h + 4 * h;
        const std::int64_t numbers = (v + h) + (s + h) + 4 * block + 2 * h;
        const std::int64_t tensors = 2 + 4 * 12 + 2;
        const auto bytes = [&](const char* optimizer) {
            Layout layout = layoutOf("gpt", optimizer, {});
            layout.optimizer.momentum = 0;
            return planOf(layout).memory[0].bytes[std::size_t(MemoryCategory::Optimizer)];
        };
        QCOMPARE(bytes("adafactor"), 4 * (numbers + 2 * tensors));
        QCOMPARE(bytes("sm3"), 4 * numbers);
        QVERIFY(bytes("adafactor") * 10 < bytes("adamw"));
    }

    /// Every collective of an update that plan names is a span of the run, within its action.
    void collectivesOfUpdatesAreThoseOfThePlan_data() {
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<bool>("paced");
        for (const char* optimizer : optimizers)
            for (const bool paced : {false, true})
                QTest::addRow("%s %s", optimizer, paced ? "paced" : "full speed") << optimizer << paced;
    }
    void collectivesOfUpdatesAreThoseOfThePlan() {
        QFETCH(QString, optimizer);
        QFETCH(bool, paced);
        Layout layout = layoutOf("gpt", optimizer.toStdString(), {1, 2, 2});
        layout.run.steps = 2;
        layout.run.validateEvery = 0;
        if (paced) layout.cluster.pace = PaceSpec{"h100-sxm", 1.0};
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        const bool told = std::ranges::any_of(plan.traffic, [](const AxisTraffic& traffic) {
            return traffic.axis == Axis::Tensor && traffic.what.english().find("rows and columns") != std::string::npos;
        });
        QVERIFY(told);
        using Key = std::tuple<ActionId, EventKind, int, std::int64_t>;
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
            std::map<Key, int> measured, predicted;
            const auto collect = [](const Event& event, std::map<Key, int>& into) {
                if (isTensorCollective(event.kind))
                    ++into[{event.action, event.kind, static_cast<int>(event.value), event.bytes}];
            };
            const Event* update = nullptr;
            for (const Event& event : run.ranks[std::size_t(rank)].events) {
                if (event.step != 1) continue;
                collect(event, measured);
                if (event.kind == EventKind::Optimizer) update = &event;
            }
            QVERIFY(update);
            for (const Event& event : plan.simulation.events)
                if (event.rank == rank) collect(event, predicted);
            QVERIFY2(measured == predicted, qPrintable(QString("rank %1").arg(rank)));
            // The tied embedding's by themselves, and those of all else; Adafactor's norms likewise.
            const auto ofUpdate = std::ranges::count_if(
                predicted, [&](const auto& entry) { return std::get<0>(entry.first) == update->action; });
            QCOMPARE(ofUpdate, optimizer == "adafactor" ? 4 : 2);
        }
    }

    void checkpointsReshard_data() {
        QTest::addColumn<QString>("optimizer");
        for (const char* optimizer : optimizers) QTest::newRow(optimizer) << optimizer;
    }
    void checkpointsReshard() {
        QFETCH(QString, optimizer);
        const std::string kind = optimizer.toStdString();
        const Split one, tensor{1, 1, 2}, mixed{2, 2, 2, 1, true}, layers{.data = 2, .zero = 3};
        const std::vector<double> straight = oneRank_.trained(layoutOf("gpt", kind, {})).counter(EventKind::Loss);
        for (const auto& [from, to] : {std::pair(tensor, one), std::pair(one, tensor), std::pair(mixed, one),
                                       std::pair(layers, tensor), std::pair(tensor, mixed)}) {
            QTemporaryDir folder, rest;
            Layout layout = layoutOf("gpt", kind, from);
            layout.run.steps = steps / 2;
            layout.checkpoint.every = steps / 2;
            const RunOutcome first = keep(layout, folder);
            QVERIFY2(first.error.empty(), first.error.c_str());
            const auto newest = findCheckpoint(folder.path().toStdString());
            QVERIFY(newest.has_value());
            const RunOutcome second = keep(layoutOf("gpt", kind, to), rest, *newest);
            QVERIFY2(second.error.empty(), second.error.c_str());
            const QString wrong =
                difference(second.counter(EventKind::Loss), {straight.begin() + steps / 2, straight.end()}, 1e-5);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
    }

    void whatIsStagedStandsInTheLedger() {
        for (const char* optimizer : optimizers)
            for (const Split& split : {Split{}, Split{2, 2}, Split{2, 1, 2}}) {
                QTemporaryDir folder;
                Layout layout = layoutOf("gpt", optimizer, split);
                layout.run.steps = 2;
                const auto buffers = [](const RankOutcome& rank) {
                    std::int64_t bytes = 0;
                    for (const Event& event : rank.events)
                        if (event.kind == memoryKind(MemoryCategory::Buffers) && event.step < 0) bytes = event.bytes;
                    return bytes;
                };
                const Plan without = planOf(layout);
                const RunOutcome plain = keep(layout, folder);
                layout.checkpoint.every = 1;
                const Plan with = planOf(layout);
                const RunOutcome taking = keep(layout, folder);
                QVERIFY2(plain.error.empty() && taking.error.empty(), (plain.error + taking.error).c_str());
                for (std::size_t rank = 0; rank < taking.ranks.size(); ++rank) {
                    const auto category = static_cast<std::size_t>(MemoryCategory::Buffers);
                    QCOMPARE(buffers(taking.ranks[rank]) - buffers(plain.ranks[rank]),
                             with.memory[rank].bytes[category] - without.memory[rank].bytes[category]);
                }
            }
    }

    /// A step that is left out leaves weights and state as they were: master weights and the scale as with AdamW.
    void overflowsAreLeftOut() {
        for (const char* optimizer : optimizers) {
            const auto trained = [&](double scale, const Split& split) {
                Layout layout = layoutOf("gpt", optimizer, split);
                layout.precision = {NumberFormat::Fp16,
                                    WeightStorage::Master,
                                    GradientFormat::Compute,
                                    ProductFormat::Compute,
                                    LossScaling::Dynamic,
                                    scale,
                                    200};
                return runInProcess(planOf(layout));
            };
            const RunOutcome wanted = trained(1024, {}), left = trained(16777216, {1, 2, 2});
            QVERIFY2(wanted.error.empty() && left.error.empty(), (wanted.error + left.error).c_str());
            QCOMPARE(wanted.count(EventKind::Overflow), 0);
            QVERIFY(left.count(EventKind::Overflow) > 0);
            const std::vector<double> losses = left.counter(EventKind::Loss);
            QVERIFY(std::ranges::all_of(losses, [](double loss) { return std::isfinite(loss); }));
            QVERIFY(losses.back() < losses.front() - 0.05);
        }
    }
};

QTEST_GUILESS_MAIN(FactoredParityTest)
#include "factored_parity_test.moc"
