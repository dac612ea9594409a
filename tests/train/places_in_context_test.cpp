// SPDX-License-Identifier: Apache-2.0
// Experts with a limit of places whose tokens a context group divides: whatever the gate, and however experts, tensor
// groups and ZeRO share out the rest, losses, loads, drops and weights are those of one rank that sees whole samples. A
// token that stands between two experts may go either way where sums round otherwise: a row that differs is tried again
// with another seed, and must be right then.
#include "engine/base/random.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/train/expert_models.h"
#include "tests/train/one_rank.h"
#include "tests/train/seeded_text.h"

#include <QtTest>

#include <array>
#include <map>
#include <tuple>

using namespace shardlab::test;

namespace {

/// How a split's ranks hold the experts.
struct Sharing {
    const char* name = "";
    Split split;
    int expert = 1;
    int expertTensor = 0;
    const char* recompute = "none";
};
const std::array spreads{
    Sharing{"alone", {1, 1, 1, 2}},
    Sharing{"four members", {1, 1, 1, 4}},
    Sharing{"experts over the context group", {1, 1, 1, 2}, 2},
    Sharing{"experts over a part of it", {1, 1, 1, 4, false, 1}, 2},
    Sharing{"experts over data and context", {2, 1, 1, 2, false, 3}, 4},
    Sharing{"experts over context, two replicas", {2, 1, 1, 2, false, 2}, 2, 0, "selective"},
    Sharing{"a tensor group", {1, 1, 2, 2, true, 1}, 1, 0, "full"},
    Sharing{"whole experts in a tensor group", {1, 1, 2, 2}, 2, 1},
    Sharing{"folds and context", {1, 1, 2, 2, true, 2}, 4, 1},
    Sharing{"a pipeline", {1, 2, 1, 2, false, 3}, 2, 0, "full"},
};

}  // namespace

class PlacesInContextTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(const std::string& gate, const Sharing& spread, ContextKind method) {
        Layout layout;
        layout.model = expertModel(gate);
        layout.model.heads = 8;
        layout.model.block.kvHeads = gate == "top-k-softmax" ? 2 : 0;
        if (hasGroups(layout.model) || choosesInGroups(layout.model)) layout.model.experts.count = 12;
        layout.model.experts.capacity = 1.25;
        layout.model.experts.dropout = 0.2;
        layout.data.kind = DataKind::Text;
        layout.data.path = text_.path();
        splitOver(layout, spread.split);
        layout.parallel.contextKind = method;
        layout.parallel.expert = spread.expert;
        layout.parallel.expertTensor = spread.expertTensor;
        layout.memory.recompute = named(spread.recompute);
        layout.batch = {8, 2};
        layout.optimizer.kind = OptimizerKind::Sgd;
        layout.optimizer.learningRate = 0.05;
        layout.optimizer.warmup = 0;
        layout.optimizer.momentum = 0.9;
        layout.run = {6, text_.seed(), 6, 1};
        return layout;
    }

    /// compare() tells what differs.
    template <class Compare>
    void requireEqual(Compare compare) {
        const QString wrong = text_.difference(compare);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    SeededText text_;
    OneRank oneRank_;

private Q_SLOTS:
    void everyGateEqualsOneRank_data() {
        QTest::addColumn<QString>("gate");
        QTest::addColumn<int>("spread");
        QTest::addColumn<bool>("exchanges");
        RandomStream random(freshSeed(), "methods");
        const auto add = [&](const char* gate) {
            for (std::size_t i = 0; i < spreads.size(); ++i) {
                const bool exchanges = random.below(2) == 1;
                QTest::addRow("%s, %s, %s", gate, spreads[i].name, exchanges ? "ulysses" : "ring")
                    << gate << int(i) << exchanges;
            }
        };
        for (const char* gate : gatesOfGpts) add(gate);
        for (const char* gate : gatesOfToday) add(gate);
    }
    void everyGateEqualsOneRank() {
        QFETCH(QString, gate);
        QFETCH(int, spread);
        QFETCH(bool, exchanges);
        requireEqual([&]() -> QString {
            const Layout layout = layoutOf(gate.toStdString(), spreads[std::size_t(spread)],
                                           exchanges ? ContextKind::Ulysses : ContextKind::Ring);
            const RunOutcome run = runInProcess(planOf(layout));
            if (!run.error.empty()) return QString::fromStdString(run.error);
            const RunOutcome& wanted = oneRank_.trained(layout);
            constexpr EventKind untaken = EventKind::UntakenTokens;
            if (loads(run, untaken) != loads(wanted, untaken)) return QString("%1 differs").arg(name(untaken).data());
            return expertsDiffer(run, wanted);
        });
    }

    /// Tokens are dropped, else nothing was tried.
    void someTokensFindNoPlace() {
        const Layout layout = layoutOf("switch", spreads[0], ContextKind::Ring);
        double dropped = 0;
        for (const auto& [key, value] : loads(runInProcess(planOf(layout)), EventKind::ExpertDropped)) dropped += value;
        QVERIFY(dropped > 0);
    }

    /// What decides who gets a place is in the plan: as events, as traffic, and as the formula of parallel/context.h.
    void whatDecidesIsThePlans_data() {
        QTest::addColumn<QString>("gate");
        for (const char* gate : {"switch", "gshard", "expert-choice", "capped-expert-choice"})
            QTest::newRow(gate) << gate;
    }
    void whatDecidesIsThePlans() {
        QFETCH(QString, gate);
        for (const Sharing& spread : spreads) {
            Layout layout = layoutOf(gate.toStdString(), spread, ContextKind::Ring);
            layout.run.steps = 2;
            layout.run.validateEvery = 0;
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            using Key = std::tuple<ActionId, int, std::int64_t>;
            const auto collect = [](const Event& event, std::map<Key, int>& into) {
                if (event.kind == EventKind::GatherChoices)
                    ++into[{event.action, static_cast<int>(event.value), event.bytes}];
            };
            const int c = layout.parallel.context, experts = layout.model.experts.count;
            const std::int64_t samples = layout.batch.micro;
            const std::int64_t wanted = expertsChoose(layout.model)
                                            ? 4 * samples * layout.model.sequence * experts
                                            : 8 * samples * expertChoices(layout.model) * experts * c;
            std::int64_t sent = 0;
            for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
                std::map<Key, int> measured, predicted;
                for (const Event& event : run.ranks[std::size_t(rank)].events)
                    if (event.step == 1) {
                        collect(event, measured);
                        if (event.kind != EventKind::GatherChoices) continue;
                        QCOMPARE(event.bytes, wanted);
                        sent += event.bytes / c * (c - 1);
                    }
                for (const Event& event : plan.simulation.events)
                    if (event.rank == rank) collect(event, predicted);
                QVERIFY(!predicted.empty());
                QVERIFY2(measured == predicted, qPrintable(QString("%1, rank %2").arg(spread.name).arg(rank)));
            }
            std::int64_t told = 0;
            for (const AxisTraffic& traffic : plan.traffic)
                if (traffic.what.english().find("find a place") != std::string::npos) told += traffic.bytes;
            QCOMPARE(told, sent);
        }
    }
};

QTEST_GUILESS_MAIN(PlacesInContextTest)
#include "places_in_context_test.moc"
