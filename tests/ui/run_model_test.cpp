// SPDX-License-Identifier: GPL-3.0-or-later
// The run model fed in random pieces holds what it holds when fed at once, and answers as a scan of all events does.
#include "tests/support/seed.h"
#include "tests/ui/sample_run.h"
#include "tests/support/wings.h"
#include "ui/core/run_model.h"

#include <QSignalSpy>
#include <QTest>

#include <numeric>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// Interleaves ranks anew, keeping each rank's own order: what threads and sockets do.
std::vector<Event> interleaved(const std::vector<Event>& events, int ranks, std::mt19937_64& random) {
    std::vector<std::vector<Event>> perRank(static_cast<std::size_t>(ranks));
    for (const Event& event : events) perRank[static_cast<std::size_t>(event.rank)].push_back(event);
    std::vector<std::size_t> next(perRank.size(), 0);
    std::vector<Event> result;
    std::uniform_int_distribution<std::size_t> rank(0, perRank.size() - 1);
    while (result.size() < events.size()) {
        const std::size_t r = rank(random);
        for (int i = 0; i < 50 && next[r] < perRank[r].size(); ++i) result.push_back(perRank[r][next[r]++]);
    }
    return result;
}

bool sameEvents(std::vector<Event> a, std::vector<Event> b) {
    const auto order = [](const Event& x, const Event& y) {
        return std::tie(x.begin, x.end, x.rank, x.action, x.kind, x.bytes) <
               std::tie(y.begin, y.end, y.rank, y.action, y.kind, y.bytes);
    };
    std::sort(a.begin(), a.end(), order);
    std::sort(b.begin(), b.end(), order);
    return a == b;
}

bool ascending(const std::vector<Event>& events) {
    return std::is_sorted(events.begin(), events.end(),
                          [](const Event& a, const Event& b) { return a.begin < b.begin; });
}

}  // namespace

class RunModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void incrementalEqualsBatch();
    void memoryEqualsScan();
    void stepsAreFoundByTime();
    void eventsOfAStep();
    void signalsOncePerBatch();
    void beginningAnewForgets();
    void strayRanksAreNotKept();
    void stepsDoneAgainCountOnce();
    void aLongRunStaysWithinItsBudget();
};

void RunModelTest::incrementalEqualsBatch() {
    const std::uint64_t seed = freshSeed();
    std::mt19937_64 random(seed);
    const Plan plan = sample::plan(sample::layout(2, 3, 5));
    const std::vector<Event> events = interleaved(sample::events(plan, 12, seed), plan.mesh.ranks(), random);
    RunModel whole, pieces;
    whole.begin(headerOf(plan), plan.simulation.events);
    pieces.begin(headerOf(plan), plan.simulation.events);
    whole.append(events);
    std::uniform_int_distribution<std::size_t> size(1, 700);
    for (std::size_t at = 0; at < events.size();) {
        const std::size_t count = std::min(size(random), events.size() - at);
        pieces.append(std::span(events).subspan(at, count));
        at += count;
    }
    QCOMPARE(pieces.recorded().events, static_cast<std::int64_t>(events.size()));
    QCOMPARE(pieces.recorded().last, whole.recorded().last);
    QCOMPARE(pieces.recorded().first, whole.recorded().first);
    for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
        for (int lane = 0; lane < laneCount; ++lane) {
            const auto mine = pieces.store().lane(rank, static_cast<Lane>(lane)).all();
            QVERIFY2(ascending(mine),
                     qPrintable(QStringLiteral("seed %1 rank %2 lane %3").arg(seed).arg(rank).arg(lane)));
            std::vector<Event> expected;
            for (const Event& event : events) {
                if (event.rank == rank && event.lane == static_cast<Lane>(lane) && isSpan(event.kind))
                    expected.push_back(event);
            }
            QVERIFY2(sameEvents(mine, expected), qPrintable(QStringLiteral("seed %1").arg(seed)));
            QVERIFY(sameEvents(whole.store().lane(rank, static_cast<Lane>(lane)).all(), expected));
        }
        QCOMPARE(pieces.steps().peakBytes(rank), whole.steps().peakBytes(rank));
    }
    for (const EventKind kind :
         {EventKind::Loss, EventKind::GradientNorm, EventKind::PaceOverrun, EventKind::LearningRate}) {
        QVERIFY(ascending(pieces.points().of(kind)));
        QVERIFY2(sameEvents(pieces.points().of(kind), whole.points().of(kind)),
                 qPrintable(QStringLiteral("seed %1").arg(seed)));
    }
    QCOMPARE(pieces.steps().extents().size(), std::size_t{12});
    for (std::size_t i = 0; i < 12; ++i) {
        QCOMPARE(pieces.steps().extents()[i].begin, whole.steps().extents()[i].begin);
        QCOMPARE(pieces.steps().extents()[i].end, whole.steps().extents()[i].end);
        QVERIFY(pieces.steps().extents()[i].complete);
    }
}

