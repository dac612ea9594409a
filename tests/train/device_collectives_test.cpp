// SPDX-License-Identifier: Apache-2.0
// Collectives beside compute where devices carry them out by themselves: the processor asks for everything ahead and
// waits for nothing, memory is used again in the device's order, and times are the device's. Every exchange here is
// held until the test lets it go.
#include "engine/base/clock.h"
#include "engine/train/comm/loopback/loopback.h"
#include "engine/train/comm/nccl/nccl_communicator.h"
#include "engine/train/parallel/device_collectives.h"
#include "engine/predict/plan/plan.h"
#include "engine/train/run/executor.h"
#include "engine/train/run/placement.h"
#include "engine/train/run/real_clock.h"
#include "kernels/threads.h"
#include "tests/train/held_device.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <chrono>
#include <functional>
#include <map>
#include <thread>

using namespace shardlab::test;

namespace {

constexpr std::int64_t second = 1'000'000'000;

/// A group of GPUs as one rank sees it: the other replica is nobody.
std::unique_ptr<Communicator> groupOf(HeldDevice& device, LoopbackWorld& world) {
    const int self = 0;
    return std::make_unique<NcclCommunicator>(world.communicator(0), std::span(&self, 1), device,
                                              *device.groups().groups);
}

const CollectivesBesideCompute::Observer plainly = [](auto, const std::function<void()>& wait) { wait(); };

Plan planOf(int zero, int layers) {
    Layout layout;
    layout.model = {ModelKind::Gpt, layers, 16, 2, 8, 256, 0.0};
    layout.cluster.hosts = {{"localhost", 2}};
    layout.parallel.data = 2;
    layout.parallel.zero = zero;
    layout.parallel.bucket = 0.005;
    layout.batch = {4, 1};
    layout.optimizer.clip = 0;
    layout.parallel.pipeline = 1;
    layout.run = {1, 1, 10, 1};
    auto plan = makePlan(layout);
    if (!plan) throw std::runtime_error(toText(plan.error()));
    return std::move(*plan);
}

/// One rank of the plan, on a held device.
struct Rank {
    Rank(int zero, int layers) : plan(planOf(zero, layers)) {
        setKernelThreads(1);
        stages = makeStages(plan, 0, arena, tensor, {});
        Placement place;
        place.direct = place.onDevice = true;
        place.besideCompute = groupOf(device, world);
        axis = makeDataParallelComm(plan, place, stages, arena, nullptr, trace, clock);
        trace.setStep(0);
    }
    std::vector<Event> events() {
        std::vector<Event> all;
        recorder.drain([&](std::span<const Event> more) { all.insert(all.end(), more.begin(), more.end()); });
        return all;
    }
    /// A backward as the stage would call its hooks.
    void backward() {
        const int top = stages.at(0).stage->layers() - 1;
        axis->begin({ActionKind::Backward, 0, 0});
        for (int layer = top; layer >= 0; --layer) {
            if (layer > 0) axis->beforeUse(layer);
            if (layer > 0) axis->afterUse(layer);
            axis->beforeGradient(layer);
            axis->afterGradient(layer);
        }
        axis->end();
    }

    Plan plan;
    HeldDevice device;
    LoopbackWorld world{1};
    Arena arena{device};
    TensorGroup tensor{arena};
    Recorder recorder{0, monotonicNanoseconds()};
    RankTrace trace{recorder, nullptr, arena};
    RealClock clock{trace, device};
    std::map<int, RankStage> stages;
    std::unique_ptr<DataParallelComm> axis;
};

std::vector<Event> of(const std::vector<Event>& events, EventKind kind) {
    std::vector<Event> found;
    std::ranges::copy_if(events, std::back_inserter(found), [&](const Event& event) { return event.kind == kind; });
    return found;
}

}  // namespace

class DeviceCollectivesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void begunAtOnceAndAwaitedInOrder() {
        HeldDevice device;
        LoopbackWorld world(1);
        DeviceCollectives beside(groupOf(device, world), [] { return monotonicNanoseconds(); });
        QCOMPARE(device.log(), std::vector<Asked>{{"join"}});  // before anybody is behind another
        std::vector<int> finished;
        std::vector<std::byte> data(4);
        const auto reduce = [&](Communicator& group) {
            return group.iallReduce({{data.data(), DType::F32}, 1}, ReduceOp::Sum);
        };
        for (int k = 0; k < 4; ++k)
            QCOMPARE(beside.post(reduce,
                                 [&finished, &device, k] {
                                     QCOMPARE(static_cast<int>(device.count("precede")), k + 1);
                                     finished.push_back(k);
                                 }),
                     k);
        QCOMPARE(device.count("begin"), std::size_t{4});
        QVERIFY(!beside.awaited(0));

