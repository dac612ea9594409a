// SPDX-License-Identifier: Apache-2.0
// The partitioner against every partition there is.
#include "engine/layout/presets.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/search/partition.h"
#include "engine/predict/search/partition_layout.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

using namespace shardlab::test;

namespace {

constexpr double bandwidth = 1e9;

std::vector<LayerCost> randomLayers(std::mt19937& random, int count) {
    std::uniform_real_distribution<double> seconds(1e-3, 1e-2);
    std::uniform_int_distribution<std::int64_t> bytes(0, 4'000'000);
    std::vector<LayerCost> layers;
    for (int i = 0; i < count; ++i) layers.push_back({seconds(random), bytes(random), 4 * bytes(random)});
    return layers;
}

/// The definitions again, as plainly as the paper has them.
double stageTime(const std::vector<LayerCost>& layers, int begin, int end, int replicas) {
    double compute = 0, weights = 0;
    for (int i = begin; i < end; ++i) {
        compute += layers[std::size_t(i)].seconds;
        weights += double(layers[std::size_t(i)].weightBytes);
    }
    const double allReduce = 2.0 * (replicas - 1) / replicas * weights / bandwidth;
    return std::max(compute, allReduce) / replicas;
}

using Visit = std::function<void(const std::vector<PartitionedStage>&, double)>;

/// Every way to cut layers from `begin` on into stages on at most `workers` workers.
void everyPartition(const std::vector<LayerCost>& layers, int begin, int workers, std::vector<PartitionedStage>& stages,
                    double slowest, const Visit& visit) {
    const int count = int(layers.size());
    if (begin == count) return visit(stages, slowest);
    for (int end = begin + 1; end <= count; ++end)
        for (int replicas = 1; replicas <= workers; ++replicas) {
            const double time = stageTime(layers, begin, end, replicas);
            const double boundary = end < count ? 2 * double(layers[std::size_t(end - 1)].outputBytes) / bandwidth : 0;
            stages.push_back({end - begin, replicas, time});
            everyPartition(layers, end, workers - replicas, stages, std::max({slowest, time, boundary}), visit);
            stages.pop_back();
        }
}

bool near(double one, double other) { return std::abs(one - other) <= 1e-9 * std::abs(other); }

double squares(const std::vector<double>& times) {
    return std::transform_reduce(times.begin(), times.end(), 0.0, std::plus<>(), [](double t) { return t * t; });
}

/// A pipeline whose layers differ by an order of magnitude, and whose vocabulary makes the last stage heavy.
Layout unevenModel() {
    Layout layout;
    layout.model = {ModelKind::Gpt, 8, 128, 4, 128, 4096, 0};
    layout.model.feedForward = {128, 128, 128, 128, 2048, 2048, 2048, 2048};
    layout.cluster.hosts = {{"localhost", 4}};
    layout.cluster.pace = PaceSpec{"cpu", 1};
    layout.parallel.data = 1;
    layout.parallel.pipeline = 4;
    layout.batch = {16, 2};
    return layout;
}

}  // namespace

class PartitionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const unsigned seed = freshSeed();
        random_.seed(seed);
    }

    void replicatedIsTheBestOfAll() {
        int compared = 0, replicated = 0;
        for (int count = 1; count <= 6; ++count)
            for (int workers = 1; workers <= 6; ++workers)
                for (int round = 0; round < 12; ++round) {
                    const std::vector<LayerCost> layers = randomLayers(random_, count);
                    double best = std::numeric_limits<double>::infinity();
                    std::vector<PartitionedStage> stages;
                    everyPartition(layers, 0, workers, stages, 0,
                                   [&](const auto&, double slowest) { best = std::min(best, slowest); });
                    const Partition found = partition(layers, workers, bandwidth);
                    QVERIFY2(near(found.slowest, best), qPrintable(QString("%1 layers, %2 workers: %3, best %4")
                                                                       .arg(count)
                                                                       .arg(workers)
                                                                       .arg(found.slowest)
                                                                       .arg(best)));
                    // What is said of it is true of its stages.
                    int begin = 0;
                    double slowest = 0;
                    for (const PartitionedStage& stage : found.stages) {
                        const int end = begin + stage.layers;
                        QVERIFY(near(stage.seconds, stageTime(layers, begin, end, stage.replicas)));
                        slowest = std::max(slowest, stage.seconds);
                        if (end < count)
                            slowest =
                                std::max(slowest, 2 * double(layers[std::size_t(end - 1)].outputBytes) / bandwidth);
                        begin = end;
                    }
                    QCOMPARE(begin, count);
                    QVERIFY(near(found.slowest, slowest));
                    QVERIFY(found.workers() <= workers);
                    replicated += !found.uniform();
                    ++compared;
                }
        qInfo("%d partitions, %d of them with unequal replication", compared, replicated);
        QVERIFY(replicated > 10);
    }

    void balancedIsTheBestOfItsLength() {
        for (int count = 1; count <= 8; ++count)
            for (int stages = 1; stages <= count; ++stages)
                for (int round = 0; round < 12; ++round) {
                    const std::vector<LayerCost> layers = randomLayers(random_, count);
                    double best = std::numeric_limits<double>::infinity(), least = best;
                    std::vector<PartitionedStage> list;
                    // One worker a stage: as many workers as stages, and only lists of that length.
                    const auto visitAll = [&](const Visit& visit) {
                        everyPartition(layers, 0, stages, list, 0, [&](const auto& found, double slowest) {
                            if (int(found.size()) == stages) visit(found, slowest);
                        });
                    };
                    const auto times = [](const std::vector<PartitionedStage>& all) {
                        std::vector<double> each;
                        for (const PartitionedStage& stage : all) each.push_back(stage.seconds);
                        return each;
                    };
                    visitAll([&](const auto&, double slowest) { best = std::min(best, slowest); });
                    visitAll([&](const auto& found, double slowest) {
                        if (slowest <= best * (1 + 1e-9)) least = std::min(least, squares(times(found)));
                    });
                    const std::vector<int> split = balancedSplit(layers, stages, bandwidth);
                    QCOMPARE(int(split.size()), stages);
                    QCOMPARE(std::accumulate(split.begin(), split.end(), 0), count);
                    const std::vector<double> seconds = splitSeconds(layers, split);
                    double slowest = *std::ranges::max_element(seconds);
                    for (int i = 0, end = 0; i + 1 < stages; ++i) {
                        end += split[std::size_t(i)];
                        slowest = std::max(slowest, 2 * double(layers[std::size_t(end - 1)].outputBytes) / bandwidth);
                    }
                    QVERIFY(near(slowest, best));
                    QVERIFY(near(squares(seconds), least));
                }
    }

    void layersCostWhatTheirStagesDo() {
        Layout layout = unevenModel();
        const Mesh mesh(layout);
        const std::vector<LayerCost> layers = layerCosts(layout, mesh);
        QCOMPARE(int(layers.size()), layout.model.layers);
        layout.schedule.stages = {1, 3, 2, 2};
        const auto plan = makePlan(layout);
        QVERIFY(plan.has_value());
        const std::vector<double> seconds = splitSeconds(layers, layout.schedule.stages);
        for (std::size_t stage = 0; stage < seconds.size(); ++stage)
            QVERIFY(near(seconds[stage], plan->costs.stages[stage].forward + plan->costs.stages[stage].backward));
    }

    void anUnevenModelIsFasterBalanced() {
        Layout layout = unevenModel();
        const auto even = makePlan(layout);
        layout.schedule.stages = balancedStages(layout, Mesh(layout));
        const auto balanced = makePlan(layout);
        QVERIFY(even && balanced);
        const double evenStep = even->stepSeconds;
        const double balancedStep = balanced->stepSeconds;
        qInfo("even %.2f ms, balanced %.2f ms", evenStep * 1e3, balancedStep * 1e3);
        QVERIFY(balancedStep < 0.8 * evenStep);
        QVERIFY(balanced->bubble < even->bubble);
    }

    void equalLayersStayEven() {
        Layout layout = findPreset("1f1b-4")->layout;
        layout.model.vocabulary = 256;
        QCOMPARE(balancedStages(layout, Mesh(layout)), stageLayers(layout));
        layout.parallel.pipeline = layout.model.layers + 1;
        QVERIFY(balancedStages(layout, Mesh(layout)).empty());
    }

private:
    std::mt19937 random_;
};

QTEST_GUILESS_MAIN(PartitionTest)
#include "partition_test.moc"
