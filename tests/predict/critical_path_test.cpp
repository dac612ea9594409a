// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/critical_path.h"
#include "tests/support/seed.h"
#include "tests/predict/random_schedule_costs.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

using namespace shardlab::test;

namespace {

double lengthOf(const StepGraph::Node& node) { return node.end - node.begin; }

}  // namespace

class CriticalPathTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        const std::uint32_t seed = freshSeed();
        random_.emplace(seed, "critical path");
    }

    void graphIsTheSimulatedStep() {
        for (int round = 0; round < 100; ++round) {
            const ScheduleAndCosts each = randomScheduleAndCosts(*random_);
            const StepGraph graph = stepGraph(each.lowered, each.costs);
            QCOMPARE(graph.stepSeconds, simulatedSeconds(each.lowered, each.costs));
            std::size_t actions = 0;
            for (const auto& rank : each.lowered.ranks)
                actions += static_cast<std::size_t>(
                    std::ranges::count_if(rank, [](const Action& a) { return !isReceive(a.kind); }));
            QCOMPARE(graph.nodes.size(), actions);
            for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
                double ready = 0;
                for (const int earlier : graph.nodes[i].after) {
                    QVERIFY(earlier < static_cast<int>(i));
                    ready = std::max(ready, graph.nodes[static_cast<std::size_t>(earlier)].end);
                }
                QCOMPARE(graph.nodes[i].begin, ready);
            }
        }
    }

    void pathIsTheStepWithoutGaps() {
        for (int round = 0; round < 100; ++round) {
            const ScheduleAndCosts each = randomScheduleAndCosts(*random_);
            const StepGraph graph = stepGraph(each.lowered, each.costs);
            const CriticalPath path = criticalPath(graph);
            double now = 0, shares = 0;
            for (const int index : path.nodes) {
                const StepGraph::Node& node = graph.nodes[static_cast<std::size_t>(index)];
                QCOMPARE(node.begin, now);
                now = node.end;
            }
            QCOMPARE(now, graph.stepSeconds);
            for (const CriticalPath::Share& share : path.onPath) shares += share.seconds();
            QVERIFY(std::abs(shares - graph.stepSeconds) < 1e-9 * graph.stepSeconds);
            for (const CriticalPath::Time& time : path.ofRank)
                QVERIFY(std::abs(time.computing + time.tensor + time.reducing + time.waiting - graph.stepSeconds) <
                        1e-9 * graph.stepSeconds);
        }
    }

    /// What tensor groups exchange within actions stands by itself; together it is what was compute, of path and of
    /// rank.
    void tensorCollectivesAreNoCompute() {
        int some = 0;
        for (int round = 0; round < 60; ++round) {
            ScheduleAndCosts each = randomScheduleAndCosts(*random_);
            const CriticalPath plain = criticalPath(stepGraph(each.lowered, each.costs));
            for (const CriticalPath::Share& share : plain.onPath) QCOMPARE(share.tensor, 0.0);
            // By a power of two, times scale without rounding: between paths of one length both steps choose the same.
            each.costs.stretch = std::ldexp(1, static_cast<int>(random_->below(4)) - 1);
            std::map<int, double> shares;  // by stage, of each of its compute actions
            for (std::size_t s = 0; s < each.costs.stages.size(); ++s) {
                StageCosts& stage = each.costs.stages[s];
                const double share = shares[static_cast<int>(s)] = random_->uniform();
                const auto part = [&](double seconds) {
                    return std::vector<TensorCost>{{.seconds = share * seconds / 4},
                                                   {.seconds = share * seconds * 3 / 4}};
                };
                stage.tensor = {part(stage.forward), part(stage.inputGrad), part(stage.weightGrad)};
            }
            const StepGraph graph = stepGraph(each.lowered, each.costs);
            const CriticalPath path = criticalPath(graph);
            std::vector<double> expected(path.onPath.size()), within(path.ofRank.size());
            const auto tensorOf = [&](const StepGraph::Node& node) {
                return isCompute(node.action.kind) ? shares[node.action.stage] * lengthOf(node) : 0;
            };
            for (const int index : path.nodes) {
                const StepGraph::Node& node = graph.nodes[static_cast<std::size_t>(index)];
                expected[static_cast<std::size_t>(node.rank)] += tensorOf(node);
            }
            for (const StepGraph::Node& node : graph.nodes)
                within[static_cast<std::size_t>(node.rank)] += tensorOf(node);
            for (std::size_t rank = 0; rank < path.onPath.size(); ++rank) {
                QVERIFY(std::abs(path.onPath[rank].tensor - expected[rank]) < 1e-9);
                QVERIFY(std::abs(path.onPath[rank].compute + path.onPath[rank].tensor -
                                 plain.onPath[rank].compute * each.costs.stretch) < 1e-9);
                QVERIFY(std::abs(path.onPath[rank].communication -
                                 plain.onPath[rank].communication * each.costs.stretch) < 1e-9);
                QVERIFY(std::abs(path.ofRank[rank].tensor - within[rank]) < 1e-9);
                QVERIFY(std::abs(path.ofRank[rank].waiting - plain.ofRank[rank].waiting * each.costs.stretch) < 1e-9);
            }
            QVERIFY(std::abs(path.share().seconds() - graph.stepSeconds) < 1e-9 * graph.stepSeconds);
            if (path.share().tensor > 0) ++some;
        }
        QVERIFY(some > 30);
    }

    /// Simulated anew with one action shorter or longer: what the path and the slack claim is what happens.
    void pathAndSlackTellWhatAChangeDoes() {
        int onPath = 0, offPath = 0;
        for (int round = 0; round < 40; ++round) {
            const ScheduleAndCosts each = randomScheduleAndCosts(*random_);
            // In generic position: each action takes a little more of its own, so that no two chains are equally long.
            std::map<Action, double> own;
            for (const auto& rank : each.lowered.ranks)
                for (const Action& action : rank) own[action] = isReceive(action.kind) ? 0 : 1e-3 * random_->uniform();
            const auto seconds = [&](const Action& action) { return each.costs.seconds(action) + own.at(action); };
            const double step = simulatedSeconds(each.lowered, each.costs, seconds);
            const StepGraph graph = stepGraph(each.lowered, each.costs, seconds);
            QCOMPARE(graph.stepSeconds, step);
            const CriticalPath path = criticalPath(graph);
            const auto with = [&](const Action& changed, double more) {
                return simulatedSeconds(each.lowered, each.costs, [&](const Action& action) {
                    return seconds(action) + (action == changed ? more : 0);
                });
            };
            const double tiny = 1e-7;
            for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
                const StepGraph::Node& node = graph.nodes[i];
                const double slack = path.slack[i];
                const QString what = QString::fromStdString(toText(node.action));
                if (std::ranges::find(path.nodes, static_cast<int>(i)) != path.nodes.end()) {
                    ++onPath;
                    const double shorter = with(node.action, -std::min(tiny, lengthOf(node)));
                    QVERIFY2(shorter < step - 0.9 * tiny, qPrintable(what));
                    QVERIFY2(with(node.action, tiny) > step + 0.9 * tiny, qPrintable(what));
                } else {
                    ++offPath;
                    QVERIFY2(slack > 0, qPrintable(what));
                    QVERIFY2(std::abs(with(node.action, -std::min(slack, lengthOf(node))) - step) < 1e-12 * step,
                             qPrintable(what));
                    QVERIFY2(std::abs(with(node.action, slack) - step) < 1e-9 * step, qPrintable(what));
                    QVERIFY2(std::abs(with(node.action, slack + 0.01) - (step + 0.01)) < 1e-9 * step, qPrintable(what));
                }
            }
        }
        QVERIFY(onPath > 100 && offPath > 100);
    }

private:
    std::optional<RandomStream> random_;
};

QTEST_MAIN(CriticalPathTest)
#include "critical_path_test.moc"