        std::vector<CollectivesBesideCompute::Ticket> observed;
        beside.wait(2, [&](CollectivesBesideCompute::Ticket ticket, const std::function<void()>& wait) {
            const std::size_t asked = device.count("precede"), kept = finished.size();
            wait();
            QCOMPARE(device.count("precede"), asked + 1);
            QCOMPARE(finished.size(), kept);
            observed.push_back(ticket);
        });
        QCOMPARE(observed, (std::vector<CollectivesBesideCompute::Ticket>{0, 1, 2}));
        QCOMPARE(finished, (std::vector<int>{0, 1, 2}));
        QVERIFY(beside.awaited(2) && !beside.awaited(3));
        beside.wait(1, [](auto, const auto&) { QFAIL("twice"); });

        // Nothing is over.
        QVERIFY(!beside.times(0));
        const std::int64_t now = monotonicNanoseconds();
        for (int k = 0; k < 4; ++k) {
            device.exchange(k).begin->time = now + 10 * k * second;
            QVERIFY(!beside.times(k));
            device.exchange(k).end->time = now + (10 * k + k + 1) * second;
            const auto times = beside.times(k);  // of the last before anybody waited for it
            QVERIFY(times && std::abs(times->begin - now - 10 * k * second) < second);
            QCOMPARE(times->end - times->begin, (k + 1) * second);
        }
        QCOMPARE(finished.size(), std::size_t{3});
        beside.wait(3, plainly);
        beside.drain();
        QCOMPARE(finished, (std::vector<int>{0, 1, 2, 3}));
        QCOMPARE(device.count("precede"), std::size_t{4});
    }

    void lostMemberEndsItAwaitedOrNot() {
        for (const bool awaited : {false, true}) {
            HeldDevice device;
            LoopbackWorld world(1);
            DeviceCollectives beside(groupOf(device, world), [] { return monotonicNanoseconds(); });
            std::vector<std::byte> data(4);
            beside.post([&](Communicator& group) { return group.igatherParts({{data.data(), DType::F32}, 1}); });
            if (awaited) beside.wait(0, plainly);
            QVERIFY(!beside.times(0));
            world.fail("rank 1 is gone");
            QVERIFY_THROWS_EXCEPTION(std::exception, beside.times(0));
            QVERIFY_THROWS_EXCEPTION(std::exception, beside.drain());
        }
    }

    /// Each place in the slots: what was scattered from it comes first, then its sum is kept, once, then it is cleared.
    void slotsAreUsedAgainInTheDevicesOrder_data() {
        QTest::addColumn<int>("zero");
        QTest::newRow("2") << 2;
        QTest::newRow("3") << 3;
    }
    void slotsAreUsedAgainInTheDevicesOrder() {
        QFETCH(int, zero);
        Rank rank(zero, 6);
        QVERIFY(rank.axis->followsDevice());
        for (int microbatch = 0; microbatch < 2; ++microbatch) {
            if (zero == 3) rank.axis->announce({ActionKind::GatherBackward, 0, microbatch});
            rank.axis->announce({ActionKind::ScatterGradients, 0, microbatch});
            rank.backward();  // returns while all of it is held
            rank.axis->collect();
        }
        const std::size_t scatters = 2 * rank.plan.costs.stages[0].data.reduce.size();
        const std::size_t exchanges = rank.device.count("begin");
        QVERIFY(zero == 3 ? exchanges > scatters : exchanges == scatters);
        rank.axis->settleReductions();
        QCOMPARE(rank.device.count("add"), scatters);
        QCOMPARE(rank.device.count("synchronize"), std::size_t{0});

        std::map<const void*, std::string> last;  // what was done with a place
        for (const Asked& asked : rank.device.log()) {
            if (!asked.data) continue;
            const std::string before = last[asked.data];
            if (asked.what == "begin") QVERIFY(before.empty() || before == "clear" || before == "precede");
            if (asked.what == "precede") QCOMPARE(before, std::string("begin"));
            if (asked.what == "clear") QVERIFY2(before.empty() || before == "add", before.c_str());
            last[asked.data] = asked.what;
        }
        std::vector<int> order;
        for (const Asked& asked : rank.device.log("precede")) order.push_back(asked.number);
        QVERIFY(std::ranges::is_sorted(order));
        QVERIFY(std::ranges::adjacent_find(order) == order.end());
        rank.device.release();
    }

    /// Moments that the test chooses: what was waited for cuts the action's span, and is what is exposed.
    void spansAndSecondsAreTheDevices() {
        Rank rank(2, 6);
        rank.axis->beginStep();
        rank.axis->announce({ActionKind::ScatterGradients, 0, 0});
        rank.backward();
        rank.axis->settleReductions();
        rank.axis->collect();
        QVERIFY(rank.events().empty());
        QCOMPARE(rank.axis->exposedSeconds(), 0.0);

        const auto marks = static_cast<std::int64_t>(rank.device.count("mark"));
        const auto scatters = static_cast<std::int64_t>(rank.device.count("begin"));
        // Begin and end of the action, and of a wait for each scatter; the last waits come after the action.
        QCOMPARE(marks, 2 + 2 * scatters);
        const std::vector<Asked> log = rank.device.log();
        for (std::size_t i = 0; i < log.size(); ++i)  // what is done with a sum is no part of the wait for it
            if (log[i].what == "precede") QVERIFY(log[i - 1].what == "mark" && log.at(i + 1).what == "mark");
        const std::int64_t now = monotonicNanoseconds();
        std::int64_t time = now, exposed = 0;
        for (std::int64_t k = 0; k < marks; ++k) {
            // The second wait is none: two events, one after the other.
            time += k == 4 ? RankTrace::shortestDeviceWait - 1 : (k + 1) * second;
            rank.device.marked(static_cast<int>(k))->time = time;
        }
        for (std::int64_t k = 0; k < scatters; ++k) {
            const HeldDevice::Exchange exchange = rank.device.exchange(static_cast<int>(k));
            exchange.begin->time = now + k * second;
            exchange.end->time = now + (2 * k + 3) * second;
        }
        rank.axis->collect();
        rank.trace.collect();
        const std::vector<Event> events = rank.events();
        const auto waits = of(events, EventKind::Wait), parts = of(events, EventKind::Backward),
                   pieces = of(events, EventKind::ScatterGradients);
        QCOMPARE(static_cast<std::int64_t>(waits.size()), scatters - 1);
        for (const Event& wait : waits) {
            QVERIFY(wait.end - wait.begin >= second);
            QCOMPARE(actionFromId(wait.action).kind, ActionKind::ScatterGradients);
            exposed += wait.end - wait.begin;
        }
        QVERIFY(parts.size() > 1 && parts.size() <= waits.size());
        for (std::size_t i = 1; i < parts.size(); ++i) {
            QVERIFY(std::abs(parts[i - 1].end - waits[i - 1].begin) < second / 2);
            QVERIFY(std::abs(parts[i].begin - waits[i - 1].end) < second / 2);
        }
        QCOMPARE(static_cast<std::int64_t>(pieces.size()), scatters);
        std::int64_t moved = 0;
        for (std::int64_t k = 0; k < scatters; ++k) {
            const Event& piece = pieces[static_cast<std::size_t>(k)];
            QCOMPARE(piece.end - piece.begin, (k + 3) * second);
            QCOMPARE(piece.bytes, rank.plan.costs.stages[0].data.reduce[static_cast<std::size_t>(k)].bytes);
            moved += piece.end - piece.begin;
        }
        QCOMPARE(rank.axis->communicatedSeconds(), toSeconds(moved));
        QCOMPARE(rank.axis->exposedSeconds(), toSeconds(exposed));
    }

    /// A whole step is asked for, to its update, while every exchange is held.
    void processorIsNotHeldUp_data() {
        QTest::addColumn<int>("zero");
        for (const int zero : {0, 1, 2, 3}) QTest::addRow("zero %d", zero) << zero;
    }
    void processorIsNotHeldUp() {
        QFETCH(int, zero);
        Rank rank(zero, 3);
        makeOptimizers({rank.plan.layout.optimizer, 1, numberFormats(rank.plan.layout.precision).master}, rank.stages,
                       rank.arena);
        const auto alone = rank.world.communicator(0);
        Transfers transfers(TransferSetup{
            *alone, rank.plan.lowered.rankOfStage, {0}, {1}, DType::F32, rank.arena, rank.trace, rank.clock});
        LossScale scale(rank.plan.layout.precision);
        Executor executor({rank.plan,
                           rank.stages,
                           rank.arena,
                           {*alone, *alone, *alone, *alone, *alone, *alone},
                           rank.trace,
                           rank.clock,
                           scale,
                           transfers,
                           nullptr,
                           nullptr,
                           rank.axis.get()});
        std::atomic<bool> held = false, late = false;
        std::atomic<std::size_t> synchronized = 0;
        {
            const std::jthread releaser([&] {
                const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                while (rank.device.count("adamw") == 0 && !late) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    late = std::chrono::steady_clock::now() > deadline;
                }
                const std::vector<Asked> log = rank.device.log();
                const auto update = std::ranges::find(log, std::string("adamw"), &Asked::what);
                synchronized = static_cast<std::size_t>(
                    std::count_if(log.begin(), update, [](const Asked& asked) { return asked.what == "synchronize"; }));
                held = !rank.device.exchange(0).end->reached();
                rank.device.release();
            });
            const std::vector<std::int32_t> tokens(8, 1);
            executor.train(rank.plan.lowered.ranks[0], 0, [&](int microbatch) {
                return MicrobatchTokens{tokens, tokens, {}, microbatch};
            });
        }
        QVERIFY(!late);
        QVERIFY(held);
        QCOMPARE(synchronized.load(), std::size_t{0});
        QCOMPARE(rank.device.count("precede"), rank.device.count("begin"));
        const std::vector<Event> events = rank.events();
        std::size_t pieces = 0;
        for (const EventKind kind :
             {EventKind::ReduceBuckets, EventKind::ScatterGradients, EventKind::GatherParameters})
            pieces += of(events, kind).size();
        QCOMPARE(pieces, rank.device.count("begin"));
        QVERIFY(rank.axis->communicatedSeconds() > 0);
    }
};

QTEST_GUILESS_MAIN(DeviceCollectivesTest)
#include "device_collectives_test.moc"
