// SPDX-License-Identifier: Apache-2.0
// The proof of models with experts: whatever the layout and the schedule, losses, loads and drops are those of one
// rank. The group whose tokens compete for places is a sample, noise follows the sample's number, and so does dropout:
// nothing depends on how the batch is split. A token that stands between two experts may go either way where sums round
// otherwise: a row that differs is tried once more with another seed, and must be right then.
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/layout/data/text_generator.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/expert_models.h"
#include "tests/train/outcomes.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <map>
#include <numeric>

using namespace shardlab::test;

namespace {

constexpr int globalBatch = 8;
constexpr int steps = 8;
struct Split {
    const char* schedule = "naive";
    int data = 1;
    int pipeline = 1;
    int micro = globalBatch;
    int zero = 0;
    const char* recompute = "none";
    const char* partition = "flat";
};

double total(const std::map<std::pair<int, std::int64_t>, double>& all) {
    double sum = 0;
    for (const auto& [key, value] : all) sum += value;
    return sum;
}

}  // namespace

class ExpertsParityTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(const std::string& gate, const Split& split) {
        Layout layout;
        layout.name = "experts";
        layout.model = expertModel(gate);
        layout.data.kind = DataKind::Text;
        layout.data.path = folder_.filePath("text.txt").toStdString();
        layout.cluster.hosts = {{"localhost", split.data * split.pipeline}};
        layout.parallel.data = split.data;
        layout.parallel.pipeline = split.pipeline;
        layout.parallel.zero = split.zero;
        layout.parallel.partition = named(split.partition);
        layout.schedule.kind = split.schedule;
        if (std::string_view(split.schedule) == "interleaved-1f1b") layout.schedule.chunks = 2;
        layout.memory.recompute = named(split.recompute);
        layout.batch = {globalBatch, split.micro};
        layout.optimizer.kind = OptimizerKind::Sgd;
        layout.optimizer.learningRate = 0.05;
        layout.optimizer.warmup = 0;
        layout.optimizer.momentum = 0.9;
        layout.run = {steps, seed_, 4, 1};
        return layout;
    }

    RunOutcome runOf(const std::string& gate, const Split& split) {
        return runInProcess(planOf(layoutOf(gate, split)));
    }

    /// Empty: equal.
    QString differs(const RunOutcome& run, const RunOutcome& reference) {
        const QString wrong = expertsDiffer(run, reference);
        return wrong.isEmpty() ? wrong : QString("seed %1, %2").arg(seed_).arg(wrong);
    }

    const RunOutcome& reference(const std::string& gate) {
        auto [entry, added] = references_.try_emplace({gate, seed_});
        if (added) entry->second = runOf(gate, {});
        return entry->second;
    }

    void newSeed() {
        seed_ = freshSeed();
        std::ofstream(folder_.filePath("text.txt").toStdString()) << generateText(seed_, 20'000);
    }

    /// compare() tells what differs; once more where it does.
    template <class Compare>
    void requireEqual(Compare compare) {
        QString wrong = compare();
        if (!wrong.isEmpty()) {
            qInfo("%s; with another seed", qPrintable(wrong));
            newSeed();
            wrong = compare();
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    QTemporaryDir folder_;
    std::int64_t seed_ = 0;
    std::map<std::pair<std::string, std::int64_t>, RunOutcome> references_;

private Q_SLOTS:
    void initTestCase() { newSeed(); }

    /// Every token chooses, experts that are full send some away, and where they choose none is.
    void loadsAreTold_data() {
        QTest::addColumn<QString>("gate");
        for (const char* gate : gatesOfGpts) QTest::newRow(gate) << gate;
        for (const char* gate : gatesOfToday) QTest::newRow(gate) << gate;
    }
    void loadsAreTold() {
        QFETCH(QString, gate);
        constexpr double tokens = 16.0 * globalBatch;
        const RunOutcome& run = reference(gate.toStdString());
        QVERIFY2(run.error.empty(), run.error.c_str());
        const ModelSpec model = expertModel(gate.toStdString());
        const auto asked = loads(run, EventKind::ExpertLoad), dropped = loads(run, EventKind::ExpertDropped);
        const int layers = layersWithExperts(model), experts = model.experts.count;
        QCOMPARE(asked.size(), std::size_t(steps * layers * experts));
        for (const auto& [key, value] : asked) {
            const ExpertOfLayer of = expertOf(key.second);
            QVERIFY(hasExperts(model, of.layer) && of.expert >= 0 && of.expert < experts);
        }
        const bool choose = expertsChoose(model);
        const double all = steps * layers * tokens * expertsPerToken(model) * (choose ? 1.25 : 1);
        if (gate == "gshard")
            QVERIFY2(total(asked) > 0.55 * all && total(asked) < 0.999 * all,
                     qPrintable(QString("%1 of %2").arg(total(asked)).arg(all)));
        else QCOMPARE(total(asked), all);
        if (choose || dropless(model)) QCOMPARE(total(dropped), 0.0);
        else QVERIFY(total(dropped) > 0 && total(dropped) < total(asked));
        QCOMPARE(loads(run, EventKind::UntakenTokens).size(), std::size_t(choose ? steps * layers : 0));
        for (const auto& [key, most] : loads(run, EventKind::ExpertsOfToken)) QVERIFY(most >= 2 && most <= experts);
        for (const auto& [key, untaken] : loads(run, EventKind::UntakenTokens)) {
            const double taken = tokens - untaken, most = loads(run, EventKind::ExpertsOfToken).at(key);
            QVERIFY2(untaken >= 0 && taken * most >= tokens * 1.25 && taken <= tokens, qPrintable(gate));
        }
        const bool capped = capsTokens(model);
        QCOMPARE(loads(run, EventKind::AssignmentRounds).size(), std::size_t(capped ? steps * layers : 0));
        const std::vector<double> losses = run.counter(EventKind::Loss);
        QVERIFY2(losses.back() < losses.front() - 0.05,
                 qPrintable(QString("%1 to %2").arg(losses.front()).arg(losses.back())));
    }

    void everyLayoutEqualsOneRank_data() {
        QTest::addColumn<QString>("gate");
        QTest::addColumn<int>("split");
        const auto add = [&](const char* gate, int i) {
            const Split& s = splits[std::size_t(i)];
            QTest::addRow("%s %s data %d pipeline %d micro %d zero %d %s %s", gate, s.schedule, s.data, s.pipeline,
                          s.micro, s.zero, s.partition, s.recompute)
                << gate << i;
        };
        for (const char* gate : gatesOfGpts)
            for (int i = 0; i < int(splits.size()); ++i) add(gate, i);
        RandomStream random(freshSeed(), "splits");
        for (const char* gate : gatesOfToday)
            for (const int i : someOf(random, int(splits.size()), 5)) add(gate, i);
    }
    void everyLayoutEqualsOneRank() {
        QFETCH(QString, gate);
        QFETCH(int, split);
        requireEqual([&] {
            const RunOutcome& wanted = reference(gate.toStdString());
            return differs(runOf(gate.toStdString(), splits[std::size_t(split)]), wanted);
        });
    }

    /// Whatever replicas exchange, each choice is told once, and the ledger knows what each rank holds.
    void exchangesToo_data() {
        QTest::addColumn<QString>("exchange");
        for (const char* exchange : {"server", "async-server", "easgd"}) QTest::newRow(exchange) << exchange;
    }
    void exchangesToo() {
        QFETCH(QString, exchange);
        requireEqual([&]() -> QString {
            Layout layout = layoutOf("switch", {"1f1b", 2, 1, 2});
            layout.parallel.exchange = named(exchange);
            if (exchange == "easgd") layout.optimizer.momentum = 0;
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            if (!run.error.empty()) return QString::fromStdString(run.error);
            if (const double asked = total(loads(run, EventKind::ExpertLoad)); asked != steps * 2 * 16.0 * globalBatch)
                return QString("%1 choices").arg(asked);
            for (const RankOutcome& rank : run.ranks) {
                const auto number = std::size_t(&rank - run.ranks.data());
                std::int64_t most = 0;
                for (const Event& event : rank.events)
                    if (event.kind == EventKind::MemoryPeak) most = std::max(most, event.bytes);
                if (most != plan.memory[number].peak)
                    return QString("rank %1 held %2 instead of %3 bytes")
                        .arg(number)
                        .arg(most)
                        .arg(plan.memory[number].peak);
            }
            return exchange == "server" ? differs(run, reference("switch")) : QString();
        });
    }

    /// Any layout goes on from any other's checkpoint.
    void checkpointsReshard() {
        const auto keep = [&](const Layout& layout, const QTemporaryDir& folder,
                              const std::filesystem::path& from = {}) {
            return runInProcess(planOf(layout), {}, [&](int, TrainerServices& services) {
                services.checkpoints = folder.path().toStdString();
                services.resume = from;
            });
        };
        for (const auto& [from, to] :
             {std::pair(Split{"1f1b", 1, 2, 2}, Split{}), std::pair(Split{}, Split{"1f1b", 2, 2, 1, 3})})
            requireEqual([&, from = from, to = to]() -> QString {
                QTemporaryDir folder, rest;
                Layout layout = layoutOf("noisy-top-k", from);
                const std::vector<double> straight = reference("noisy-top-k").counter(EventKind::Loss);
                layout.run.steps = steps / 2;
                layout.checkpoint.every = steps / 2;
                const RunOutcome first = keep(layout, folder);
                if (!first.error.empty()) return QString::fromStdString(first.error);
                const auto newest = findCheckpoint(folder.path().toStdString());
                if (!newest) return QStringLiteral("no checkpoint");
                const RunOutcome second = keep(layoutOf("noisy-top-k", to), rest, *newest);
                if (!second.error.empty()) return QString::fromStdString(second.error);
                return difference(second.counter(EventKind::Loss), {straight.begin() + steps / 2, straight.end()},
                                  1e-5);
            });
    }

    /// The loss evens out the load: of the same model, with and without it.
    void balanceEvensTheLoad_data() {
        QTest::addColumn<QString>("gate");
        QTest::newRow("switch") << "switch";
        QTest::newRow("noisy top k") << "noisy-top-k";
        QTest::newRow("hierarchical") << "hierarchical";
        QTest::newRow("gshard") << "gshard";
    }
    void balanceEvensTheLoad() {
        QFETCH(QString, gate);
        const auto unevenness = [&](double weight) {
            Layout layout = layoutOf(gate.toStdString(), {});
            layout.model.experts.balance = weight;
            layout.model.dropout = layout.model.experts.dropout = 0;
            layout.optimizer.kind = OptimizerKind::AdamW;
            layout.optimizer.learningRate =
                gate == "switch" || gate == "gshard" ? 5e-4 : 5e-3;  // noise evens out what has hardly learned
            layout.run.steps = 60;
            const RunOutcome run = runInProcess(planOf(layout));
            std::vector<double> late;
            for (const auto& [key, value] : loads(run, EventKind::ExpertLoad))
                if (key.first >= 40) late.push_back(value);
            const auto count = static_cast<double>(late.size());
            const double even = std::accumulate(late.begin(), late.end(), 0.0) / count;
            double squares = 0;
            for (const double value : late) squares += (value / even - 1) * (value / even - 1) / count;
            return squares;
        };
        const double without = unevenness(0), with = unevenness(0.1);
        QVERIFY2(with < 0.5 * without,
                 qPrintable(QString("seed %1: %2 without, %3 with").arg(seed_).arg(without).arg(with)));
    }

private:
    const std::vector<Split> splits{{"naive", 1, 1, 1},
                                    {"gpipe", 1, 2, 2},
                                    {"1f1b", 1, 4, 1},
                                    {"1f1b", 2, 2, 2},
                                    {"1f1b", 4, 1, 2},
                                    {"interleaved-1f1b", 1, 2, 2},
                                    {"zb-h1", 1, 2, 2},
                                    {"zb-h1", 2, 2, 1},
                                    {"1f1b", 2, 2, 2, 0, "full"},
                                    {"1f1b", 2, 1, 2, 0, "selective"},
                                    {"1f1b", 2, 2, 1, 1},
                                    {"1f1b", 2, 2, 2, 2},
                                    {"1f1b", 2, 2, 2, 3},
                                    {"1f1b", 2, 1, 2, 3, "sqrt", "layers"}};
};

QTEST_GUILESS_MAIN(ExpertsParityTest)
#include "experts_parity_test.moc"
