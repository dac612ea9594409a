// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/measured_path.h"
#include "tests/support/seed.h"
#include "tests/predict/random_schedule_costs.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

using namespace shardlab::test;

namespace {

using Times = std::vector<std::optional<MeasuredSpan>>;

/// A step of this structure whose actions took other times, and began a little after they could.
struct Happened {
    Times times;
    std::vector<double> gaps;  ///< of each node
};

Happened happened(const StepGraph& graph, RandomStream& random, double largestGap) {
    Happened made{Times(graph.nodes.size()), std::vector<double>(graph.nodes.size())};
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        double ready = 100;  // the run's clock does not begin with the step
        for (const int earlier : graph.nodes[i].after)
            ready = std::max(ready, made.times[static_cast<std::size_t>(earlier)]->end);
        made.gaps[i] = graph.nodes[i].after.empty() ? 0 : largestGap * random.uniform();
        const double begin = ready + made.gaps[i];
        made.times[i] = {begin, begin + 0.01 + random.uniform()};
    }
    return made;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-9; }

}  // namespace

class MeasuredPathTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        const std::uint32_t seed = freshSeed();
        random_.emplace(seed, "measured path");
    }

    /// Where the step went as predicted, its path is the predicted one.
    void aStepAsPredictedHasThePredictedPath() {
        for (int round = 0; round < 100; ++round) {
            const ScheduleAndCosts each = randomScheduleAndCosts(*random_);
            const StepGraph graph = stepGraph(each.lowered, each.costs);
            Times times;
            for (const StepGraph::Node& node : graph.nodes) times.push_back(MeasuredSpan{node.begin, node.end});
            const CriticalPath predicted = criticalPath(graph);
            const MeasuredPath path = measuredPath(graph, times);
            QVERIFY(near(path.seconds, graph.stepSeconds) && near(path.gaps, 0));
            QCOMPARE(path.onPath.size(), predicted.onPath.size());
            QVERIFY(near(path.share().seconds(), graph.stepSeconds));
            QCOMPARE(path.links.size(), predicted.nodes.size());
            for (std::size_t i = 0; i < path.links.size(); ++i) QCOMPARE(path.links[i].node, predicted.nodes[i]);
        }
    }

    /// Every link is followed by one that waited for it, and links and gaps are the step, whatever times were drawn.
    void linksAndGapsAreTheStep() {
        for (int round = 0; round < 100; ++round) {
            const ScheduleAndCosts each = randomScheduleAndCosts(*random_);
            const StepGraph graph = stepGraph(each.lowered, each.costs);
            const Happened step = happened(graph, *random_, round % 2 == 0 ? 0.0 : 0.3);
            const MeasuredPath path = measuredPath(graph, step.times);
            double end = 0, sum = 0;
            for (const auto& time : step.times) end = std::max(end, time->end);
            QCOMPARE(path.links.back().end, end);
            for (std::size_t i = 0; i < path.links.size(); ++i) {
                const MeasuredPath::Link& link = path.links[i];
                const auto node = static_cast<std::size_t>(link.node);
                QVERIFY(near(link.begin, step.times[node]->begin) && near(link.end, step.times[node]->end));
                if (i > 0) {
                    QVERIFY(std::ranges::find(graph.nodes[node].after, path.links[i - 1].node) !=
                            graph.nodes[node].after.end());
                    QVERIFY(near(link.gap, step.gaps[node]));
                    QVERIFY(near(path.links[i - 1].end + link.gap, link.begin));
                }
                sum += link.end - link.begin + link.gap;
            }
            QVERIFY(near(sum, path.seconds));
            QVERIFY(near(path.share().seconds() + path.gaps, path.seconds));
        }
    }

    /// Collectives within the actions of the path are told apart from compute; no moment counts twice.
    void tensorCollectivesAreNoCompute() {
        for (int round = 0; round < 60; ++round) {
            const ScheduleAndCosts each = randomScheduleAndCosts(*random_);
            const StepGraph graph = stepGraph(each.lowered, each.costs);
            Happened step = happened(graph, *random_, 0.2);
            const MeasuredPath plain = measuredPath(graph, step.times);
            std::vector<double> lasting(graph.nodes.size());
            for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
                if (!isCompute(graph.nodes[i].action.kind)) continue;
                MeasuredSpan& time = *step.times[i];
                const double length = time.end - time.begin;
                const double first = time.begin + 0.2 * length,
                             second = time.begin + (0.3 + 0.2 * random_->uniform()) * length;
                // The second begins before the first is over, or after it.
                time.tensor = {{first, first + 0.2 * length},
                               {second, second + 0.2 * length},
                               {time.end - 0.1 * length, time.end + 5}};
                lasting[i] = std::max(first + 0.2 * length, second + 0.2 * length) - first -
                             std::max(0.0, second - first - 0.2 * length) + 0.1 * length;
            }
            const MeasuredPath path = measuredPath(graph, step.times);
            double expected = 0;
            for (const MeasuredPath::Link& link : path.links) expected += lasting[static_cast<std::size_t>(link.node)];
            QVERIFY(near(path.share().tensor, expected) && expected > 0);
            QVERIFY(near(path.share().compute + path.share().tensor, plain.share().compute));
            QVERIFY(near(path.share().communication, plain.share().communication));
            QVERIFY(near(path.share().seconds() + path.gaps, path.seconds));
        }
    }

    /// Had an action of the path been shorter, the step would have been; had another been, not.
    void shorterActionsOnThePathShortenTheStep() {
        for (int round = 0; round < 30; ++round) {
            const ScheduleAndCosts each = randomScheduleAndCosts(*random_);
            const StepGraph graph = stepGraph(each.lowered, each.costs);
            const Happened step = happened(graph, *random_, 0.1);
            const MeasuredPath path = measuredPath(graph, step.times);
            std::set<int> onPath;
            for (const MeasuredPath::Link& link : path.links) onPath.insert(link.node);
            const auto endWith = [&](std::size_t shorter) {
                std::vector<double> ends(graph.nodes.size());
                for (std::size_t i = 0; i < ends.size(); ++i) {
                    double ready = 100;
                    for (const int earlier : graph.nodes[i].after)
                        ready = std::max(ready, ends[static_cast<std::size_t>(earlier)]);
                    ends[i] =
                        ready + step.gaps[i] + (step.times[i]->end - step.times[i]->begin) - (i == shorter ? 1e-4 : 0);
                }
                return *std::ranges::max_element(ends);
            };
            for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
                const double end = endWith(i);
                if (onPath.contains(static_cast<int>(i))) QVERIFY(end < path.links.back().end);
                else QVERIFY(near(end, path.links.back().end));
            }
        }
    }

    /// What was not recorded is passed by: its time is a gap.
    void whatWasNotRecordedIsAGap() {
        for (int round = 0; round < 100; ++round) {
            const ScheduleAndCosts each = randomScheduleAndCosts(*random_);
            const StepGraph graph = stepGraph(each.lowered, each.costs);
            const Happened step = happened(graph, *random_, 0.2);
            Times some = step.times;
            for (auto& time : some)
                if (random_->below(3) == 0) time.reset();
            const MeasuredPath path = measuredPath(graph, some);
            double last = 0, sum = 0;
            for (const auto& time : some)
                if (time) last = std::max(last, time->end);
            if (last == 0) {
                QVERIFY(path.links.empty());
                continue;
            }
            QCOMPARE(path.links.back().end, last);
            for (const MeasuredPath::Link& link : path.links) {
                QVERIFY(some[static_cast<std::size_t>(link.node)].has_value());
                QVERIFY(link.gap >= 0 && link.end >= link.begin);
                sum += link.end - link.begin + link.gap;
            }
            QVERIFY(near(sum, path.seconds));
        }
        QVERIFY(measuredPath(StepGraph{}, {}).links.empty());
    }

    /// A sender that learns late that its message has come: the receiver's time does not count twice.
    void aMessageUsedBeforeItsEndIsCut() {
        StepGraph graph;
        graph.nodes = {{0, {ActionKind::Forward, 0, 0}, 0, 1, 0, {}},
                       {0, {ActionKind::SendForward, 0, 0}, 1, 2, 0, {0}},
                       {1, {ActionKind::Forward, 1, 0}, 2, 4, 0, {1}}};
        graph.stepSeconds = 4;
        const MeasuredPath path =
            measuredPath(graph, Times{MeasuredSpan{10, 11}, MeasuredSpan{11.5, 14}, MeasuredSpan{12.5, 15}});
        QCOMPARE(path.links.size(), std::size_t{3});
        QCOMPARE(path.links[1].end, 12.5);
        QCOMPARE(path.links[1].gap, 0.5);
        QCOMPARE(path.seconds, 5.0);
        QCOMPARE(path.onPath[0].compute, 1.0);
        QCOMPARE(path.onPath[0].communication, 1.0);
        QCOMPARE(path.onPath[1].compute, 2.5);
        QCOMPARE(path.gaps, 0.5);
    }

private:
    std::optional<RandomStream> random_;
};

QTEST_APPLESS_MAIN(MeasuredPathTest)
#include "measured_path_test.moc"