void RunModelTest::memoryEqualsScan() {
    const std::uint64_t seed = freshSeed();
    std::mt19937_64 random(seed);
    const Plan plan = sample::plan(sample::layout(1, 2, 4));
    const std::vector<Event> events = sample::events(plan, 6, seed);
    RunModel model;
    model.begin(headerOf(plan), plan.simulation.events);
    model.append(interleaved(events, plan.mesh.ranks(), random));
    QVERIFY(model.store().hasMemory());
    std::uniform_int_distribution<std::int64_t> moment(0, model.recorded().last);
    for (int query = 0; query < 200; ++query) {
        const std::int64_t time = query == 0 ? -1 : moment(random);
        const int rank = query % plan.mesh.ranks();
        MemoryBytes expected{};
        for (const Event& event : events) {
            const int category = static_cast<int>(event.kind) - static_cast<int>(EventKind::MemoryUsed);
            if (event.rank != rank || category < 0 || category >= memoryCategoryCount) continue;
            if (time < 0 || event.begin <= time) expected[static_cast<std::size_t>(category)] = event.bytes;
        }
        const MemoryTrack& memory = model.store().memory(rank);
        QVERIFY2((time < 0 ? memory.last() : memory.at(time)) == expected,
                 qPrintable(QStringLiteral("seed %1 rank %2 time %3").arg(seed).arg(rank).arg(time)));
    }
}

void RunModelTest::stepsAreFoundByTime() {
    const Plan plan = sample::plan(sample::layout(1, 2, 4));
    RunModel model;
    QCOMPARE(model.steps().indexAt(-1), -1);
    sample::fill(model, plan, 5, 3);
    QCOMPARE(model.steps().indexAt(-1), 4);
    QCOMPARE(model.steps().indexAt(0), -1);
    const auto& extents = model.steps().extents();
    for (std::size_t i = 0; i < extents.size(); ++i) {
        QVERIFY(extents[i].begin <= extents[i].firstForward);
        QVERIFY(extents[i].firstForward < extents[i].lastBackward);
        QVERIFY(extents[i].lastBackward <= extents[i].end);
        QCOMPARE(model.steps().indexAt(extents[i].begin), static_cast<int>(i));
        QCOMPARE(model.steps().indexAt(extents[i].end), static_cast<int>(i));
        QCOMPARE(model.steps().indexAt(extents[i].begin - 1), static_cast<int>(i) - 1);
    }
}

void RunModelTest::eventsOfAStep() {
    const Plan plan = sample::plan(sample::layout(1, 3, 4));
    RunModel model;
    sample::fill(model, plan, 4, 5);
    for (int step = 0; step < 4; ++step) {
        for (const Lane lane : {Lane::Compute, Lane::Comm}) {
            const auto found = eventsOfStep(model, 1, lane, step);
            const auto all = model.store().lane(1, lane).all();
            QCOMPARE(static_cast<std::ptrdiff_t>(found.size()),
                     std::count_if(all.begin(), all.end(), [&](const Event& e) { return e.step == step; }));
            for (const Event& event : found) QCOMPARE(event.step, step);
        }
    }
    QVERIFY(eventsOfStep(model, 1, Lane::Compute, 99).empty());
}

void RunModelTest::signalsOncePerBatch() {
    const Plan plan = sample::plan(sample::layout(1, 2, 2));
    RunModel model;
    QSignalSpy reset(&model, &RunModel::reset), appended(&model, &RunModel::appended);
    model.append(std::vector<Event>{{.begin = 1, .end = 2}});
    QCOMPARE(appended.count(), 0);
    model.begin(headerOf(plan), plan.simulation.events);
    QCOMPARE(reset.count(), 1);
    model.append(sample::events(plan, 2, 1));
    QCOMPARE(appended.count(), 1);
    model.append(std::span<const Event>{});
    QCOMPARE(appended.count(), 1);
}

