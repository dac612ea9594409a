// SPDX-License-Identifier: Apache-2.0
// Runs with a size limit: the file never exceeds it, every step keeps its figures, and the steps that are said to be
// whole are whole.
#include "engine/launch/job/run_summary.h"
#include "engine/layout/check/check.h"
#include "engine/trace/event/event_codec.h"
#include "engine/trace/query/query.h"
#include "engine/trace/run_file/block_store.h"
#include "engine/trace/run_file/run_schema.h"
#include "engine/trace/run_file/table_seals.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/seed.h"
#include "tests/trace/random_run.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sqlite3.h>
#include <tuple>

using namespace shardlab::test;

namespace {

using StepEvents = std::map<int, std::vector<Event>>;  ///< details alone, each step's in one order

/// In an order that does not depend on that of the blocks.
void sort(std::vector<Event>& events) {
    std::ranges::sort(events, {}, [](const Event& e) {
        return std::tuple(e.rank, e.lane, e.begin, e.end, e.kind, e.action, e.bytes, e.value);
    });
}

StepEvents detailsOf(std::span<const Event> events) {
    StepEvents steps;
    for (const Event& event : events)
        if (isDetail(event)) steps[event.step].push_back(event);
    for (auto& [step, details] : steps) sort(details);
    return steps;
}

std::vector<Event> lasting(std::span<const Event> events) {
    std::vector<Event> all;
    std::ranges::copy_if(events, std::back_inserter(all), [](const Event& event) { return !isDetail(event); });
    sort(all);
    return all;
}

std::vector<Event> eventsOf(const RunReader& run) {
    std::vector<Event> events;
    const Status read = run.readEvents([&](std::span<const Event> block) {
        events.insert(events.end(), block.begin(), block.end());
        return true;
    });
    if (!read) qWarning("%s", read.error().text().c_str());
    return events;
}

std::int64_t countOf(const RunReader& run, const std::string& sql) {
    const auto query = RunQuery::open(run);
    std::int64_t count = -1;
    const Status asked = (*query)->ask(sql, {[](const auto&) {},
                                             [&](std::span<const Cell> row) {
                                                 count = std::get<std::int64_t>(row[0]);
                                                 return true;
                                             },
                                             {}});
    if (!asked) qWarning("%s", asked.error().text().c_str());
    return count;
}

RunHeader headerOf(int ranks, std::int64_t limit, int last, int every) {
    RunHeader header;
    header.layout = layoutOfRanks(ranks);
    header.layout.run.sizeLimit = limit;
    header.layout.run.keepLast = last;
    header.layout.run.keepEvery = every;
    return header;
}

/// The table of blocks alone, of one lane a rank.
struct StoreOfBlocks {
    StoreOfBlocks(const std::string& file, std::size_t most = BlockStore::usualDescriptions)
        : database(Database::open(file, DatabaseMode::Create)) {
        keep(database->run(runTables));
        keep(sealAll(*database));
        seals.emplace(*database);
        auto insert = database->prepare("INSERT OR REPLACE INTO block VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
        blocks.emplace(*database, *seals, std::move(*insert), most);
    }
    void add(std::span<const Event> events) {
        for (const Event& event : events) {
            blocks->add(EventSource::Measured, event);
            std::size_t& last = open[event.rank];
            last = last + 1 == largestBlock ? 0 : last + 1;
        }
        keep(database->run("BEGIN"));
        if (!blocks->write() || !seals->store()) keep(fail(database->error(say("a block is not written"))));
        keep(database->run("COMMIT"));
        blocks->settle();
    }
    void thin(const Thinning& thinning) {
        keep(database->run("BEGIN"));
        for (std::size_t lane = 0; lane < blocks->lanes(); ++lane)
            if (const auto gone = blocks->thin(lane, thinning); !gone) keep(fail(gone.error()));
        if (!seals->store()) keep(fail(database->error(say("a seal is not written"))));
        keep(database->run("COMMIT"));
        blocks->settle();
    }
    std::vector<Event> lane(int rank) {
        std::vector<Event> all, events;
        BlockUnpacker unpacker;
        auto rows = database->prepare("SELECT data FROM block WHERE rank = ? ORDER BY id");
        rows->bind(std::int64_t{rank});
        while (rows->next() == SQLITE_ROW) {
            keep(unpacker.unpack(rows->bytes(0), events));
            all.insert(all.end(), events.begin(), events.end());
        }
        return all;
    }
    /// Events of the block that the lane fills now.
    std::size_t eventsOfLast(int rank) { return open[rank]; }
    void keep(const Status& status) {
        if (!status && failure.empty()) failure = status.error().text();
    }

    Result<Database> database;
    std::optional<TableSeals> seals;
    std::optional<BlockStore> blocks;
    std::map<int, std::size_t> open;
    std::string failure;  ///< the first
};

}  // namespace

class SizeLimitTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void aLongRunNeverExceedsIt() {
        RandomEvents random(freshSeed());
        const int ranks = static_cast<int>(1 + random.below(3));
        const int steps = 4000;
        const std::int64_t limit = (std::int64_t{1} << 20) * (1 + ranks);
        const RandomRun run = RandomRuns(random).make(ranks, steps, 0, 12);
        auto writer = RunWriter::create(file(), headerOf(ranks, limit, 40, 50));
        QVERIFY2(writer, writer ? "" : writer.error().text().c_str());
        std::int64_t largest = 0;
        std::int64_t largestLog = 0;
        for (std::size_t at = 0; at < run.events.size();) {
            const auto count = std::min(run.events.size() - at, static_cast<std::size_t>(1 + random.below(4000)));
            QVERIFY((*writer)->append(std::span(run.events).subspan(at, count)));
            if (random.below(2) == 0) QVERIFY((*writer)->flush());
            at += count;
            largest = std::max(largest, bytesOf(file()));
            largestLog = std::max(largestLog, bytesOf(file() + "-wal"));
        }
        std::vector<LogLine> notices = (*writer)->takeNotices();
        QVERIFY(!notices.empty());
        QVERIFY2(notices.front().text.find("size limit") != std::string::npos, notices.front().text.c_str());
        QVERIFY((*writer)->finish({"finished", ""}));
        largest = std::max(largest, bytesOf(file()));
        qInfo("limit %lld, file at most %lld, log beside it at most %lld", static_cast<long long>(limit),
              static_cast<long long>(largest), static_cast<long long>(largestLog));
        QVERIFY(largest <= limit);
        QVERIFY(largestLog <= limit);

