// SPDX-License-Identifier: Apache-2.0
// Runs in which one rank or link was made slower: it is named, with its cause, its steps and by how much; and no other.
#include "engine/trace/analysis/stragglers.h"

#include "engine/launch/job/run_header.h"
#include "engine/predict/plan/plan.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace shardlab::test;

namespace {

constexpr int steps = 20;

Plan planOf(int data, int pipeline) {
    Layout layout;
    layout.parallel.data = data;
    layout.parallel.pipeline = pipeline;
    layout.model.layers = 2 * pipeline;
    layout.batch.micro = 1;
    layout.batch.global = 8 * data;
    layout.cluster.hosts = {{"localhost", data * pipeline}};
    layout.cluster.pace = PaceSpec{};
    auto plan = makePlan(layout);
    if (!plan) qFatal("%s", plan.error().front().what.english().c_str());
    return *plan;
}

/// The predicted step again and again, a few per cent faster or slower; `change` makes one slower. Rank 0
/// says of the first `without` steps that their details were left out.
template <class Change>
std::vector<Straggler> stragglersOf(const Plan& plan, Change change, int without = 0) {
    std::mt19937_64 random(freshSeed());
    std::uniform_real_distribution<double> jitter(0.97, 1.03);
    StragglerWatch watch(headerOf(plan));
    watch.addPredicted(plan.simulation.events);
    const auto length = static_cast<std::int64_t>(plan.simulation.stepSeconds * 1e9);
    for (int step = 0; step < steps; ++step) {
        std::vector<Event> events;
        for (Event event : plan.simulation.events) {
            event.step = step;
            const double lasts = static_cast<double>(event.end - event.begin) * jitter(random) * change(event);
            event.begin += step * 2 * length;
            event.end = event.begin + static_cast<std::int64_t>(lasts);
            events.push_back(event);
        }
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank)
            events.push_back({.begin = step * 2 * length,
                              .end = step * 2 * length + length,
                              .value = rank == 0 && step < without ? 1.0 : 0.0,
                              .step = step,
                              .rank = static_cast<std::int16_t>(rank),
                              .lane = Lane::Host,
                              .kind = EventKind::Step});
        watch.add(events);
    }
    return watch.stragglers();
}

std::string texts(const std::vector<Straggler>& all) {
    std::string text;
    for (const Straggler& one : all) text += toText(one) + "\n";
    return text;
}

}  // namespace

class StragglersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nobodyIsNamedWhereAllAreAlike() {
        for (const auto& [data, pipeline] : {std::pair(2, 4), std::pair(4, 1), std::pair(1, 4)}) {
            const auto found = stragglersOf(planOf(data, pipeline), [](const Event&) { return 1.0; });
            QVERIFY2(std::ranges::none_of(found, [](const Straggler& s) { return s.cause != StragglerCause::Wait; }),
                     texts(found).c_str());
        }
    }

    /// A step for which a rank tells no details makes nobody a straggler: neither that rank nor those beside it.
    void stepsWithoutDetailsAreNotJudged() {
        const Plan plan = planOf(2, 4);
        const auto slow = [](const Event& event) { return event.rank == 5 && isCompute(event.kind) ? 1.4 : 1.0; };
        QVERIFY(stragglersOf(plan, slow, steps).empty());
        const auto found = stragglersOf(plan, slow, 10);
        QVERIFY(!found.empty());
        for (const Straggler& one : found) QVERIFY2(one.firstStep >= 10, toText(one).c_str());
        QVERIFY2(std::ranges::any_of(found, [](const Straggler& one) { return one.rank == 5; }), texts(found).c_str());
    }

    void aSlowComputerIsNamed_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("rank");
        QTest::newRow("a replica of two") << 2 << 4 << 5;
        QTest::newRow("a replica of four") << 4 << 1 << 2;
        QTest::newRow("a pipeline alone, against its prediction") << 1 << 4 << 1;
    }

    void aSlowComputerIsNamed() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, rank);
        const auto found = stragglersOf(planOf(data, pipeline), [&](const Event& event) {
            return event.rank == rank && isCompute(event.kind) && event.step >= 6 && event.step <= 14 ? 1.4 : 1.0;
        });
        QVERIFY(!found.empty());
        const auto computing = std::ranges::find(found, StragglerCause::Compute, &Straggler::cause);
        QVERIFY2(computing != found.end(), texts(found).c_str());
        QCOMPARE(computing->rank, rank);
        QCOMPARE(computing->firstStep, 6);
        QCOMPARE(computing->lastStep, 14);
        QCOMPARE(computing->steps, 9);
        QVERIFY2(std::abs(computing->excess() / computing->expected - 0.4) < 0.05, texts(found).c_str());
        QCOMPARE(std::ranges::count(found, StragglerCause::Compute, &Straggler::cause), std::ptrdiff_t{1});
        QVERIFY(toText(*computing).find("rank " + std::to_string(rank) + " · compute") == 0);
    }

    void aSlowLinkIsNamed() {
        const Plan plan = planOf(2, 4);
        const auto found = stragglersOf(plan, [](const Event& event) {
            return event.rank == 2 && event.kind == EventKind::SendForward ? 20.0 : 1.0;
        });
        const auto link = std::ranges::find(found, StragglerCause::Link, &Straggler::cause);
        QVERIFY2(link != found.end(), texts(found).c_str());
        QCOMPARE(link->rank, 2);
        QCOMPARE(plan.mesh.coordinate(link->peer, Axis::Pipeline), plan.mesh.coordinate(2, Axis::Pipeline) + 1);
        QCOMPARE(plan.mesh.coordinate(link->peer, Axis::Data), plan.mesh.coordinate(2, Axis::Data));
        QCOMPARE(std::ranges::count(found, StragglerCause::Link, &Straggler::cause), std::ptrdiff_t{1});
        QVERIFY(std::ranges::none_of(found, [](const Straggler& s) { return s.cause == StragglerCause::Compute; }));
    }

    /// A rank that neither computes nor waits for a message: its host holds it up.
    void aRankThatStandsIsNamed() {
        RunHeader header;
        header.layout.parallel.data = 4;
        header.layout.parallel.pipeline = 1;
        header.layout.cluster.hosts = {{"localhost", 4}};
        StragglerWatch watch(header);
        for (int step = 0; step < 10; ++step) {
            for (int rank = 0; rank < 4; ++rank) {
                std::int64_t time = step * 10'000;
                const std::int64_t stands = rank == 3 && step >= 4 ? 300 : 5;
                std::vector<Event> events;
                for (int microbatch = 0; microbatch < 3; ++microbatch) {
                    events.push_back({.begin = time,
                                      .end = time + 1000,
                                      .action = actionId({ActionKind::Forward, 0, microbatch}),
                                      .step = step,
                                      .rank = static_cast<std::int16_t>(rank),
                                      .lane = Lane::Compute,
                                      .kind = EventKind::Forward});
                    events.push_back({.begin = time + 1000,
                                      .end = time + 1400,
                                      .step = step,
                                      .rank = static_cast<std::int16_t>(rank),
                                      .lane = Lane::Compute,
                                      .kind = EventKind::Wait});
                    time += 1400 + stands;
                }
                events.push_back({.begin = step * 10'000,
                                  .end = step * 10'000 + 6000,
                                  .step = step,
                                  .rank = static_cast<std::int16_t>(rank),
                                  .lane = Lane::Host,
                                  .kind = EventKind::Step});
                watch.add(events);
            }
        }
        const auto found = watch.stragglers();
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].rank, 3);
        QVERIFY(found[0].cause == StragglerCause::Wait);
        QCOMPARE(found[0].firstStep, 4);
        QVERIFY(std::abs(found[0].measured - 600e-9) < 1e-12);  // between three actions
        QVERIFY(std::abs(found[0].expected - 10e-9) < 1e-12);
    }

    /// What is remembered does not grow with the steps, nor with steps times ranks.
    void ofALongRunTheLastStepsCount() {
        constexpr int ranks = 64, steps = 6000;
        RunHeader header;
        header.layout.parallel.data = ranks;
        header.layout.parallel.pipeline = 1;
        header.layout.cluster.hosts = {{"localhost", ranks}};
        StragglerWatch watch(header);
        std::vector<Event> events;
        for (int step = 0; step < steps; ++step)
            for (int rank = 0; rank < ranks; ++rank) {
                Event event{.begin = step * 10'000,
                            .end = step * 10'000 + (rank == 9 ? 6000 : 4000),
                            .action = actionId({ActionKind::Forward, 0, 0}),
                            .step = step,
                            .rank = static_cast<std::int16_t>(rank),
                            .lane = Lane::Compute,
                            .kind = EventKind::Forward};
                events.push_back(event);
                event.action = 0;
                event.lane = Lane::Host;
                event.kind = EventKind::Step;
                events.push_back(event);
            }
        watch.add(events);
        const auto found = watch.stragglers();
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].rank, 9);
        QCOMPARE(found[0].lastStep, steps - 1);
        QVERIFY2(std::abs(found[0].steps - (1 << 18) / ranks) <= 1, qPrintable(QString::number(found[0].steps)));
    }
};

QTEST_GUILESS_MAIN(StragglersTest)
#include "stragglers_test.moc"
