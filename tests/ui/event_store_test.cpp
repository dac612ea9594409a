// SPDX-License-Identifier: GPL-3.0-or-later
// Events in blocks: with next to no room for decoded ones every view says the same as with all the room there is, and
// as looking at every event does.
#include "engine/trace/run_file/sqlite.h"
#include "tests/support/seed.h"
#include "tests/ui/bench_context.h"
#include "tests/ui/random_lane.h"
#include "tests/support/wings.h"
#include "ui/core/event_scan.h"
#include "ui/core/replay_session.h"
#include "ui/timeline/timeline_plot.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <map>
#include <tuple>

using namespace shardlab;
using namespace shardlab::test;

namespace {

constexpr std::size_t allTheRoom = std::size_t{1} << 34;

struct Recorded {
    Plan plan = sample::plan(sample::layout(1, 2, 12));
    std::vector<Event> events;

    Recorded(std::uint64_t seed, int steps) : events(sample::events(plan, steps, seed)) {}
    /// Spans of a lane, ascending by begin.
    std::vector<Event> lane(int rank, Lane lane) const {
        std::vector<Event> found;
        for (const Event& event : events)
            if (event.rank == rank && event.lane == lane && isSpan(event.kind)) found.push_back(event);
        std::ranges::stable_sort(found, {}, &Event::begin);
        return found;
    }
    void write(const std::filesystem::path& file) const {
        auto writer = RunWriter::create(file, headerOf(plan));
        QVERIFY(writer);
        QVERIFY((*writer)->appendPredicted(plan.simulation.events).has_value());
        for (std::size_t at = 0; at < events.size(); at += 3000)
            QVERIFY((*writer)
                        ->append(std::span(events).subspan(at, std::min<std::size_t>(3000, events.size() - at)))
                        .has_value());
        QVERIFY((*writer)->finish({"finished", ""}).has_value());
    }
};

/// A run as it is replayed from a file, or as it arrived.
struct Desk {
    sample::Bench bench{Workspace::Replay};
    std::unique_ptr<ReplaySession> session;

    Desk(const Recorded& run, const std::filesystem::path& file, bool live, std::size_t budget) {
        bench.model.setBlockBudget(budget);
        if (live) {
            bench.model.begin(headerOf(run.plan), run.plan.simulation.events);
            for (std::size_t at = 0; at < run.events.size(); at += 1000)
                bench.model.append(
                    std::span(run.events).subspan(at, std::min<std::size_t>(1000, run.events.size() - at)));
            return;
        }
        session = std::make_unique<ReplaySession>(bench.model);
        QSignalSpy finished(session.get(), &ReplaySession::finished);
        session->open(file);
        QVERIFY(finished.wait(60'000));
    }
    const RunModel& model() const { return bench.model; }
    bool withinBudget() const { return model().store().cache()->bytes() <= model().store().cache()->budget(); }
};

bool sameMoments(std::vector<Event> a, std::vector<Event> b) {
    const auto key = [](const Event& event) {
        return std::tuple(event.begin, event.end, event.rank, event.lane, event.kind, event.action, event.step);
    };
    std::ranges::sort(a, {}, key);
    std::ranges::sort(b, {}, key);
    return a == b;
}

/// What a plot shows once all that it needs is there.
QImage pictureOf(TimelinePlot& plot) {
    static_cast<void>(QTest::qWaitFor([&] { return plot.flush(), plot.index().blocks().complete(); }));
    return plot.grab().toImage();
}

}  // namespace

class EventStoreTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        seed_ = freshSeed();
        QVERIFY(folder_.isValid());
    }