        const auto reader = RunReader::open(file());
        QVERIFY(reader);
        const Thinning& thinning = (*reader)->thinning();
        QCOMPARE(thinning.sizeLimit, limit);
        QVERIFY(thinning.steps() > 0);
        QVERIFY(thinning.before <= steps - 1);
        // Every step's figures, as if nothing had been thinned.
        Summarizer wanted(ranks, true, SentBytes(layoutOfRanks(ranks)));
        wanted.add(run.events);
        std::size_t at = 0;
        QVERIFY((*reader)->readFigures(
            [&](const StepFigures& step) {
                if (at < wanted.steps().size() && step.times.step == wanted.steps()[at].step &&
                    step.times.ranks == wanted.steps()[at].ranks)
                    ++at;
                return true;
            },
            0));
        QCOMPARE(at, static_cast<std::size_t>(steps));
        QCOMPARE(countOf(**reader, "SELECT count(*) FROM steps WHERE loss IS NOT NULL"), std::int64_t{steps});
        QCOMPARE(countOf(**reader, "SELECT sum(thinned) FROM steps"), thinning.steps());
        // What it says is whole is whole, and the rest of events is counted.
        const std::vector<Event> events = eventsOf(**reader);
        const StepEvents given = detailsOf(run.events), left = detailsOf(events);
        int whole = 0;
        for (const auto& [step, details] : given) {
            if (thinning.thinned(step)) continue;
            ++whole;
            QVERIFY2(left.contains(step) && identical(left.at(step), details),
                     qPrintable(QString("step %1").arg(step)));
        }
        QCOMPARE(whole, steps - thinning.steps());
        QVERIFY(whole >= thinning.last);
        QCOMPARE(static_cast<std::int64_t>(run.events.size() - events.size()), thinning.events);
        // Losses and the like are all there.
        QVERIFY(identical(lasting(run.events), lasting(events)));
        const auto summary = summarize(**reader);
        QVERIFY(summary);
        QCOMPARE(summary->losses.size(), static_cast<std::size_t>(steps));
        const auto log = (*reader)->log();
        QVERIFY(log && !log->empty());
        QCOMPARE(log->front().text, notices.front().text);
    }

