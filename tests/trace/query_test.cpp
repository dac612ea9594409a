// SPDX-License-Identifier: Apache-2.0
// SQL answers against the same figures counted by hand from the events that were written.
#include "engine/trace/query/query.h"

#include "engine/base/file.h"
#include "tests/support/damaged_block.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>

using namespace shardlab;
using namespace shardlab::test;

namespace {

struct Asked {
    std::vector<std::string> columns;
    std::vector<std::vector<Cell>> rows;
    std::string error;
    /// The one number asked for; -1 where there was an error, which is printed.
    std::int64_t integer() const {
        if (error.empty() && rows.size() == 1) return std::get<std::int64_t>(rows[0][0]);
        qWarning("%s", error.c_str());
        return -1;
    }
};

Asked ask(RunQuery& query, const std::string& sql) {
    Asked asked;
    const Status status = query.ask(sql, {[&](const auto& columns) { asked.columns = columns; },
                                          [&](std::span<const Cell> row) {
                                              asked.rows.emplace_back(row.begin(), row.end());
                                              return true;
                                          },
                                          {}});
    if (!status) asked.error = status.error().text();
    return asked;
}

}  // namespace

class QueryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        RandomEvents random(freshSeed());
        given_.clear();
        for (int rank = 0; rank < 3; ++rank) {
            const auto events = random.plausible(9000, rank);
            given_.insert(given_.end(), events.begin(), events.end());
        }
        auto writer = RunWriter::create(file(), RunHeader{});
        QVERIFY(writer);
        QVERIFY((*writer)->append(given_));
        QVERIFY((*writer)->appendPredicted(random.plausible(500, 1)));
        for (int rank = 0; rank < 3; ++rank) QVERIFY((*writer)->setRank({rank, "host", 100 + rank, "dp0", ""}));
        QVERIFY((*writer)->append(LogLine{7, -1, LogLevel::Warning, "it's late"}));
        QVERIFY((*writer)->finish({"finished", ""}));
        open();
    }

    void countsAsByHand() {
        QCOMPARE(ask(*query_, "SELECT count(*) FROM events WHERE source = 'measured'").integer(),
                 static_cast<std::int64_t>(given_.size()));
        QCOMPARE(ask(*query_, "SELECT count(*) FROM events").integer(), static_cast<std::int64_t>(given_.size()) + 500);
        std::map<std::string, std::pair<std::int64_t, std::int64_t>> byHand;
        for (const Event& event : given_) {
            if (event.rank != 1 || event.lane != Lane::Comm) continue;
            auto& [count, nanoseconds] = byHand[std::string(name(event.kind))];
            ++count;
            nanoseconds += event.end - event.begin;
        }
        const Asked asked = ask(*query_, "SELECT kind, count(*), sum(duration_ns) FROM events WHERE rank = 1 AND "
                                         "lane = 'comm' AND source = 'measured' GROUP BY kind ORDER BY kind");
        QVERIFY2(asked.error.empty(), asked.error.c_str());
        QCOMPARE(asked.rows.size(), byHand.size());
        for (const auto& row : asked.rows) {
            const auto& [count, nanoseconds] = byHand.at(std::get<std::string>(row[0]));
            QCOMPARE(std::get<std::int64_t>(row[1]), count);
            QCOMPARE(std::get<std::int64_t>(row[2]), nanoseconds);
        }
    }

    /// Blocks outside the range are not read, and no event inside is missed.
    void rangesOfTimeLoseNothing() {
        std::vector<std::int64_t> begins;
        for (const Event& event : given_) begins.push_back(event.begin);
        std::ranges::sort(begins);
        for (int i = 0; i < 20; ++i) {
            const std::int64_t from = begins[static_cast<std::size_t>(i) * begins.size() / 25];
            const std::int64_t to = begins[static_cast<std::size_t>(i + 3) * begins.size() / 25];
            const auto inside =
                std::ranges::count_if(given_, [&](const Event& e) { return e.begin >= from && e.begin < to; });
            const auto over =
                std::ranges::count_if(given_, [&](const Event& e) { return e.end >= from && e.begin <= to; });
            const std::string range = " source = 'measured' AND ";
            const std::string f = std::to_string(from);
            const std::string t = std::to_string(to);
            QCOMPARE(
                ask(*query_, "SELECT count(*) FROM events WHERE" + range + "begin_ns >= " + f + " AND begin_ns < " + t)
                    .integer(),
                inside);
            QCOMPARE(
                ask(*query_, "SELECT count(*) FROM events WHERE" + range + "end_ns >= " + f + " AND begin_ns <= " + t)
                    .integer(),
                over);
            QCOMPARE(ask(*query_, "SELECT count(*) FROM events WHERE begin_ns > 1e3 AND" + range + "begin_ns = " + f)
                         .integer(),
                     from > 1000 ? std::ranges::count(begins, from) : 0);
        }
    }

    void smallTables() {
        QCOMPARE(ask(*query_, "SELECT count(*) FROM ranks").integer(), 3);
        const Asked log = ask(*query_, "SELECT * FROM log");
        QCOMPARE(log.columns, (std::vector<std::string>{"time_ns", "rank", "level", "text"}));
        QVERIFY(std::holds_alternative<std::monostate>(log.rows[0][1]));
        QCOMPARE(toText(log.rows[0][3]), std::string("it's late"));
        QCOMPARE(toText(ask(*query_, "SELECT value FROM run WHERE key = 'outcome'").rows[0][0]),
                 std::string("finished"));
        const Asked joined =
            ask(*query_, "SELECT count(*) FROM events JOIN ranks USING (rank) WHERE source = 'measured'");
        QCOMPARE(joined.integer(), static_cast<std::int64_t>(given_.size()));
    }

    void percentiles() {
        const Asked asked = ask(*query_, "SELECT median(column1), percentile(column1, 0), percentile(column1, 95), "
                                         "percentile(column1, 100) FROM (VALUES (4.0), (1), (NULL), (3), (2))");
        QVERIFY2(asked.error.empty(), asked.error.c_str());
        QCOMPARE(std::get<double>(asked.rows[0][0]), 2.5);
        QCOMPARE(std::get<double>(asked.rows[0][1]), 1.0);
        QCOMPARE(std::get<double>(asked.rows[0][2]), 3.85);
        QCOMPARE(std::get<double>(asked.rows[0][3]), 4.0);
        QVERIFY(ask(*query_, "SELECT percentile(1, 101)").error.find("between 0 and 100") != std::string::npos);
    }

    void onlyReads_data() {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("says");
        QTest::newRow("writes") << "DELETE FROM events"
                                << "may not be modified";
        QTest::newRow("makes") << "CREATE TABLE t(x)"
                               << "more than read";
        QTest::newRow("attaches") << "ATTACH 'x.db' AS y"
                                  << "more than read";
        QTest::newRow("pragma") << "PRAGMA journal_mode"
                                << "more than read";
        QTest::newRow("two") << "SELECT 1; SELECT 2"
                             << "more than one";
        QTest::newRow("none") << " ;"
                              << "empty";
        QTest::newRow("schema") << "SELECT * FROM sqlite_schema"
                                << "more than read";
        QTest::newRow("statistics") << "SELECT * FROM dbstat"
                                    << "the tables are events";
        QTest::newRow("tokenizer") << "SELECT hex(fts3_tokenizer('simple'))"
                                   << "more than read";
        QTest::newRow("tokens") << "SELECT * FROM fts3tokenize"
                                << "the tables are events";
        QTest::newRow("library") << "SELECT load_extension('x')"
                                 << "more than read";
        QTest::newRow("too long") << "SELECT hex(zeroblob(490000000))"
                                  << "texts of at most";
        QTest::newRow("no table") << "SELECT 1 FROM spans"
                                  << "the tables are events";
        QTest::newRow("no column") << "SELECT colour FROM events"
                                   << "--tables";
        QTest::newRow("no SQL") << "SELEKT"
                                << "syntax error";
    }
    void onlyReads() {
        QFETCH(QString, sql);
        QFETCH(QString, says);
        const Asked asked = ask(*query_, sql.toStdString());
        QVERIFY2(asked.error.find(says.toStdString()) != std::string::npos, asked.error.c_str());
        QVERIFY(asked.rows.empty());
    }

    /// A question without end, or one that gathers without end, is ended by the limit that it reaches first.
    void limitsEndAQuestion() {
        const std::string endless =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
        const std::string gathering = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                                      "SELECT length(group_concat(hex(zeroblob(500)))) FROM n";
        const auto limited = RunQuery::open(*reader_, {0.05, 0});
        QVERIFY(limited);
        const std::string late = ask(**limited, endless).error;
        QVERIFY2(late.find("longer than 50") != std::string::npos, late.c_str());
        QVERIFY2(late.find("higher time limit") != std::string::npos, late.c_str());
        const auto small = RunQuery::open(*reader_, {0, 10 << 20});
        QVERIFY(small);
        const std::string large = ask(**small, gathering).error;
        QVERIFY2(large.find("of memory, its limit") != std::string::npos, large.c_str());
        QCOMPARE(ask(**small, "SELECT 5").integer(), 5);
    }

    void isCancelled() {
        int rows = 0;
        const Status status =
            query_->ask("SELECT a.rank FROM events a, events b, events c WHERE a.value = -77",
                        {[](const auto&) {}, [&](auto) { return ++rows, true; }, [] { return true; }});
        QVERIFY(!status);
        QVERIFY(status.error().text().find("cancelled") != std::string::npos);
        QCOMPARE(rows, 0);
        QCOMPARE(ask(*query_, "SELECT 5").integer(), 5);
    }

    /// What could be read is given, then the damage is named.
    void damageIsTold() {
        query_.reset();
        reader_.reset();
        const std::int64_t lost = test::damageBlock(file(), 3);
        QVERIFY(lost > 0);
        open();
        const Asked asked = ask(*query_, "SELECT rank FROM events");
        QVERIFY2(asked.error.find("block 3 (") != std::string::npos, asked.error.c_str());
        QVERIFY2(asked.error.find("damaged") != std::string::npos, asked.error.c_str());
        QCOMPARE(static_cast<std::int64_t>(asked.rows.size()), static_cast<std::int64_t>(given_.size()) + 500 - lost);
    }

private:
    std::string file() const { return folder_->filePath("run.shardlab").toStdString(); }
    void open() {
        auto reader = RunReader::open(file());
        QVERIFY2(reader, reader ? "" : reader.error().text().c_str());
        reader_ = std::move(*reader);
        auto query = RunQuery::open(*reader_);
        QVERIFY(query);
        query_ = std::move(*query);
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::vector<Event> given_;
    std::unique_ptr<RunReader> reader_;
    std::unique_ptr<RunQuery> query_;
};

QTEST_GUILESS_MAIN(QueryTest)
#include "query_test.moc"
