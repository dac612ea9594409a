// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/run_file.h"

#include "engine/base/file.h"
#include "engine/layout/layout_file.h"
#include "engine/trace/run_file/run_schema.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardlab::test;

namespace {

using Lanes = std::map<std::pair<int, Lane>, std::vector<Event>>;

Lanes byLane(std::span<const Event> events) {
    Lanes lanes;
    for (const Event& event : events) lanes[{event.rank, event.lane}].push_back(event);
    return lanes;
}

bool sameLanes(const Lanes& a, const Lanes& b) {
    return a.size() == b.size() && std::ranges::equal(a, b, [](const auto& x, const auto& y) {
               return x.first == y.first && identical(x.second, y.second);
           });
}

std::vector<Event> allEvents(const RunReader& reader) {
    std::vector<Event> events;
    const Status read = reader.readEvents([&](std::span<const Event> block) {
        events.insert(events.end(), block.begin(), block.end());
        return true;
    });
    return read ? events : std::vector<Event>{};
}

RunHeader sampleHeader() {
    RunHeader header;
    header.layout.name = "a \"quoted\" µ-layout";
    header.layout.parallel.pipeline = 4;
    header.layout.cluster.pace = PaceSpec{};
    header.created = "2026-01-02T03:04:05Z";
    header.version = "0.1.0";
    header.paced = true;
    header.stretch = 1234.5;
    header.predictedStepSeconds = 0.75;
    header.predictedBubble = 0.25;
    header.theoreticalBubble = 1.0 / 3;
    header.predictedPeak = {1, std::int64_t{1} << 40, 3};
    header.capacityBytes = std::int64_t{80} << 30;
    header.peak = {3.95e15, "4 × Some device, bf16"};
    return header;
}

}  // namespace

class RunFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void everythingComesBack() {
        RandomEvents random(freshSeed());
        std::vector<Event> given;
        const std::vector<Event> predicted = random.extreme(5000);
        const std::vector<LogLine> lines{{5, -1, LogLevel::Info, "started"}, {9, 2, LogLevel::Error, "zeros \n and µ"}};
        const RankRecord ended{1, "node-b", 4711, "dp0 pp1", "killed by SIGKILL at step 12, 1F3"};
        {
            auto writer = RunWriter::create(file(), sampleHeader());
            QVERIFY2(writer, writer ? "" : writer.error().text().c_str());
            QVERIFY((*writer)->appendPredicted(predicted));
            for (int i = 0; i < 200; ++i) {
                const auto count = static_cast<std::size_t>(1 + random.below(500));
                const auto part = i % 2 == 0 ? random.plausible(count, i % 3) : random.extreme(count);
                QVERIFY((*writer)->append(part));
                given.insert(given.end(), part.begin(), part.end());
                if (random.below(5) == 0) QVERIFY((*writer)->flush());
            }
            for (const LogLine& line : lines) QVERIFY((*writer)->append(line));
            QVERIFY((*writer)->setRank({0, "node-a", 4710, "dp0 pp0", ""}));
            QVERIFY((*writer)->setRank({1, "node-b", 4711, "dp0 pp1", ""}));
            QVERIFY((*writer)->flush());
            QVERIFY((*writer)->setRank(ended));
            QVERIFY((*writer)->finish({"failed", "rank 1 was killed"}));
        }
        QCOMPARE(QDir(folder_->path()).entryList(QDir::Files), QStringList{"run.shardlab"});
        const auto reader = RunReader::open(file());
        QVERIFY2(reader, reader ? "" : reader.error().text().c_str());
        const RunReader& run = **reader;
        const RunHeader header = sampleHeader();
        QVERIFY(run.header().layout == header.layout);
        QCOMPARE(run.header().layoutJson, writeLayout(header.layout));
        QCOMPARE(run.header().created, header.created);
        QCOMPARE(run.header().version, header.version);
        QCOMPARE(run.header().paced, true);
        QCOMPARE(run.header().stretch, 1234.5);
        QCOMPARE(run.header().predictedStepSeconds, 0.75);
        QCOMPARE(run.header().predictedBubble, 0.25);
        QCOMPARE(run.header().theoreticalBubble, 1.0 / 3);
        QCOMPARE(run.header().predictedPeak, header.predictedPeak);
        QCOMPARE(run.header().capacityBytes, header.capacityBytes);
        QCOMPARE(run.header().peak.flops, header.peak.flops);
        QCOMPARE(run.header().peak.of, header.peak.of);
        QCOMPARE(run.end().outcome, std::string("failed"));
        QCOMPARE(run.end().reason, std::string("rank 1 was killed"));
        QCOMPARE(run.ranks().size(), std::size_t{2});
        QCOMPARE(run.ranks()[1].end, ended.end);
        QCOMPARE(run.ranks()[1].host, ended.host);
        QCOMPARE(run.ranks()[0].pid, 4710);
        QCOMPARE(run.ranks()[0].label, std::string("dp0 pp0"));
        QCOMPARE(run.eventCount(), static_cast<std::int64_t>(given.size()));
        QVERIFY(sameLanes(byLane(allEvents(run)), byLane(given)));
        const auto prediction = run.predicted();
        QVERIFY(prediction);
        QVERIFY(sameLanes(byLane(*prediction), byLane(predicted)));
        const auto log = run.log();
        QVERIFY(log);
        QCOMPARE(log->size(), lines.size());
        for (std::size_t i = 0; i < lines.size(); ++i) {
            QCOMPARE((*log)[i].text, lines[i].text);
            QCOMPARE((*log)[i].time, lines[i].time);
            QCOMPARE((*log)[i].rank, lines[i].rank);
            QCOMPARE((*log)[i].level, lines[i].level);
        }
    }

    void laterKeysOfALayoutSurvive() {
        RunHeader header;
        header.layoutJson = R"({"name": "from the future", "quantum": {"bits": 7}})";
        QVERIFY((*RunWriter::create(file(), header))->finish({"finished", ""}));
        const auto reader = RunReader::open(file());
        QVERIFY(reader);
        QCOMPARE((*reader)->header().layoutJson, header.layoutJson);
        QCOMPARE((*reader)->header().layout.name, std::string("from the future"));
    }

    void dropsAreAddedUp() {
        auto writer = RunWriter::create(file(), {});
        QVERIFY(writer);
        Event event;
        event.kind = EventKind::Dropped;
        event.lane = Lane::Host;
        for (double count : {5.0, 37.0}) {
            event.value = count;
            QVERIFY((*writer)->append(std::span(&event, 1)));
            QVERIFY((*writer)->flush());
        }
        QVERIFY((*writer)->finish({"finished", ""}));
        QCOMPARE((*RunReader::open(file()))->droppedEvents(), std::int64_t{42});
    }

    void restartsAreKnownFromTheBegin() {
        auto writer = RunWriter::create(file(), sampleHeader());
        QVERIFY(writer);
        std::vector<Event> restarts;
        for (int number = 1; number <= 3; ++number) {
            const std::int64_t time = 1'000'000 * number;
            restarts.push_back({time, time, number == 2 ? 6 : 0, static_cast<double>(number % 3), 0, 40 - number, -1,
                                Lane::Host, EventKind::Restart});
            QVERIFY((*writer)->append(std::span(&restarts.back(), 1)));
            QVERIFY((*writer)->flush());
            if (number == 2) QCOMPARE((*RunReader::open(file()))->restarts(), restarts);
        }
        QVERIFY((*writer)->finish({"finished", ""}));
        const auto reader = RunReader::open(file());
        QCOMPARE((*reader)->restarts(), restarts);
        QCOMPARE(allEvents(**reader), restarts);
        QCOMPARE((*reader)->eventCount(), std::int64_t{3});
    }

    /// Blocks come in the order they were begun and ascend in each lane; small flushes do not make small blocks.
    void blocksAreFilled() {
        RandomEvents random(freshSeed());
        auto writer = RunWriter::create(file(), {});
        QVERIFY(writer);
        for (int i = 0; i < 300; ++i) {
            std::vector<Event> part = random.plausible(40, 0);
            for (Event& event : part) event.lane = Lane::Compute;
            QVERIFY((*writer)->append(part));
            QVERIFY((*writer)->flush());
        }
        QVERIFY((*writer)->finish({"finished", ""}));
        const auto reader = RunReader::open(file());
        std::vector<std::size_t> sizes;
        std::int64_t last = 0;
        QVERIFY((*reader)->readEvents([&](std::span<const Event> block) {
            sizes.push_back(block.size());
            for (const Event& event : block) {
                if (event.begin < last) sizes.push_back(0);
                last = event.begin;
            }
            return true;
        }));
        QCOMPARE(sizes, (std::vector<std::size_t>{4096, 4096, 12000 - 8192}));
        int calls = 0;
        QVERIFY((*reader)->readEvents([&](std::span<const Event>) { return ++calls < 2; }));
        QCOMPARE(calls, 2);
    }

    /// While it is being recorded, the file reads up to the last flush, and nobody else may record into it.
    void aLiveRunReadsAndIsLocked() {
        RandomEvents random(freshSeed());
        auto writer = RunWriter::create(file(), sampleHeader());
        QVERIFY(writer);
        const std::vector<Event> flushed = random.plausible(3000, 1);
        QVERIFY((*writer)->append(flushed));
        QVERIFY((*writer)->flush());
        QVERIFY((*writer)->append(random.plausible(50, 1)));
        const auto reader = RunReader::open(file());
        QVERIFY(reader);
        QVERIFY(sameLanes(byLane(allEvents(**reader)), byLane(flushed)));
        QCOMPARE((*reader)->end().outcome, std::string());
        const auto second = RunWriter::create(file(), {});
        QVERIFY(!second);
        QVERIFY2(second.error().text().find("being recorded") != std::string::npos, second.error().text().c_str());
        QVERIFY((*writer)->finish({"finished", ""}));  // with a reader looking on
        QCOMPARE((*RunReader::open(file()))->end().outcome, std::string("finished"));
    }

    void onlyRunsAreReplaced() {
        QVERIFY(replaceFile(file(), "thesis, chapter 1"));
        const auto refused = RunWriter::create(file(), {});
        QVERIFY(!refused);
        QVERIFY(refused.error().text().find(file()) != std::string::npos);
        QCOMPARE(*readFile(file()), std::string("thesis, chapter 1"));
        QVERIFY(replaceFile(file(), ""));
        RunHeader first;
        first.created = "first";
        QVERIFY((*RunWriter::create(file(), first))->finish({"finished", ""}));
        RunHeader second;
        second.created = "second";
        QVERIFY((*RunWriter::create(file(), second))->finish({"finished", ""}));
        QCOMPARE((*RunReader::open(file()))->header().created, std::string("second"));
        QCOMPARE(QDir(folder_->path()).entryList(QDir::Files).size(), 1);
        QVERIFY(!RunWriter::create(folder_->filePath("no/such/run").toStdString(), {}));
        QVERIFY(!RunWriter::create(folder_->path().toStdString(), {}));
    }

    void eachWrongFileHasItsOwnError() {
        std::vector<std::string> errors;
        const auto errorOf = [&](const std::string& path) {
            const auto reader = RunReader::open(path);
            const std::string text = reader ? std::string() : reader.error().text();
            errors.push_back(text);
            return text;
        };
        QVERIFY(errorOf(file()).find("no such file") != std::string::npos);
        QVERIFY(errorOf(folder_->path().toStdString()).find("folder") != std::string::npos);
        QVERIFY(replaceFile(file(), ""));
        QVERIFY(errorOf(file()).find("empty") != std::string::npos);
        QVERIFY(replaceFile(file(), std::string(5000, 'x')));
        QVERIFY(errorOf(file()).find("no SQLite") != std::string::npos);
        QVERIFY(replaceFile(file(), "SQLite for"));
        QVERIFY(errorOf(file()).find("truncated") != std::string::npos);
        std::filesystem::remove(file());
        {
            auto stranger = Database::open(file(), DatabaseMode::Create);
            QVERIFY(stranger->run("CREATE TABLE t(a); INSERT INTO t VALUES(1)"));
        }
        QVERIFY(errorOf(file()).find("no run") != std::string::npos);
        std::filesystem::remove(file());
        QVERIFY((*RunWriter::create(file(), {}))->finish({"finished", ""}));
        {
            auto newer = Database::open(file(), DatabaseMode::Write);
            QVERIFY(newer->run("PRAGMA user_version = 77"));
        }
        QVERIFY(errorOf(file()).find("newer") != std::string::npos);
        {
            auto damaged = Database::open(file(), DatabaseMode::Write);
            QVERIFY(damaged->run("PRAGMA user_version = 1; UPDATE meta SET value = '{}' WHERE key = 'header'"));
        }
        QVERIFY(errorOf(file()).find("checksum") != std::string::npos);
        std::ranges::sort(errors);
        QVERIFY(std::ranges::adjacent_find(errors) == errors.end());
        for (const std::string& error : errors) QVERIFY(error.find(folder_->path().toStdString()) != std::string::npos);
    }

    /// A file from anywhere has our tables and nothing that SQLite would run while it is read.
    void otherSchemasAreRefused_data() {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("named");
        const QString endless =
            "CREATE VIEW %1 AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS %2 FROM n";
        QTest::newRow("view") << "DROP TABLE log;" +
                                     endless.arg("log", "id, i AS time, 0 AS rank, 0 AS level, 'x' AS text, 0 AS crc")
                              << "view log";
        QTest::newRow("header") << "DROP TABLE meta;" + endless.arg("meta", "key, '' AS value, 0 AS crc")
                                << "view meta";
        QTest::newRow("another view") << endless.arg("other", "i") << "view other";
        QTest::newRow("trigger") << "CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM block; END"
                                 << "trigger t";
        QTest::newRow("computed") << "DROP TABLE name; CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT AS "
                                     "(hex(zeroblob(30000000))), crc INTEGER)"
                                  << "table name";
        QTest::newRow("declared otherwise") << "DROP TABLE rank; CREATE TABLE rank(rank, host, pid, label, end, crc)"
                                            << "table rank";
        QTest::newRow("module") << "CREATE VIRTUAL TABLE f USING fts4(x)"
                                << "table f";
    }
    void otherSchemasAreRefused() {
        QFETCH(QString, sql);
        QFETCH(QString, named);
        QVERIFY((*RunWriter::create(file(), sampleHeader()))->finish({"finished", ""}));
        {
            auto database = Database::open(file(), DatabaseMode::Write);
            QVERIFY2(database->run("ANALYZE"), database->error("").why.english().c_str());
        }
        QVERIFY(RunReader::open(file()));
        for (const std::int64_t version : {runFormatVersion, oldestReadInPlace}) {
            auto database = Database::open(file(), DatabaseMode::Write);
            QVERIFY2(version != runFormatVersion || database->run(sql.toUtf8().constData()),
                     database->error("").why.english().c_str());
            QVERIFY(database->run(("PRAGMA user_version = " + std::to_string(version)).c_str()));
            const auto read = RunReader::open(file());
            QVERIFY(!read);
            const QString error = QString::fromStdString(read.error().text());
            QVERIFY2(error.contains(named + " is none that a run has, or is declared otherwise"), qPrintable(error));
            Note note{0, 1, -1, "a note", ""};
            QVERIFY(!keepNote(file(), note));
        }
    }

    /// What a file can make SQLite do has an end that follows from its size.
    /// What lies beside a file from anywhere under the names of SQLite's logs: a pipe is not waited for, and a link
    /// does not lead SQLite to a file that is somebody's own.
    void logsThatAreNoFilesAreRefused_data() {
        QTest::addColumn<QString>("suffix");
        for (const char* suffix : {"-journal", "-wal", "-shm"}) QTest::newRow(suffix) << suffix;
    }
    void logsThatAreNoFilesAreRefused() {
        QFETCH(QString, suffix);
        for (const bool live : {true, false}) {
            // A recorder that was killed leaves a file that has a log.
            const std::string run = inFolder(live ? "killed.shardlab" : "ended.shardlab"), other = inFolder("other");
            {
                auto writer = RunWriter::create(file(), sampleHeader());
                QVERIFY(writer && (*writer)->flush());
                if (live) std::filesystem::copy_file(file(), run);
                QVERIFY((*writer)->finish({"finished", ""}));
                if (!live) std::filesystem::rename(file(), run);
            }
            std::ofstream(other) << "mine";
            const std::string beside = run + suffix.toStdString();
            const std::array<std::function<bool()>, 3> made{
                [&] { return ::mkfifo(beside.c_str(), 0600) == 0; },
                [&] { return ::symlink(other.c_str(), beside.c_str()) == 0; },
                [&] { return ::mkdir(beside.c_str(), 0700) == 0; },
            };
            std::filesystem::remove(inFolder("link.shardlab"));
            std::filesystem::create_symlink(run, inFolder("link.shardlab"));
            for (const auto& make : made) {
                QVERIFY(make());
                for (const std::string& opened : {run, inFolder("link.shardlab")}) {
                    const auto reader = RunReader::open(opened);
                    QVERIFY(!reader);
                    QVERIFY2(reader.error().text().find("something that is no file") != std::string::npos,
                             reader.error().text().c_str());
                    Note note{.text = "a note"};
                    QVERIFY(!keepNote(opened, note));
                }
                std::filesystem::remove(beside);
            }
            std::string content;
            std::ifstream(other) >> content;
            QCOMPARE(content, std::string("mine"));
            std::filesystem::remove(other);
            QVERIFY(RunReader::open(run));
        }
    }

    void workOnAFileThatIsOnlyReadHasAnEnd() {
        QVERIFY((*RunWriter::create(file(), sampleHeader()))->finish({"finished", ""}));
        for (const DatabaseMode mode : {DatabaseMode::Read, DatabaseMode::Foreign}) {
            auto database = Database::open(file(), mode);
            const auto endless = database->number(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i % 2) FROM n");
            QVERIFY(!endless);
            QVERIFY2(database->error("").why.english().find("more work than a file of its size can need") !=
                         std::string::npos,
                     database->error("").why.english().c_str());
            QCOMPARE(*database->number("SELECT count(*) FROM meta"), std::int64_t{3});
        }
    }

    void migrationsLeadFromVersionToVersion() {
        auto database = Database::open(file(), DatabaseMode::Create);
        QVERIFY(database);
        QVERIFY(database->run("CREATE TABLE t(a); INSERT INTO t VALUES(1); PRAGMA user_version = 2"));
        const std::vector<Migration> migrations{{1, "UPDATE t SET a = 100"},
                                                {2, "UPDATE t SET a = a + 1"},
                                                {3, "ALTER TABLE t ADD COLUMN b; UPDATE t SET a = a * 10"}};
        QVERIFY(migrate(*database, 2, migrations));
        QCOMPARE(*database->number("SELECT a FROM t"), std::int64_t{20});
        QCOMPARE(*database->number("PRAGMA user_version"), std::int64_t{4});
        QVERIFY(!migrate(*database, 4, std::vector<Migration>{{4, "UPDATE nothing SET a = 1"}}));
    }

    void namesComeBackAndOlderFormatsHaveNone() {
        Event event;
        event.kind = EventKind::Kernel;
        event.action = namedId(2);
        {
            auto writer = RunWriter::create(file(), sampleHeader());
            QVERIFY(writer);
            QVERIFY((*writer)->addName(1, "first") && (*writer)->addName(2, "gemm<float, \"µ\">"));
            QVERIFY((*writer)->append(std::span(&event, 1)));
            QVERIFY((*writer)->finish({"finished", ""}));
        }
        const auto run = RunReader::open(file());
        QVERIFY(run);
        QCOMPARE((*run)->names().size(), std::size_t{2});
        QCOMPARE((*run)->names().of(event.action), std::string_view("gemm<float, \"µ\">"));
        QCOMPARE((*run)->names().of(actionId({ActionKind::Forward, 1, 2})), std::string_view());
        QCOMPARE((*run)->names().of(namedId(3)), std::string_view());
        QCOMPARE((*run)->names().text(actionId({ActionKind::Forward, 1, 2})), std::string("1F2"));
        {
            auto older = Database::open(file(), DatabaseMode::Write);
            QVERIFY(older->run("DROP TABLE name; PRAGMA user_version = 1"));
        }
        const auto old = RunReader::open(file());
        QVERIFY2(old, old ? "" : old.error().text().c_str());
        QVERIFY((*old)->names().empty());
        QVERIFY(sameLanes(byLane(allEvents(**old)), byLane(std::span(&event, 1))));
    }

    /// A killed recorder's file with its log in a folder that cannot be written, opened without any privilege.
    void aReadOnlyFolderIsNoObstacle() {
        RandomEvents random(freshSeed());
        const std::vector<Event> given = random.plausible(3000, 1);
        const pid_t writerChild = ::fork();
        if (writerChild == 0) {
            auto writer = RunWriter::create(file(), sampleHeader());
            if (writer && (*writer)->append(given) && (*writer)->flush()) ::_exit(0);  // no destructor: as if killed
            ::_exit(1);
        }
        int status = 0;
        ::waitpid(writerChild, &status, 0);
        QCOMPARE(status, 0);
        QVERIFY(std::filesystem::exists(file() + "-wal"));
        std::filesystem::remove(file() + "-shm");
        std::filesystem::permissions(folder_->path().toStdString(), std::filesystem::perms(0555));
        const pid_t child = ::fork();
        if (child == 0) {
            if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
            const auto reader = RunReader::open(file());
            if (!reader) ::_exit(3);
            ::_exit(sameLanes(byLane(allEvents(**reader)), byLane(given)) ? 0 : 4);
        }
        ::waitpid(child, &status, 0);
        std::filesystem::permissions(folder_->path().toStdString(), std::filesystem::perms(0755));
        QCOMPARE(status, 0);
        QVERIFY(!std::filesystem::exists(file() + "-shm"));
    }

private:
    std::string file() const { return inFolder("run.shardlab"); }
    std::string inFolder(const char* name) const { return folder_->filePath(name).toStdString(); }
    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(RunFileTest)
#include "run_file_test.moc"
