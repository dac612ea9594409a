// SPDX-License-Identifier: Apache-2.0
// Nsight Systems' SQLite export: databases made here by the documented schema, two processes of one report.
#include "engine/trace/interchange/import.h"
#include "engine/trace/run_file/run_file.h"
#include "engine/trace/run_file/sqlite.h"
#include "tests/support/seed.h"
#include "tests/trace/nsight_report.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>

using namespace shardlab::test;

class NsightImportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void everyTableIsRead() {
        auto database = Database::open(path("report.sqlite"), DatabaseMode::Create);
        QVERIFY(database && database->run(report));
        for (const int pid : {102, 101}) {
            const std::string global = std::to_string(process(pid));
            const std::string thread = std::to_string(process(pid) + 5);
            const std::string rows =
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(2000, 2500, 0, 7, 31, " + global +
                ", 1), (3600, 3700, 0, 13, 31, " + global +
                ", 2);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1900, 1950, " +
                global +
                ", 4096, 1, 30);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(1960, 1970, " +
                global +
                ", 0, 64, 29);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1800, 1810, " +
                thread +
                ", 3, 31);"
                "INSERT INTO NVTX_EVENTS VALUES(1000, 3000, 59, 'step 4', " +
                thread + ", NULL), (1100, 2900, 60, NULL, " + thread +
                ", 4),"
                " (1200, NULL, 34, 'checkpoint', " +
                thread + ", NULL), (1300, NULL, 59, 'open', " + thread + ", NULL), (0, NULL, 75, 'domain', " + thread +
                ", NULL);"
                "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES(1050, " +
                global + ", 0, 1000, 0), (1060, " + global + ", 0, 500, 0), (2800, " + global + ", 0, 1000, 1);";
            QVERIFY(database->run(rows.c_str()));
        }
        QVERIFY(database->close());
        const auto made = importRun({{path("report.sqlite")}, path("run.shardlab"), ""});
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        QCOMPARE(made->origin, std::string("Nsight Systems"));
        QCOMPARE(made->ranks, 2);
        QCOMPARE(made->steps, 1);
        const auto run = RunReader::open(path("run.shardlab"));
        QVERIFY(run);
        QCOMPARE((*run)->ranks()[0].pid, 101);
        QCOMPARE((*run)->ranks()[0].host, std::string("node-7"));
        QCOMPARE((*run)->ranks()[1].pid, 102);
        std::vector<Event> events;
        QVERIFY((*run)->readEvents([&](std::span<const Event> block) {
            for (const Event& event : block)
                if (event.rank == 1) events.push_back(event);
            return true;
        }));
        const auto the = [&](EventKind kind) {
            const auto found = std::ranges::find(events, kind, &Event::kind);
            return found == events.end() ? Event{} : *found;
        };
        const auto named = [&](const Event& event) { return std::string((*run)->names().of(event.action)); };
        // 1000 is the first time in the report.
        QCOMPARE(the(EventKind::Kernel).begin, std::int64_t{1000});
        QCOMPARE(the(EventKind::Kernel).end, std::int64_t{1500});
        QCOMPARE(the(EventKind::Kernel).step, 4);
        QCOMPARE(named(the(EventKind::Kernel)), std::string("sm90_gemm_bf16"));
        QCOMPARE(the(EventKind::Collective).lane, Lane::Comm);
        QCOMPARE(the(EventKind::Collective).step, 4);  // it ran after the step that asked for it
        QCOMPARE(named(the(EventKind::Collective)), std::string("ncclDevKernel_ReduceScatter"));
        QCOMPARE(the(EventKind::MemoryCopy).bytes, std::int64_t{4096});
        QCOMPARE(named(the(EventKind::MemoryCopy)), std::string("Host-to-Device"));
        QCOMPARE(std::ranges::count(events, EventKind::MemoryCopy, &Event::kind), std::ptrdiff_t{2});
        QCOMPARE(named(the(EventKind::Operation)), std::string("cudaLaunchKernel_v7000"));
        QCOMPARE(named(the(EventKind::Annotation)), std::string("forward"));
        QCOMPARE(named(the(EventKind::Mark)), std::string("checkpoint"));
        QCOMPARE(the(EventKind::Step).step, 4);
        QCOMPARE(the(EventKind::Step).end, std::int64_t{2000});
        QCOMPARE(the(EventKind::MemoryPeak).bytes, std::int64_t{1500});
        const auto ignored = [&](const char* what) {
            for (const ImportCount& each : made->ignored)
                if (each.what.find(what) != std::string::npos) return each.count;
            return std::int64_t{0};
        };
        QCOMPARE(ignored("never end"), std::int64_t{2});
        QCOMPARE(ignored("of type 75"), std::int64_t{2});
    }