    void withinItNothingGoes() {
        RandomEvents random(freshSeed());
        const RandomRun run = RandomRuns(random).make(2, 30, 1, 2);
        {
            auto writer = RunWriter::create(file(), headerOf(2, 64 << 20, 5, 0));
            QVERIFY((*writer)->append(run.events));
            QVERIFY((*writer)->finish({"finished", ""}));
        }
        const auto reader = RunReader::open(file());
        QCOMPARE((*reader)->thinning().steps(), std::int64_t{0});
        QCOMPARE((*reader)->eventCount(), static_cast<std::int64_t>(run.events.size()));
        QVERIFY(thinnedText((*reader)->thinning()).empty());
    }

    /// Steps that are done again are whole again, until they too are old.
    void restartsAreThinnedToo() {
        RandomEvents random(freshSeed());
        const RandomRun run = RandomRuns(random).make(2, 3000, 3, 8);
        {
            auto writer = RunWriter::create(file(), headerOf(2, 2 << 20, 20, 100));
            for (std::size_t at = 0; at < run.events.size(); at += 3000) {
                QVERIFY((*writer)->append(
                    std::span(run.events).subspan(at, std::min<std::size_t>(3000, run.events.size() - at))));
                QVERIFY((*writer)->flush());
            }
            QVERIFY((*writer)->finish({"finished", ""}));
        }
        QVERIFY(bytesOf(file()) <= 2 << 20);
        const auto reader = RunReader::open(file());
        const Thinning& thinning = (*reader)->thinning();
        const StepEvents given = detailsOf(run.counting), left = detailsOf(eventsOf(**reader));
        for (const auto& [step, details] : given) {
            if (thinning.thinned(step)) continue;
            // What was superseded may be there beside it.
            std::size_t found = 0;
            for (const Event& event : left.contains(step) ? left.at(step) : std::vector<Event>{})
                if (found < details.size() && identical(event, details[found])) ++found;
            QVERIFY2(found == details.size(),
                     qPrintable(QString("step %1: %2 of %3").arg(step).arg(found).arg(details.size())));
        }
        QCOMPARE(countOf(**reader, "SELECT count(*) FROM steps"), std::int64_t{3000});
    }

    /// Where the last steps alone are too much, fewer of them stay, and the file says so.
    void whatDoesNotFitIsSaid() {
        RandomEvents random(freshSeed());
        const RandomRun run = RandomRuns(random).make(1, 400, 0, 400);
        auto writer = RunWriter::create(file(), headerOf(1, 1 << 20, 300, 10));
        for (std::size_t at = 0; at < run.events.size(); at += 3000)
            QVERIFY((*writer)->append(
                std::span(run.events).subspan(at, std::min<std::size_t>(3000, run.events.size() - at))));
        QVERIFY((*writer)->thinning().last < 300);
        QVERIFY((*writer)->thinning().last >= 1);
        QCOMPARE((*writer)->thinning().askedLast, 300);
        QVERIFY((*writer)->finish({"finished", ""}));
        QVERIFY(bytesOf(file()) <= 1 << 20);
    }

