// SPDX-License-Identifier: Apache-2.0
// Numbers of replicas that an elastic run may have, and which of its ranks and devices take part at each.
#include "engine/launch/job/elastic_world.h"
#include "engine/launch/job/run_request.h"
#include "engine/layout/check/check.h"
#include "engine/layout/check/elastic_sizes.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/legal_plan.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace shardlab::test;

namespace {

std::vector<Fault> faultsOf(const Layout& layout) { return check(layout, scheduleMethods()); }

Layout elastic(int data, int pipeline, int minData, int batch) {
    Layout layout;
    layout.parallel.data = data;
    layout.parallel.pipeline = pipeline;
    layout.cluster.hosts = {{"localhost", data * pipeline}};
    layout.batch = {batch, 1};
    layout.checkpoint.every = 1;
    layout.run.minData = minData;
    return layout;
}

}  // namespace

class ElasticSizesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Against what divides the batch, of one layout after another.
    void whatDividesTheBatch() {
        const unsigned seed = freshSeed();
        std::mt19937 random(seed);
        const auto below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
        int several = 0;
        for (int round = 0; round < 300; ++round) {
            const int data = 2 + below(11), least = 1 + below(data), batch = data * (1 + below(12));
            const Layout layout = elastic(data, 1 + below(2), least, batch);
            std::vector<int> expected{data};
            for (int size = data - 1; size >= least; --size)
                if (batch % size == 0) expected.push_back(size);
            if (expected.size() == 1) {
                QCOMPARE(faultsOf(layout).size(), std::size_t{1});
                QCOMPARE(faultsOf(layout).front().pointer, std::string("/run/min_data"));
                continue;
            }
            ++several;
            QVERIFY2(faultsOf(layout).empty(), toText(faultsOf(layout)).c_str());
            QCOMPARE(admissibleSizes(layout, scheduleMethods()), expected);
            for (int size = -1; size <= data + 1; ++size)
                QCOMPARE(canResize(layout, size).has_value(), std::ranges::find(expected, size) != expected.end());
            for (const int size : expected) {
                const Layout fewer = withReplicas(layout, size);
                QCOMPARE(fewer.batch, layout.batch);
                QVERIFY(faultsOf(fewer).empty());
            }
        }
        QVERIFY(several > 20);
    }

    /// All other rules hold at every size: experts, ZeRO, a server.
    void allElseStaysLegal() {
        Layout layout = elastic(8, 1, 1, 24);
        layout.model.kind = ModelKind::GptMoe;
        layout.model.experts.count = 4;
        layout.parallel.expert = 2;
        for (const int zero : {0, 3}) {
            layout.parallel.zero = zero;
            QCOMPARE(admissibleSizes(layout, scheduleMethods()), (std::vector<int>{8, 6, 4, 2}));
        }
        layout = elastic(8, 1, 1, 24);
        layout.parallel.zero = 3;
        QCOMPARE(admissibleSizes(layout, scheduleMethods()), (std::vector<int>{8, 6, 4, 3, 2}));
        layout.parallel.zero = 0;
        layout.parallel.exchange = Exchange::Server;
        QCOMPARE(admissibleSizes(layout, scheduleMethods()), (std::vector<int>{8, 6, 4, 3, 2}));
        for (const char* exchange : {"async-server", "easgd", "hogwild"}) {
            layout = elastic(4, 1, 1, 24);
            layout.parallel.exchange = named(exchange);
            layout.checkpoint.every = exchange == std::string("hogwild") ? 1 : 0;
            layout.optimizer.kind = OptimizerKind::Sgd;
            layout.optimizer.learningRate = 0.1;
            layout.optimizer.weightDecay = layout.optimizer.momentum = 0;
            if (exchange == std::string("async-server")) layout.optimizer.kind = OptimizerKind::AdamW;
            const std::vector<Fault> faults = faultsOf(layout);
            QVERIFY2(faults.size() == 1, toText(faults).c_str());
            QCOMPARE(faults.front().pointer, std::string("/run/min_data"));
            QCOMPARE(faults.front().legal.english(), std::string("0; or parallel.exchange allreduce or server"));
        }
    }

    void hostsAreFilledInOrder() {
        Layout layout = elastic(4, 2, 1, 24);
        layout.cluster.hosts = {{"a", 3}, {"b", 3}, {"c", 2}};
        QCOMPARE(withReplicas(layout, 3).cluster.hosts, (std::vector<HostSpec>{{"a", 3}, {"b", 3}}));
        QCOMPARE(withReplicas(layout, 2).cluster.hosts, (std::vector<HostSpec>{{"a", 3}, {"b", 1}}));
        QCOMPARE(withReplicas(layout, 4), [&] {
            Layout same = layout;
            same.run.minData = 0;
            return same;
        }());
    }

    void ranksKeepTheirPlace() {
        ElasticWorld world(planOf(elastic(4, 2, 1, 24)));
        QVERIFY(world.elastic() && !world.renumbered() && world.absent().empty());
        QVERIFY(world.resize(3));
        QCOMPARE(world.ranks(), 6);
        std::vector<int> places;
        for (int rank = 0; rank < 6; ++rank) places.push_back(world.placeOf(rank));
        // Pipeline × data: the last replica's ranks are missing.
        QCOMPARE(places, (std::vector<int>{0, 1, 2, 4, 5, 6}));
        QCOMPARE(world.absent(), (std::vector<int>{3, 7}));
        QVERIFY(world.renumbered());
        QCOMPARE(world.placeOf(-1), -1);
        QVERIFY(world.resize(4));
        QVERIFY(world.absent().empty() && !world.renumbered());
        QCOMPARE(world.now(), world.whole());
    }

    void lostDevicesAreLeftOut() {
        Layout layout = elastic(6, 1, 2, 24);
        layout.cluster.hosts = {{"a", 2}, {"b", 2}, {"c", 2}};
        ElasticWorld world(planOf(layout));
        QCOMPARE(world.largestLeft(), std::optional(6));
        world.lose(3);
        QCOMPARE(world.largestLeft(), std::optional(4));
        QVERIFY(world.resize(4));
        QCOMPARE(world.now().cluster.hosts, (std::vector<HostSpec>{{"a", 2}, {"b", 1}, {"c", 1}}));
        world.loseHost("a");
        QCOMPARE(world.largestLeft(), std::optional(3));
        QVERIFY(world.resize(3));
        QCOMPARE(world.now().cluster.hosts, (std::vector<HostSpec>{{"b", 1}, {"c", 2}}));
        ElasticWorld less = world;
        less.loseHost("c");
        QVERIFY(!less.largestLeft());
        QVERIFY(world.resize(2));  // they are enough for fewer
        QCOMPARE(world.now().cluster.hosts, (std::vector<HostSpec>{{"b", 1}, {"c", 1}}));
        QVERIFY(world.resize(6));  // asked for: all count again
        QCOMPARE(world.now().cluster.hosts, layout.cluster.hosts);
    }

    /// Paced, fewer replicas are seen to take longer by what the model says.
    void pacedSizesAreOfOneScale() {
        Layout layout = elastic(4, 1, 1, 24);
        layout.cluster.pace = PaceSpec{"h100-sxm", 0.5};
        const Plan whole = planOf(layout);
        const std::vector<Plan> plans = plansOfSizes(whole);
        QCOMPARE(plans.size(), std::size_t{4});
        for (std::size_t i = 0; i < plans.size(); ++i) {
            QVERIFY(std::abs(plans[i].costs.stretch - whole.costs.stretch) <= 1e-6 * whole.costs.stretch);
            if (i > 0) QVERIFY(plans[i].stepSeconds > plans[i - 1].stepSeconds);
        }
        QVERIFY(plans.back().stepSeconds > 1.5 * plans.front().stepSeconds);
        layout.run.minData = 0;
        QCOMPARE(plansOfSizes(planOf(layout)).size(), std::size_t{1});
    }

    void requestsAreTakenOnce() {
        QTemporaryDir folder;
        const std::filesystem::path run = folder.filePath("run.shardlab").toStdString();
        QVERIFY(!*takeRunRequest(run));
        QVERIFY(writeRunRequest(run, ResizeRequest{3}));
        QVERIFY(writeRunRequest(run, ResizeRequest{12}));
        QVERIFY(**takeRunRequest(run) == RunRequest(ResizeRequest{12}));
        QVERIFY(!*takeRunRequest(run));
        for (const InjectedFaultKind kind : {InjectedFaultKind::Kill, InjectedFaultKind::Hang}) {
            QVERIFY(writeRunRequest(run, FaultRequest{kind, 7}));
            QVERIFY(**takeRunRequest(run) == RunRequest(FaultRequest{kind, 7}));
        }
        for (const char* wrong : {"", "resize 6", "resize six\n", "resize 6\n7\n", "resize 99999999999\n", "6\n",
                                  "slow 1\n", "kill  1\n", "kill\n"}) {
            std::ofstream(runRequestFile(run)) << wrong;
            QVERIFY(!takeRunRequest(run));
            QVERIFY(!std::filesystem::exists(runRequestFile(run)));
        }
        QVERIFY(!writeRunRequest(folder.filePath("nowhere/run.shardlab").toStdString(), ResizeRequest{3}));
    }

    /// Whoever may write to the folder of a run could ask for its end.
    void aRequestOfSomebodyElseIsIgnored() {
        QTemporaryDir folder;
        const std::filesystem::path run = folder.filePath("run.shardlab").toStdString(), file = runRequestFile(run);
        const std::filesystem::path wanted = folder.filePath("wanted").toStdString();
        const auto ignored = [&](const char* why) {
            const auto taken = takeRunRequest(run);
            return !taken && QString::fromStdString(taken.error().text()).contains(why) &&
                   !std::filesystem::is_symlink(file) && !std::filesystem::exists(file);
        };
        std::ofstream(wanted) << "kill 1\n";
        std::filesystem::create_symlink(wanted, file);
        QVERIFY(ignored("it is a symbolic link"));
        QVERIFY(std::filesystem::exists(wanted));
        std::filesystem::create_hard_link(wanted, file);
        QVERIFY(ignored("it has a second name"));
        QVERIFY(std::filesystem::exists(wanted));
        QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
        QVERIFY(ignored("it is no regular file"));
        std::ofstream(file) << std::string(100000, 'k');
        QVERIFY(ignored("more than"));
        // What cannot be removed is an error as long as it is there.
        std::filesystem::create_directory(file);
        for (int look = 0; look < 2; ++look) QVERIFY(!takeRunRequest(run) && std::filesystem::exists(file));
        std::filesystem::remove(file);
        QVERIFY(!*takeRunRequest(run));
        if (::geteuid() != 0) QSKIP("only root can give a file away");
        QVERIFY(writeRunRequest(run, FaultRequest{InjectedFaultKind::Kill, 1}));
        QCOMPARE(::chown(file.c_str(), 12345, 12345), 0);
        QVERIFY(ignored("it belongs to another user, of number 12345"));
    }
};

QTEST_GUILESS_MAIN(ElasticSizesTest)
#include "elastic_sizes_test.moc"