void RunModelTest::beginningAnewForgets() {
    const Plan plan = sample::plan(sample::layout(1, 2, 2));
    RunModel model;
    sample::fill(model, plan, 3, 1);
    model.report().setEnd({"finished", {}});
    model.begin(headerOf(plan), plan.simulation.events);
    QCOMPARE(model.recorded().events, 0);
    QVERIFY(!model.report().end());
    QVERIFY(!model.store().hasMemory());
    QVERIFY(model.report().log().empty() && model.report().ranks().empty() && model.steps().extents().empty());
    QVERIFY(model.points().of(EventKind::Loss).empty());
    QVERIFY(!model.prediction().lane(0, Lane::Compute).empty());
    QVERIFY(model.prediction().firstForward() < model.prediction().lastBackward());
    QVERIFY(model.prediction().lastBackward() <= model.prediction().end());
    model.clear();
    QVERIFY(model.empty());
    QCOMPARE(model.ranks(), 0);
}

void RunModelTest::strayRanksAreNotKept() {
    const Plan plan = sample::plan(sample::layout(1, 2, 2));
    RunModel model;
    model.begin(headerOf(plan), plan.simulation.events);
    model.append(std::vector<Event>{{.begin = 1, .end = 5, .step = 0, .rank = 7, .kind = EventKind::Forward},
                                    {.begin = 1, .end = 5, .step = 0, .rank = -1, .kind = EventKind::Forward},
                                    {.begin = 2, .end = 6, .step = 0, .rank = 1, .kind = EventKind::Forward}});
    QCOMPARE(model.recorded().events, 1);
    QCOMPARE(model.store().lane(1, Lane::Compute).all().size(), std::size_t{1});
}

/// Six steps, and again from the fourth: live, and as a replay gives them, the restart first. Lanes keep everything,
/// where it happened; counters and steps are those of the last time.
void RunModelTest::stepsDoneAgainCountOnce() {
    const Plan plan = sample::plan(sample::layout(1, 2, 4));
    const std::vector<Event> once = sample::events(plan, 6, 9);
    std::int64_t end = 0;
    for (const Event& event : once) end = std::max(end, event.end);
    const Event restart{end + 10, end + 10, 0, 1, 0, 3, -1, Lane::Host, EventKind::Restart};
    std::vector<Event> again;
    for (Event event : once) {
        if (event.step < 3) continue;
        event.begin += restart.begin;
        event.end += restart.begin;
        again.push_back(event);
    }
    for (const bool live : {true, false}) {
        RunModel model;
        model.begin(headerOf(plan), plan.simulation.events);
        QSignalSpy reset(&model, &RunModel::reset);
        std::vector<Event> all;
        if (live) all = once;
        else model.append(std::span(&restart, 1));
        all.push_back(restart);
        if (!live) all.insert(all.end(), once.begin(), once.end());
        all.insert(all.end(), again.begin(), again.end());
        model.append(all);
        QCOMPARE(reset.count(), 1);
        QCOMPARE(model.recorded().events, static_cast<std::int64_t>(once.size() + 1 + again.size()));
        QCOMPARE(model.points().of(EventKind::Restart).size(), std::size_t{1});
        QCOMPARE(model.recorded().last, restart.begin + end);

        QCOMPARE(model.steps().extents().size(), std::size_t{6});
        const auto& losses = model.points().of(EventKind::Loss);
        QCOMPARE(losses.size(), std::size_t{6});
        for (int step = 0; step < 6; ++step) {
            const auto i = static_cast<std::size_t>(step);
            QVERIFY(model.steps().extents()[i].complete);
            QCOMPARE(losses[i].step, step);
            QCOMPARE(losses[i].begin > restart.begin, step >= 3);
            QCOMPARE(model.steps().extents()[i].begin > restart.begin, step >= 3);
            QCOMPARE(model.steps().indexAt(model.steps().extents()[i].begin), step);
            for (int rank = 0; rank < 2; ++rank) {
                const auto found = eventsOfStep(model, rank, Lane::Compute, step);
                const auto lane = model.store().lane(rank, Lane::Compute).all();
                const auto wanted = std::ranges::count_if(
                    lane, [&](const Event& e) { return e.step == step && (e.begin > restart.begin) == (step >= 3); });
                QCOMPARE(static_cast<std::ptrdiff_t>(found.size()), wanted);
                QVERIFY(ascending(lane) && wanted > 0);
            }
        }
    }
}