    /// A recorder that knows its blocks by few descriptions thins them to the same events as one that knows each.
    void longRunsAreDescribedInFewWords() {
        RandomEvents random(freshSeed());
        constexpr std::size_t most = 6;
        const int lanes = 3, steps = 400;
        std::array<StoreOfBlocks, 2> stores{StoreOfBlocks(folder_->filePath("few").toStdString(), most),
                                            StoreOfBlocks(folder_->filePath("each").toStdString())};
        std::array<std::vector<Event>, lanes> wanted;
        Thinning thinning = Thinning::of({.sizeLimit = 1 << 20, .keepLast = 10, .keepEvery = 7});
        for (int step = 0; step < steps; ++step) {
            const int rank = static_cast<int>(random.below(lanes));
            std::vector<Event> events =
                random.plausible(static_cast<std::size_t>(1 + random.below(2 * largestBlock)), rank);
            for (Event& event : events) {
                event.step = step;
                event.lane = Lane::Compute;
            }
            auto& lane = wanted[static_cast<std::size_t>(rank)];
            lane.insert(lane.end(), events.begin(), events.end());
            for (StoreOfBlocks& store : stores) store.add(events);
            QVERIFY(stores[0].blocks->descriptions() <= most * lanes);
            // Few at first, so that many are told as one when the next are thinned.
            if (random.below(step < steps / 2 ? 100 : 20) != 0) continue;
            thinning.before = step - 10;
            if (random.below(4) == 0) thinning.every *= 2;
            for (StoreOfBlocks& store : stores) store.thin(thinning);
        }
        thinning.before = steps - 10;
        for (StoreOfBlocks& store : stores) store.thin(thinning);
        QVERIFY(stores[0].blocks->descriptions() <= most * lanes);
        for (StoreOfBlocks& store : stores) {
            QVERIFY2(store.failure.empty(), store.failure.c_str());
            QVERIFY(!brokenSeal(*store.database, RunTable::Block));
            for (int rank = 0; rank < lanes; ++rank) {
                const std::vector<Event> found = store.lane(rank);
                std::vector<Event> left = wanted[static_cast<std::size_t>(rank)];
                // The block that a lane fills is left as it is.
                const std::size_t open = store.eventsOfLast(rank);
                const auto full = left.end() - static_cast<std::ptrdiff_t>(open);
                left.erase(
                    std::remove_if(left.begin(), full,
                                   [&](const Event& event) { return thinning.thinned(event.step) && isDetail(event); }),
                    full);
                QVERIFY2(identical(found, left), qPrintable(QString("rank %1").arg(rank)));
            }
        }
    }

    void thePolicyInNumbers() {
        Thinning thinning = Thinning::of({.sizeLimit = 1000, .keepLast = 10, .keepEvery = 4});
        QCOMPARE(thinning.policy(), std::string_view("last-and-every"));
        QCOMPARE(Thinning::of({}).policy(), std::string_view("keep-all"));
        RandomEvents random(freshSeed());
        for (int i = 0; i < 200; ++i) {
            thinning.first = static_cast<int>(random.below(30));
            thinning.before = static_cast<int>(random.below(100));
            thinning.every = static_cast<int>(random.below(12));
            std::int64_t thinned = 0;
            for (int step = thinning.first; step < 100; ++step) thinned += thinning.thinned(step) ? 1 : 0;
            QCOMPARE(thinning.steps(), thinned);
            Thinning again;
            QVERIFY(readThinning(writeThinning(thinning), again));
            QCOMPARE(again, thinning);
            // Less and less, to the end; what was kept before is never kept again once it is gone.
            Thinning less = thinning;
            for (int times = 0; less.keepLess(); ++times) {
                QVERIFY(times < 40);
                for (int step = 0; step < 100; ++step) QVERIFY(!thinning.thinned(step) || less.thinned(step));
            }
        }
        thinning = Thinning::of({.sizeLimit = 1000, .keepLast = 50, .keepEvery = 102});
        QCOMPARE(keptText(thinning),
                 std::string("every step's figures, all events of the last 50 steps and of every 102nd"));
    }

    void limitsTooSmallAreFaults() {
        Layout layout;
        layout.run.sizeLimit = 100'000;
        const auto faults = check(layout, scheduleMethods());
        QCOMPARE(faults.size(), std::size_t{1});
        QCOMPARE(faults[0].pointer, std::string("/run/size_limit"));
        layout.run.sizeLimit = std::atoll(faults[0].legal.english().c_str());
        QVERIFY(check(layout, scheduleMethods()).empty());
        layout.run.sizeLimit -= 1;
        QCOMPARE(check(layout, scheduleMethods()).size(), std::size_t{1});
    }

private:
    std::string file() const { return folder_->filePath("run.shardlab").toStdString(); }
    static std::int64_t bytesOf(const std::string& path) {
        std::error_code none;
        const auto size = std::filesystem::file_size(path, none);
        return none ? 0 : static_cast<std::int64_t>(size);
    }
    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(SizeLimitTest)
#include "size_limit_test.moc"