    void answersDoNotDependOnRoom_data() {
        QTest::addColumn<bool>("live");
        QTest::newRow("replayed") << false;
        QTest::newRow("arrived") << true;
    }
    void answersDoNotDependOnRoom() {
        QFETCH(bool, live);
        std::mt19937_64 random(seed_);
        const Recorded run(seed_, live ? 1600 : 320);  // what arrives in more blocks than are told apart
        const std::filesystem::path file = folder_.filePath("run.shardlab").toStdString();
        run.write(file);
        const std::size_t budget = std::uniform_int_distribution<std::size_t>(1000, live ? 400'000 : 1'500'000)(random);
        const Desk little(run, file, live, budget), much(run, file, live, allTheRoom);
        QCOMPARE(little.model().recorded().events, static_cast<std::int64_t>(run.events.size()));
        QVERIFY(little.model().store().lane(0, Lane::Compute).entries().size() > 2);
        if (live) {
            std::size_t bytes = 0;
            for (int rank = 0; rank < 2; ++rank)
                for (int lane = 0; lane < laneCount; ++lane) {
                    const auto& entries = little.model().store().lane(rank, static_cast<Lane>(lane)).entries();
                    QVERIFY(entries.size() <= little.model().store().mostBlocks());
                    for (const StoredLane::Entry& entry : entries) bytes += entry.digest->bytes();
                }
            QCOMPARE(little.model().store().digestBytes(), bytes);
            const auto& entries = little.model().store().lane(0, Lane::Compute).entries();
            QVERIFY2(std::ranges::max(entries, {}, &StoredLane::Entry::count).count > entries.back().count,
                     "older blocks were joined");
        }
        std::uniform_int_distribution<std::int64_t> moment(-1'000'000, little.model().recorded().last + 1'000'000);
        const auto note = [&](int query) {
            return qPrintable(QStringLiteral("seed %1 budget %2 query %3").arg(seed_).arg(budget).arg(query));
        };
        for (int rank = 0; rank < 2; ++rank)
            for (int lane = 0; lane < laneCount; ++lane)
                QVERIFY2(sameMoments(little.model().store().lane(rank, static_cast<Lane>(lane)).all(),
                                     run.lane(rank, static_cast<Lane>(lane))),
                         note(-1));
        for (int query = 0; query < 120; ++query) {
            const int rank = query % 2;
            const Lane lane = static_cast<Lane>(query / 2 % laneCount);
            std::int64_t begin = moment(random), end = query % 3 == 0 ? begin + moment(random) / 300 : moment(random);
            if (end < begin) std::swap(begin, end);
            const StoredLane& a = little.model().store().lane(rank, lane);
            const StoredLane& b = much.model().store().lane(rank, lane);
            std::vector<Event> expected;
            for (const Event& event : run.lane(rank, lane))
                if (event.end > begin && event.begin < end) expected.push_back(event);
            QVERIFY2(sameMoments(a.within(begin, end), expected), note(query));
            QCOMPARE(a.count(begin, end), static_cast<std::int64_t>(expected.size()));
            QVERIFY2(a.within(begin, end) == b.within(begin, end) || live, note(query));
            QVERIFY2(sameMoments(a.within(begin, end), b.within(begin, end)), note(query));
            const int step = static_cast<int>(random() % 330);
            std::vector<Event> ofStep = run.lane(rank, lane);
            std::erase_if(ofStep, [&](const Event& event) { return event.step != step; });
            QVERIFY2(sameMoments(eventsOfStep(little.model(), rank, lane, step), ofStep), note(query));
            const auto wanted = [](const Event& event) { return event.kind != EventKind::Wait; };
            const auto next = a.next(begin, wanted);
            const auto first = std::ranges::find_if(expected = run.lane(rank, lane), [&](const Event& event) {
                return event.begin >= begin && wanted(event);
            });
            QCOMPARE(next.has_value(), first != expected.end());
            if (next) QCOMPARE(next->begin, first->begin);
            const auto previous = a.previous(begin, wanted);
            const auto last = std::find_if(expected.rbegin(), expected.rend(),
                                           [&](const Event& event) { return event.begin < begin && wanted(event); });
            QCOMPARE(previous.has_value(), last != expected.rend());
            if (previous) QCOMPARE(previous->begin, last->begin);
            if (next) {
                const auto after = a.next(next->begin, wanted, &*next);
                QVERIFY2(!after || (after->begin >= next->begin && !(*after == *next)), note(query));
            }
            if (!live) QVERIFY2(a.coverage(begin, end) == b.coverage(begin, end), note(query));
            QVERIFY2(little.model().store().memory(rank).at(begin) == much.model().store().memory(rank).at(begin),
                     note(query));
            QVERIFY2(little.model().store().memory(rank).largest(begin, end) ==
                         much.model().store().memory(rank).largest(begin, end),
                     note(query));
            const MemoryCurve curve = measuredMemory(little.model(), rank, begin, end, 1'000'000);
            QVERIFY2(curve.points == measuredMemory(much.model(), rank, begin, end, 1'000'000).points, note(query));
            const MemoryCurve afar = measuredMemory(little.model(), rank, begin, end, 50);
            QVERIFY2(afar.points.size() <= 51, note(query));
            if (!live) QVERIFY2(afar.points == measuredMemory(much.model(), rank, begin, end, 50).points, note(query));
            QVERIFY2(little.withinBudget() && much.withinBudget(), note(query));
        }
    }

    void memoryEqualsLookingAtEverySample() {
        std::mt19937_64 random(seed_ + 1);
        const bool live = random() % 2 == 0;
        const Recorded run(seed_ + 1, live ? 1600 : 240);
        const std::filesystem::path file = folder_.filePath("memory.shardlab").toStdString();
        run.write(file);
        const Desk desk(run, file, live, 40'000);
        for (int query = 0; query < 40; ++query) {
            const int rank = query % 2;
            std::int64_t begin = std::uniform_int_distribution<std::int64_t>(0, desk.model().recorded().last)(random);
            std::int64_t end = begin + static_cast<std::int64_t>(random() % 20) * desk.model().recorded().last / 30;
            MemoryBytes now{}, largest{};
            bool begun = false;
            for (const Event& event : run.events) {
                const auto category = memoryCategory(event.kind, EventKind::MemoryUsed);
                if (event.rank != rank || !category || event.begin > end) continue;
                if (!begun && event.begin > begin) largest = now, begun = true;
                now[static_cast<std::size_t>(*category)] = event.bytes;
                if (begun && total(now) > total(largest)) largest = now;
            }
            if (!begun) largest = now;
            QVERIFY2(desk.model().store().memory(rank).largest(begin, end) == largest,
                     qPrintable(QStringLiteral("seed %1 live %2 query %3: [%4, %5] %6 in place of %7")
                                    .arg(seed_ + 1)
                                    .arg(live)
                                    .arg(query)
                                    .arg(begin)
                                    .arg(end)
                                    .arg(total(desk.model().store().memory(rank).largest(begin, end)))
                                    .arg(total(largest))));
        }
    }

    void scansSeeEverythingOnce() {
        const Recorded run(seed_ + 2, 200);
        const std::filesystem::path file = folder_.filePath("scan.shardlab").toStdString();
        run.write(file);
        for (const bool wait : {true, false}) {
            const Desk desk(run, file, false, 300'000);
            EventScan scan(desk.model());
            std::vector<Event> seen;
            QSignalSpy finished(&scan, &EventScan::finished);
            scan.start([&](const Event& event) { seen.push_back(event); });
            if (wait) scan.finish();
            else QVERIFY(finished.wait(60'000));
            std::vector<Event> expected;
            for (const Event& event : run.events)
                if (isSpan(event.kind)) expected.push_back(event);
            QVERIFY2(sameMoments(seen, expected), qPrintable(QStringLiteral("seed %1: %2 of %3, waited for: %4")
                                                                 .arg(seed_ + 2)
                                                                 .arg(seen.size())
                                                                 .arg(expected.size())
                                                                 .arg(wait)));
            QVERIFY(desk.withinBudget());
        }
    }

    /// Blocks are made and joined while the scan goes on: what was there when it began is seen once, nothing twice.
    void scansOfARunThatArrives() {
        std::mt19937_64 random(seed_ + 7);
        const Recorded run(seed_ + 7, 1200);
        sample::Bench bench{Workspace::Replay};
        bench.model.setBlockBudget(100'000);
        bench.model.begin(headerOf(run.plan), run.plan.simulation.events);
        const std::size_t begun = run.events.size() / 3;
        bench.model.append(std::span(run.events).first(begun));
        std::map<std::tuple<std::int64_t, std::int64_t, int, int, ActionId, int>, int> seen;
        const auto key = [](const Event& event) {
            return std::tuple(event.begin, event.end, int{event.rank}, static_cast<int>(event.lane), event.action,
                              event.step);
        };
        std::map<std::tuple<std::int64_t, std::int64_t, int, int, ActionId, int>, int> there;
        for (const Event& event : run.events)
            if (isSpan(event.kind)) ++there[key(event)];
        EventScan scan(bench.model);
        QSignalSpy finished(&scan, &EventScan::finished);
        std::size_t arrived = begun;
        scan.start([&](const Event& event) { ++seen[key(event)]; });
        while (finished.isEmpty()) {
            const std::size_t count = std::min<std::size_t>(1 + random() % 3000, run.events.size() - arrived);
            bench.model.append(std::span(run.events).subspan(arrived, count));
            arrived += count;
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
        }
        QVERIFY(arrived > begun);
        const auto note = qPrintable(QStringLiteral("seed %1").arg(seed_ + 7));
        for (const auto& [event, times] : seen) QVERIFY2(times <= there[event], note);
        for (const Event& event : std::span(run.events).first(begun))
            if (isSpan(event.kind)) QVERIFY2(seen[key(event)] == there[key(event)], note);
    }

    void picturesDoNotDependOnRoom() {
        std::mt19937_64 random(seed_ + 3);
        const Recorded run(seed_ + 3, 260);
        const std::filesystem::path file = folder_.filePath("picture.shardlab").toStdString();
        run.write(file);
        Desk little(run, file, false, 20'000), much(run, file, false, allTheRoom);
        TimelinePlot a(little.bench.context(), nullptr), b(much.bench.context(), nullptr);
        for (TimelinePlot* plot : {&a, &b}) {
            plot->resize(900, 300);
            plot->show();
        }
        const std::int64_t end = little.model().recorded().last;
        for (int query = 0; query < 25; ++query) {
            const double zoom = std::pow(10.0, -std::uniform_real_distribution<double>(0, 4)(random));
            const auto length =
                std::max<std::int64_t>(static_cast<std::int64_t>(zoom * static_cast<double>(end)), 1000);
            const std::int64_t begin =
                std::uniform_int_distribution<std::int64_t>(0, end - std::min(length, end - 1))(random);
            for (Desk* desk : {&little, &much}) desk->bench.selection.setVisible({begin, begin + length});
            const QImage first = pictureOf(a), second = pictureOf(b);
            QVERIFY2(first == second, qPrintable(QStringLiteral("seed %1 query %2: %3 ns from %4")
                                                     .arg(seed_ + 3)
                                                     .arg(query)
                                                     .arg(length)
                                                     .arg(begin)));
            QVERIFY(little.withinBudget());
        }
    }

    /// Cells against events: what they cover differs by no more than two of them and their rounding.
    void overviewsAreCloseToEvents() {
        std::mt19937_64 random(seed_ + 4);
        for (const bool overlapping : {false, true})
            for (int round = 0; round < 30; ++round) {
                const auto events =
                    sample::randomLane(random, std::uniform_int_distribution<int>(1, 4096)(random), overlapping);
                const BlockOverview overview(events);
                Coverage all;
                for (const Event& event : events)
                    if (const Paint paint = paintOf(event.kind); paint != Paint::None)
                        all[paint] += event.end - event.begin;
                QVERIFY(overview.total() == all);
                for (int query = 0; query < 20; ++query) {
                    std::uniform_int_distribution<std::int64_t> moment(events.front().begin - 50,
                                                                       events.back().end + 50);
                    std::int64_t begin = moment(random), end = moment(random);
                    if (end < begin) std::swap(begin, end);
                    Coverage covered;
                    for (const Event& event : events) {
                        const std::int64_t part = std::min(event.end, end) - std::max(event.begin, begin);
                        if (const Paint paint = paintOf(event.kind); paint != Paint::None && part > 0)
                            covered[paint] += part;
                    }
                    const Coverage found = overview.within(begin, end);
                    const double rounding = static_cast<double>(end - begin) / 255 + 2 * overview.cell() + 2;
                    // A cell tells no more of one paint than that it is full.
                    if (!overlapping)
                        for (std::size_t paint = 0; paint < paintCount; ++paint)
                            QVERIFY2(std::abs(static_cast<double>(found.of[paint] - covered.of[paint])) <= rounding,
                                     qPrintable(QStringLiteral("seed %1 round %2 paint %3: %4 for %5")
                                                    .arg(seed_ + 4)
                                                    .arg(round)
                                                    .arg(paint)
                                                    .arg(found.of[paint])
                                                    .arg(covered.of[paint])));
                    else
                        for (std::size_t paint = 0; paint < paintCount; ++paint)
                            QVERIFY(static_cast<double>(found.of[paint]) <=
                                    static_cast<double>(all.of[paint]) + rounding);
                }
            }
    }

    /// Joined again and again, as blocks of a long run are.
    void joinedOverviewsAreCloseToEvents() {
        std::mt19937_64 random(seed_ + 8);
        for (int round = 0; round < 40; ++round) {
            const auto events =
                sample::randomLane(random, std::uniform_int_distribution<int>(2, 30'000)(random), round % 3 == 0);
            const std::size_t piece = std::uniform_int_distribution<std::size_t>(1, 4096)(random);
            std::vector<BlockOverview> parts;
            for (std::size_t at = 0; at < events.size(); at += piece)
                parts.emplace_back(std::span(events).subspan(at, std::min(piece, events.size() - at)));
            while (parts.size() > 1) {
                const std::size_t at = random() % (parts.size() - 1);
                parts[at] = BlockOverview(parts[at], parts[at + 1]);
                parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
            }
            const BlockOverview& overview = parts.front();
            const std::int64_t first = events.front().begin, last = events.back().end + 1000;
            Coverage all;
            for (const Event& event : events)
                if (const Paint paint = paintOf(event.kind); paint != Paint::None)
                    all[paint] += event.end - event.begin;
            QVERIFY(overview.total() == all);
            QVERIFY(overview.bytes() < 20'000);
            const Coverage whole = overview.within(first - 50, last);
            for (int query = 0; query < 20; ++query) {
                std::uniform_int_distribution<std::int64_t> moment(first - 50, last);
                std::int64_t begin = moment(random), end = moment(random);
                if (end < begin) std::swap(begin, end);
                const Coverage found = overview.within(begin, end);
                for (std::size_t paint = 0; paint < paintCount; ++paint) {
                    std::int64_t covered = 0;
                    for (const Event& event : events)
                        if (static_cast<std::size_t>(paintOf(event.kind)) == paint)
                            covered +=
                                std::max<std::int64_t>(0, std::min(event.end, end) - std::max(event.begin, begin));
                    const double rounding = static_cast<double>(last - first) / 127 + 8 * overview.cell() + 8;
                    const QString note = QStringLiteral("seed %1 round %2 paint %3: %4 for %5, cells of %6")
                                             .arg(seed_ + 8)
                                             .arg(round)
                                             .arg(paint)
                                             .arg(found.of[paint])
                                             .arg(covered)
                                             .arg(overview.cell());
                    if (round % 3 != 0)
                        QVERIFY2(std::abs(static_cast<double>(found.of[paint] - covered)) <= rounding,
                                 qPrintable(note));
                    else
                        QVERIFY2(static_cast<double>(found.of[paint]) <= static_cast<double>(all.of[paint]) + rounding,
                                 qPrintable(note));
                    QVERIFY2(found.of[paint] <= whole.of[paint] + 1, qPrintable(note));
                }
            }
        }
    }

    void cacheKeepsWhatWasUsedLast() {
        std::mt19937_64 random(seed_ + 5);
        auto scratch = std::make_shared<ScratchBlockSource>();
        std::vector<std::vector<Event>> blocks;
        for (int i = 0; i < 20; ++i) {
            blocks.push_back(sample::randomLane(random, 200, false));
            QCOMPARE(scratch->add(blocks.back()), static_cast<BlockKey>(i + 1));
        }
        const std::size_t one = decodedBlock(blocks[0]).bytes();
        BlockCache cache(scratch, 5 * one);
        const BlockCache::Block held = cache.load(1);
        for (int i = 0; i < 2000; ++i) {
            const auto key = static_cast<BlockKey>(1 + random() % 20);
            const BlockCache::Block block = cache.load(key);
            QVERIFY2(block->spans == blocks[static_cast<std::size_t>(key) - 1],
                     qPrintable(QStringLiteral("seed %1 block %2").arg(seed_ + 5).arg(key)));
            QVERIFY(cache.bytes() <= cache.budget());
            QVERIFY(cache.find(key) == block);
            QVERIFY2(cache.load(1) == held, "what somebody holds is not read twice");
        }
        QVERIFY(cache.load(99)->spans.empty());
        const auto joined = scratch->join(3, 7);
        QVERIFY(joined && !scratch->join(3, 8) && !scratch->join(8, 8));
        const auto more = scratch->join(*joined, 4);
        QVERIFY(more && *more != *joined);
        std::vector<Event> read, expected;
        QVERIFY(!scratch->read(3, read) && !scratch->read(*joined, read));
        QVERIFY(scratch->read(*more, read));
        for (const std::size_t block : {2, 6, 3})
            expected.insert(expected.end(), blocks[block].begin(), blocks[block].end());
        QVERIFY2(read == expected, qPrintable(QStringLiteral("seed %1").arg(seed_ + 5)));
    }

    void aDamagedBlockIsNamedAndTheRestShown() {
        const Recorded run(seed_ + 6, 320);
        const std::filesystem::path file = folder_.filePath("damaged.shardlab").toStdString();
        run.write(file);
        std::int64_t lost = 0;
        {
            auto reader = RunReader::open(file);
            QVERIFY(reader);
            const auto places = (*reader)->places();
            QVERIFY(places && places->size() > 4);
            lost = (*places)[2].id;
        }
        auto database = Database::open(file, DatabaseMode::Write);
        QVERIFY(database);
        QVERIFY(
            database->run(("UPDATE block SET crc = crc + 1 WHERE id = " + std::to_string(lost)).c_str()).has_value());
        QVERIFY(database->close().has_value());
        sample::Bench bench(Workspace::Replay);
        ReplaySession session(bench.model);
        QString why;
        connect(&session, &ReplaySession::failed, this,
                [&](const QString&, const Error& error) { why = QString::fromStdString(error.text()); });
        session.open(file);
        QTRY_VERIFY_WITH_TIMEOUT(!session.reading(), 60'000);
        QVERIFY2(why.contains(QStringLiteral("block %1 ").arg(lost)) && why.contains("checksum") &&
                     why.contains("damaged.shardlab"),
                 qPrintable(why));
        std::size_t left = 0;
        for (int rank = 0; rank < 2; ++rank)
            for (int lane = 0; lane < laneCount; ++lane)
                left += bench.model.store().lane(rank, static_cast<Lane>(lane)).all().size();
        QVERIFY(left > 0 && left < static_cast<std::size_t>(std::ranges::count_if(run.events, isSpan, &Event::kind)));
    }

private:
    std::uint64_t seed_ = 0;
    QTemporaryDir folder_;
};

QTEST_MAIN(EventStoreTest)
#include "event_store_test.moc"