    /// NCCL tells the size of a message in its range's payload; in a group kernels are asked for where the group ends.
    void callsOfNcclTellTheirBytes() {
        const quint32 seed = freshSeed();
        RandomEvents random(seed);
        const std::int64_t reduced = random.below(1 << 30) + 1, part = random.below(1 << 20) + 1,
                           sent = random.below(1 << 20) + 1, received = random.below(1 << 20) + 1, ranks = 7;
        const std::uint64_t communicator = 0x8000'0000'dead'beef;
        const auto blob = [](int schema, std::initializer_list<std::uint64_t> numbers) {
            QByteArray bytes;
            const auto put = [&](std::uint64_t number) {
                for (int i = 0; i < 8; ++i) bytes.append(static_cast<char>(number >> (8 * i)));
            };
            for (const std::uint64_t number : {std::uint64_t{3}, static_cast<std::uint64_t>(schema),
                                               static_cast<std::uint64_t>(8 * numbers.size()), std::uint64_t{32}})
                put(number);
            for (const std::uint64_t number : numbers) put(number);
            return "X'" + bytes.toHex().toStdString() + "'";
        };
        auto database = Database::open(path("payloads.sqlite"), DatabaseMode::Create);
        QVERIFY(database && database->run(report));
        const std::string thread = std::to_string(process(101) + 5), global = std::to_string(process(101));
        std::string rows =
            "ALTER TABLE NVTX_EVENTS ADD COLUMN binaryData TEXT;"
            "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId INTEGER, schemaId INTEGER, idx INTEGER, type INTEGER, "
            "name TEXT, offset INTEGER);"
            "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES(3, 16777216, 0, 18, 'NCCL communicator ID', NULL),"
            "(3, 16777216, 1, 5, 'No. of ranks', 8), (3, 16777217, 0, 18, 'NCCL communicator ID', NULL),"
            "(3, 16777217, 1, 22, 'Message size [bytes]', 8), (3, 16777218, 0, 22, 'Message size [bytes]', 0);"
            "INSERT INTO StringIds VALUES(10, 'ncclDevKernel_AllReduce'), (11, 'ncclDevKernel_SendRecv'), "
            "(12, 'ncclDevKernel_AllGather');";
        const auto range = [&](std::int64_t begin, const char* name, const std::string& data) {
            rows += "INSERT INTO NVTX_EVENTS VALUES(" + std::to_string(begin) + ", " + std::to_string(begin + 50) +
                    ", 59, '" + name + "', " + thread + ", NULL, " + data + ");";
        };
        const auto kernel = [&](std::int64_t asked, int name) {
            const std::string launch = std::to_string(asked);
            rows += "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(" + launch + ", " + launch + ", " + thread +
                    ", 3, " + launch + "); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(" +
                    std::to_string(asked + 1000) + ", " + std::to_string(asked + 1100) + ", 0, 7, " + launch + ", " +
                    global + ", " + std::to_string(name) + ");";
        };
        range(100, "ncclCommInitRankConfig", blob(16777216, {communicator, static_cast<std::uint64_t>(ranks)}));
        range(200, "ncclAllReduce", blob(16777218, {static_cast<std::uint64_t>(reduced)}));
        kernel(220, 10);
        range(300, "ncclGroupStart", "NULL");
        range(400, "ncclSend", blob(16777217, {communicator, static_cast<std::uint64_t>(sent)}));
        range(500, "ncclRecv", blob(16777217, {communicator, static_cast<std::uint64_t>(received)}));
        range(600, "ncclGroupEnd", "NULL");
        kernel(620, 11);
        kernel(630, 11);
        range(700, "ncclAllGather", blob(16777217, {communicator, static_cast<std::uint64_t>(part)}));
        kernel(710, 12);
        range(800, "ncclAllReduce", "X'0300000000'");  // cut off
        kernel(820, 10);
        kernel(900, 10);  // in no range
        QVERIFY(database->run(rows.c_str()) && database->close());
        const auto made = importRun({{path("payloads.sqlite")}, path("run.shardlab"), ""});
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const auto run = RunReader::open(path("run.shardlab"));
        QVERIFY(run);
        std::vector<std::int64_t> bytes;
        QVERIFY((*run)->readEvents([&](std::span<const Event> block) {
            for (const Event& event : block)
                if (event.kind == EventKind::Collective) bytes.push_back(event.bytes);
            return true;
        }));
        QVERIFY2(bytes == (std::vector<std::int64_t>{reduced, sent + received, 0, part * ranks, 0, 0}),
                 qPrintable(QString("seed %1").arg(seed)));
    }

    void anotherDatabaseIsRefused() {
        auto database = Database::open(path("other.sqlite"), DatabaseMode::Create);
        QVERIFY(database && database->run("CREATE TABLE t(a)") && database->close());
        QVERIFY(errorOf("other.sqlite").find("without the tables of Nsight Systems") != std::string::npos);
    }