/// Thousands of steps in random pieces where a thousand are kept: those that stay are what they were, the newer half is
/// whole, the older ones lie evenly, and each has its counters.
void RunModelTest::aLongRunStaysWithinItsBudget() {
    constexpr std::size_t most = 1024;
    constexpr int steps = 6000;
    const std::uint64_t seed = freshSeed();
    std::mt19937_64 random(seed);
    const Plan plan = sample::plan(sample::layout(1, 2, 2));
    std::vector<Event> events = sample::events(plan, steps, seed);
    std::vector<Event> rare, late;  // in odd steps only; and what comes long after its step
    for (const Event& event : events) {
        if (event.kind != EventKind::Loss || event.step % 10 != 9) continue;
        rare.push_back(event);
        rare.back().kind = EventKind::NamedCounter;
        if (event.step % 100 != 99) continue;
        late.push_back(event);
        late.back().kind = EventKind::HostMemory;
        late.back().begin = late.back().end = event.end + 900 * (event.end / (event.step + 1));
    }
    events.insert(events.end(), rare.begin(), rare.end());
    events.insert(events.end(), late.begin(), late.end());
    std::ranges::stable_sort(events, {}, &Event::end);
    RunModel whole, kept;
    kept.setStepBudget(1);
    whole.begin(headerOf(plan), plan.simulation.events);
    kept.begin(headerOf(plan), plan.simulation.events);
    whole.append(events);
    QVERIFY(!whole.thinned() && whole.steps().all().size() == steps);
    std::uniform_int_distribution<std::size_t> size(1, 700);
    for (std::size_t at = 0; at < events.size();) {
        const std::size_t count = std::min(size(random), events.size() - at);
        kept.append(std::span(events).subspan(at, count));
        at += count;
        QVERIFY(kept.steps().all().size() <= most);
    }
    QVERIFY(kept.thinned());
    const auto& all = kept.steps().all();
    QCOMPARE(kept.steps().extents().size(), all.size());
    QVERIFY(all.size() > most / 2 && all.front().step == 0);
    int widest = 0;  // between steps that follow each other: an eighth of `most` stretches hold a step each at least
    for (std::size_t i = 1; i < all.size(); ++i) {
        const int gap = all[i].step - all[i - 1].step;
        if (i + most / 2 > all.size()) QCOMPARE(gap, 1);
        widest = std::max(widest, gap);
    }
    QVERIFY2(widest > 1 && widest <= 2 * steps / static_cast<int>(most / 8), qPrintable(QString::number(widest)));
    const auto losses = kept.points().of(EventKind::Loss);
    QCOMPARE(losses.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto original = static_cast<std::size_t>(all[i].step);
        QVERIFY(all[i].ranks == whole.steps().all()[original].ranks && all[i].seconds > 0);
        QCOMPARE(kept.steps().extents()[i].begin, whole.steps().extents()[original].begin);
        QVERIFY(kept.steps().extents()[i].complete);
        QCOMPARE(losses[i].step, all[i].step);
        QCOMPARE(kept.steps().indexAt(kept.steps().extents()[i].begin), static_cast<int>(i));
    }
    QCOMPARE(kept.recorded().events, whole.recorded().events);
    const std::size_t validations = kept.points().of(EventKind::ValidationLoss).size();
    QVERIFY2(validations > most / 4 && validations < static_cast<std::size_t>(steps) / 5,
             qPrintable(QString::number(validations)));
    const Counter* named = kept.points().counters().find(EventKind::NamedCounter, 0);
    QVERIFY(named && named->ranks.at(plan.mesh.ranks() - 1).samples().size() == steps / 10);
    for (int rank = 0; rank < plan.mesh.ranks(); ++rank)
        for (const Lane lane : {Lane::Compute, Lane::Comm})
            QVERIFY(sameEvents(kept.store().lane(rank, lane).all(), whole.store().lane(rank, lane).all()));
}

QTEST_GUILESS_MAIN(RunModelTest)
#include "run_model_test.moc"