    /// A few rows of two tables that are joined, or a view, give rows without end.
    void aReportHasNoMoreRowsThanItHolds() {
        auto database = Database::open(path("twice.sqlite"), DatabaseMode::Create);
        QVERIFY(database && database->run(report));
        QVERIFY(database->run("DROP TABLE StringIds; CREATE TABLE StringIds(id INTEGER, value TEXT);"
                              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) INSERT INTO "
                              "StringIds SELECT 1, 'again' FROM n;"
                              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) INSERT INTO "
                              "CUPTI_ACTIVITY_KIND_KERNEL "
                              "SELECT i, i + 1, 0, 7, 1, 0, 1 FROM n"));
        QVERIFY(database->close());
        const std::string error = errorOf("twice.sqlite");
        QVERIFY2(error.find("table CUPTI_ACTIVITY_KIND_KERNEL") != std::string::npos &&
                     error.find("more than once") != std::string::npos,
                 error.c_str());

        auto viewed = Database::open(path("view.sqlite"), DatabaseMode::Create);
        QVERIFY(viewed &&
                viewed->run("CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET(start, end, globalPid, bytes, correlationId) AS "
                            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT i, i, "
                            "0, 0, 0 FROM n"));
        QVERIFY(viewed->close());
        QVERIFY(errorOf("view.sqlite").find("it is a view, or some of it is computed") != std::string::npos);
    }

    void aTableOfOtherColumnsIsNamed() {
        auto database = Database::open(path("odd.sqlite"), DatabaseMode::Create);
        QVERIFY(database &&
                database->run("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(when_ INTEGER); INSERT INTO "
                              "CUPTI_ACTIVITY_KIND_MEMSET VALUES(1)") &&
                database->close());
        const std::string error = errorOf("odd.sqlite");
        QVERIFY2(error.find("table CUPTI_ACTIVITY_KIND_MEMSET") != std::string::npos, error.c_str());
        QVERIFY2(error.find("no such column") != std::string::npos, error.c_str());
    }

    /// Nothing of a report is computed while it is read: a view may have no end.
    void onlyStoredRowsAreRead_data() {
        QTest::addColumn<QString>("sql");
        QTest::newRow("view")
            << "CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
               "SELECT i AS start, i AS end, 0 AS globalTid, 59 AS eventType, 'x' AS text, 0 AS textId FROM n";
        QTest::newRow("view of names") << "CREATE VIEW stringids AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
                                          "i + 1 FROM n) SELECT i AS id, 'x' AS value FROM n";
        QTest::newRow("computed")
            << "CREATE TABLE ENUM_CUDA_MEMCPY_OPER(id INTEGER, label TEXT AS (hex(zeroblob(10000000))))";
        QTest::newRow("module") << "CREATE VIRTUAL TABLE TARGET_INFO_SYSTEM_ENV USING fts4(name, value)";
    }
    void onlyStoredRowsAreRead() {
        QFETCH(QString, sql);
        auto database = Database::open(path("computed.sqlite"), DatabaseMode::Create);
        QVERIFY(database &&
                database->run("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start, end, globalPid, bytes, correlationId);"
                              "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(1, 2, 3, 4, 5)"));
        QVERIFY2(database->run(sql.toUtf8().constData()), database->error("").why.english().c_str());
        QVERIFY(database->close());
        const std::string error = errorOf("computed.sqlite");
        QVERIFY2(error.find("it is a view, or some of it is computed") != std::string::npos, error.c_str());
    }

    /// Damaged databases: a run or an error, never a crash or a hang.
    void noDamageBringsItDown() {
        {
            auto database = Database::open(path("sound.sqlite"), DatabaseMode::Create);
            QVERIFY(database && database->run(report));
            const std::string global = std::to_string(process(9));
            for (int i = 0; i < 50; ++i)
                QVERIFY(database->run(("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(" + std::to_string(i * 10) +
                                       ", " + std::to_string(i * 10 + 5) + ", 0, 7, 1, " + global + ", 1)")
                                          .c_str()));
        }
        std::ifstream in(path("sound.sqlite"), std::ios::binary);
        const std::string sound{std::istreambuf_iterator<char>(in), {}};
        RandomEvents random(freshSeed());
        int made = 0;
        for (int i = 0; i < 300; ++i) {
            std::string bytes = sound;
            for (int change = 1 + static_cast<int>(random.below(20)); change > 0; --change)
                bytes[static_cast<std::size_t>(100 + random.below(static_cast<std::int64_t>(bytes.size()) - 100))] =
                    static_cast<char>(random.below(256));
            std::ofstream(path("damaged.sqlite"), std::ios::binary) << bytes;
            made += importRun({{path("damaged.sqlite")}, path("out.shardlab"), ""}).has_value() ? 1 : 0;
        }
        QVERIFY(made > 0);
    }

    void oneOfOurRunsIsNamedAsSuch() {
        QVERIFY((*RunWriter::create(path("ours.shardlab"), {}))->finish({"finished", ""}));
        QVERIFY(errorOf("ours.shardlab").find("it is a run of Shardlab already") != std::string::npos);
    }

private:
    std::string path(const char* name) const { return folder_->filePath(name).toStdString(); }
    std::string errorOf(const char* file) const {
        const auto made = importRun({{path(file)}, path("out.shardlab"), ""});
        return made ? std::string() : made.error().text();
    }
    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(NsightImportTest)
#include "nsight_import_test.moc"
